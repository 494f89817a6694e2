// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints what a search of all history finds. Thread-compatible.

#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "zpack/search.h"

namespace zpack::cli {

// What '--format' asks for: text, and fields such as '%(path)'.
class HistoryFormat {
 public:
  // Throws UsageError for an unknown field.
  static HistoryFormat Parse(std::string_view format);
  // "<brought>..<removed> <blob> <path>:<line>:<text>", with short ids.
  static HistoryFormat Default();

  void Print(const HistoryMatch& match, std::ostream& out) const;

 private:
  enum class Field : uint8_t {
    kBrought,
    kRemoved,
    kBlob,
    kPath,
    kLine,
    kText,
  };
  struct FieldUse {
    Field field;
    bool is_short = false;
  };

  static void PrintField(const FieldUse& use, const HistoryMatch& match,
                         std::ostream& out);

  std::vector<std::variant<std::string, FieldUse>> parts_;
};

}  // namespace zpack::cli
