// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts how often a text or an expression occurs, as the pickaxe of Git does
// (gitdiffcore(7)). Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/text_finder.h"
#include "search/regular_expression.h"
#include "zpack/line_query.h"
#include "zpack/result.h"

namespace zpack::log {

struct Needle {
  std::string text;
  bool expression = false;  // a POSIX extended regular expression
  bool ignore_case = false;
};

class OccurrenceCounter {
 public:
  // kInvalidArgument for an expression that is not valid. REQUIRES: the needle
  // is not empty.
  static Result<OccurrenceCounter> Make(const Needle& needle);

  // The occurrences from left to right, none of which begins within another.
  // kLimitExceeded if an expression needs too much memory.
  Result<uint32_t> Count(std::string_view text);
  // Whether the needle is a plain text, for CountPiece.
  bool plain() const { return expression_ == nullptr; }
  // The occurrences in `piece` and those that begin in `rest`, which is empty
  // at first, and becomes what may begin an occurrence. REQUIRES: plain().
  uint32_t CountPiece(std::string_view piece, std::string& rest);
  // Whether there is one.
  Result<bool> Occurs(std::string_view text);

 private:
  OccurrenceCounter() = default;

  // Removes all up to the end of the first occurrence of `text_`, if any.
  bool FindText(std::string_view& text) const;
  // Removes all up to the end of the last one, and returns how many there were.
  uint32_t CountText(std::string_view& text) const;

  std::optional<TextFinder> text_;
  bool folds_ = false;  // letters of ASCII
  std::string folded_;  // reused
  std::unique_ptr<search::RegularExpression> expression_;
};

// A query for the lines with occurrences. Nothing if these cannot be counted
// line by line: one may hold a line feed, or be empty.
std::optional<LineQuery> LinesWith(const Needle& needle);

}  // namespace zpack::log
