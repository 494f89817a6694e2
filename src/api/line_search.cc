// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/line_search.h"

#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "search/line_matcher.h"

namespace zpack {

struct LineSearch::State {
  search::LineMatcher matcher;
};

LineSearch::LineSearch(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
LineSearch::~LineSearch() = default;
LineSearch::LineSearch(LineSearch&&) noexcept = default;
LineSearch& LineSearch::operator=(LineSearch&&) noexcept = default;

Result<LineSearch> LineSearch::Compile(const LineQuery& query) {
  return Guarded([&]() -> Result<LineSearch> {
    ZPACK_ASSIGN_OR_RETURN(auto matcher, search::LineMatcher::Compile(query));
    return LineSearch(std::make_unique<State>(std::move(matcher)));
  });
}

Result<size_t> LineSearch::Column(std::string_view line) {
  return Guarded([&] { return state_->matcher.Column(line); });
}

Result<std::optional<MatchSpan>> LineSearch::NextSpan(std::string_view line,
                                                      size_t from) {
  return Guarded([&] { return state_->matcher.NextSpan(line, from); });
}

}  // namespace zpack
