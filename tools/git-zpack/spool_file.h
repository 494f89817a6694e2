// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A temporary file that has no name, so that nothing of it stays behind.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "zpack/result.h"

namespace zpack::cli {

class SpoolFile {
 public:
  // In the directory that the environment's TMPDIR names, or else in '/tmp'.
  // kIo.
  static Result<SpoolFile> Create();

  // kIo.
  Status Append(std::span<const uint8_t> bytes);
  // Calls `visit` with all that was appended, piece by piece. Its first error
  // ends this and is returned; kIo.
  Status ForEachPiece(
      const std::function<Status(std::span<const uint8_t>)>& visit);

 private:
  struct Close {
    void operator()(FILE* file) const { std::fclose(file); }
  };
  SpoolFile(FILE* file, std::string directory)
      : file_(file), directory_(std::move(directory)) {}
  std::unexpected<Error> Failed(const char* action) const;

  std::unique_ptr<FILE, Close> file_;
  std::string directory_;
};

}  // namespace zpack::cli
