// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of 'log' about how commits are printed. Thread-compatible.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli.h"
#include "command_words.h"
#include "log/log_look.h"

namespace zpack::cli {

class LookOptions {
 public:
  explicit LookOptions(const Io& io);

  // False if the option is another one. Throws UsageError and CommandFailure.
  bool Take(const CommandWord& word);

  LogLook Finish();

 private:
  bool TakeIds(const CommandWord& word);
  bool TakeNames(const CommandWord& word);
  bool TakeTexts(const CommandWord& word);
  void SetPretty(std::string_view value);
  void SetFormat(std::string_view format);
  void SetStyle(std::string_view name);
  void SetDecorations(std::string_view value);
  void SetColor(const std::string& value);

  LogLook look_;
  const bool terminal_;
  bool date_given_ = false;
  bool pretty_given_ = false;
  bool decorations_given_ = false;
  bool short_ids_given_ = false;
  std::optional<bool> notes_;
  std::optional<size_t> tab_width_;
};

}  // namespace zpack::cli
