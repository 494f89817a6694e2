// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of 'log' about the files that commits change.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command_words.h"
#include "log/log_look.h"
#include "zpack/log.h"

namespace zpack::cli {

class FileOptions {
 public:
  // False if the option is another one. Throws UsageError and CommandFailure.
  bool Take(const CommandWord& word);

  // Sets what the options say. Returns the values of '--find-object'. Throws
  // CommandFailure for options that exclude each other.
  std::vector<std::string> Finish(LogOptions& log, LogLook& look);

 private:
  bool TakeRenames(const CommandWord& word);
  bool TakePickaxe(const CommandWord& word);
  bool TakeOutput(const CommandWord& word);
  void AddFilter(const std::string& letters);

  RenameSearch renames_ = RenameSearch::kRenames;
  bool harder_ = false;
  uint32_t min_similarity_ = 0;
  uint64_t rename_limit_ = LogOptions().rename_limit;
  std::string diff_filter_;
  std::optional<std::string> string_;
  std::optional<std::string> lines_;
  std::vector<std::string> objects_;
  bool expression_ = false;
  bool all_ = false;
  bool text_ = false;
  bool raw_ = false;
  bool name_status_ = false;
  bool names_ = false;
  bool nothing_ = false;  // '--no-patch' came after each '--raw'
  bool zero_ = false;
};

}  // namespace zpack::cli
