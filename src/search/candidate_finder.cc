// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/candidate_finder.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace zpack::search {

Status CandidateFinder::AddLiterals(const std::vector<std::string>& texts) {
  if (texts.size() == 1) {
    literal_.emplace(texts.front());
    return {};
  }
  ZPACK_ASSIGN_OR_RETURN(LiteralSet set, LiteralSet::Make(texts));
  literals_.push_back(std::move(set));
  return {};
}

Status CandidateFinder::AddFoldedLiterals(
    const std::vector<std::string>& texts) {
  ZPACK_ASSIGN_OR_RETURN(LiteralSet set,
                         LiteralSet::Make(texts, LetterCase::kIgnore));
  literals_.push_back(std::move(set));
  return {};
}

size_t CandidateFinder::FindNext(Expression& expression, std::string_view text,
                                 size_t from) {
  if (expression.known && expression.next >= from) return expression.next;
  const auto found =
      expression.expression->Find(text.substr(from), TextStart::kLine);
  expression.known = true;
  if (!found) {
    // Too much work: from now on, the lines themselves decide.
    every_line_ = true;
    expression.next = from;
  } else {
    expression.next = *found ? from + (*found)->begin : std::string_view::npos;
  }
  return expression.next;
}

size_t CandidateFinder::Find(std::string_view text, size_t from) {
  if (every_line_) return from;
  size_t first = std::string_view::npos;
  if (literal_) first = literal_->Find(text, from);
  for (const LiteralSet& literals : literals_) {
    const size_t end = literals.FindEnd(text, from);
    if (end != std::string_view::npos) first = std::min(first, end - 1);
  }
  for (Expression& expression : expressions_) {
    first = std::min(first, FindNext(expression, text, from));
  }
  return first;
}

}  // namespace zpack::search
