// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What convert says of its result. Thread-compatible.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "zpack/convert.h"

namespace zpack::cli {

class ConvertReport {
 public:
  struct Context {
    std::string file;
    std::string cloned_from;    // empty unless the repository was cloned
    uint64_t parity_bytes = 0;  // that were added to the file
  };

  // The parameters must outlive the report.
  ConvertReport(const ConvertStats& stats, const ConvertOptions& options,
                Context context);

  // Prints one line for each warning; with `quiet`, only warnings of
  // alternates and of what the replaced file had.
  void PrintWarnings(bool quiet, std::ostream& err) const;
  void PrintSummary(std::ostream& err) const;
  void PrintAsJson(std::ostream& out) const;

 private:
  bool IsDryRun() const;
  bool IsVerified() const;
  // Continues the summary line.
  std::string Verification() const;
  // Ends the summary line of an unchanged file.
  std::string WhatWasRead() const;
  std::string Source() const;
  void PrintBase(std::ostream& err) const;
  void PrintResumed(std::ostream& err) const;
  void PrintDamaged(std::ostream& err) const;
  void PrintLost(std::ostream& err) const;
  void WarnOfReplaced(std::ostream& err) const;
  nlohmann::ordered_json BaseToJson() const;
  nlohmann::ordered_json LostToJson() const;
  nlohmann::ordered_json ToJson() const;

  const ConvertStats& stats_;
  const ConvertOptions& options_;
  Context context_;
  std::optional<std::string> base_;  // path of the older file
};

}  // namespace zpack::cli
