// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A compiled LineQuery, for looking into lines that a search has found.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "zpack/line_query.h"
#include "zpack/result.h"

namespace zpack {

class LineSearch {
 public:
  // Errors: kInvalidArgument for a pattern or an expression that is not valid.
  static Result<LineSearch> Compile(const LineQuery& query);
  ~LineSearch();
  LineSearch(LineSearch&&) noexcept;
  LineSearch& operator=(LineSearch&&) noexcept;

  // The offset of the first match in a line that matches, and 0 for a line that
  // matches because patterns do not.
  //
  // Errors: kLimitExceeded if a pattern takes too much work.
  Result<size_t> Column(std::string_view line);

  // The part of the line that matches first, at `from` or later: the longest of
  // those that begin there. Nothing if there is none.
  //
  // Errors: as for Column.
  Result<std::optional<MatchSpan>> NextSpan(std::string_view line, size_t from);

 private:
  struct State;
  explicit LineSearch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace zpack
