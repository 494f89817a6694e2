// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The result of a command for several files: one table, or one array of JSON.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli.h"

namespace zpack::cli {

// A line of the table. Numbers that are not known are left out.
struct FileRow {
  std::string name;
  std::optional<uint64_t> objects = std::nullopt;
  std::optional<uint64_t> bytes = std::nullopt;  // of the file
  // Bytes of the contents of all objects, for the ratio.
  std::optional<uint64_t> content_bytes = std::nullopt;
  std::string result = "ok";
};

class SeveralFiles {
 public:
  explicit SeveralFiles(const Io& io) : io_(io) {}

  // Adds a file. `json` is kept only if the result is printed as JSON; its
  // first member becomes "file". `code` is the exit code for this file.
  void Add(FileRow row, const nlohmann::ordered_json& json, int code);
  // Adds a file for which the command failed, and prints the error.
  void AddFailure(const std::string& name, const Error& error);

  // Prints what was added, and returns the highest exit code.
  int Finish() const;
  int code() const { return code_; }

 private:
  const Io& io_;
  std::vector<FileRow> rows_;
  nlohmann::ordered_json json_ = nlohmann::ordered_json::array();
  int code_ = kDone;
};

}  // namespace zpack::cli
