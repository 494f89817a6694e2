// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints what a search of a tree finds, as git-grep(1) does. Thread-compatible.

#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "search/grep_request.h"
#include "zpack/line_search.h"
#include "zpack/result.h"
#include "zpack/search.h"

namespace zpack::cli {

class GrepPrinter {
 public:
  // `search` must outlive the printer.
  GrepPrinter(const GrepOutput& output, LineSearch& search, std::ostream& out)
      : output_(output), search_(search), out_(out) {}

  // Prints what was found in a file that is called `name`.
  Status Print(const std::string& name, const SearchedFile& file);

  // Whether anything was found.
  bool found() const { return found_; }

 private:
  Status PrintLines(const SearchedFile& file);
  // A line of context if `mark` is '-'.
  Status PrintLine(const MatchingLine& line, char mark);
  Status PrintText(std::string_view text, const MatchingLine& line,
                   size_t column, char mark);
  void PrintHeader(uint64_t number, size_t column, char mark);
  void PrintSeparator(char mark);
  void PrintColored(std::string_view text, std::string_view color);
  Status PrintBefore(const MatchingLine& line);
  Status PrintAfter(uint64_t most, const MatchingLine& from, uint64_t before);
  std::string_view TextOf(const MatchingLine& line) const {
    return text_.substr(line.begin, line.end - line.begin);
  }

  const GrepOutput output_;
  LineSearch& search_;
  std::ostream& out_;
  bool found_ = false;
  bool hunk_mark_ = false;  // a mark stands before the first line of a file
  // Of the file that is being printed:
  std::string name_;
  std::string_view text_;
  uint64_t last_shown_ = 0;  // number of a line; 0: none
};

}  // namespace zpack::cli
