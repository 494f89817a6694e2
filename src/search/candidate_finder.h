// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Goes through a text quickly and names places at which a line may match.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_finder.h"
#include "search/literal_set.h"
#include "search/regular_expression.h"
#include "zpack/result.h"

namespace zpack::search {

class CandidateFinder {
 public:
  // Until something is added, no line is a candidate.

  // Every line is a candidate.
  void AddEveryLine() { every_line_ = true; }
  // Lines with any of these texts. REQUIRES: none is empty.
  Status AddLiterals(const std::vector<std::string>& texts);
  // The same, where letters of ASCII match those of either case.
  Status AddFoldedLiterals(const std::vector<std::string>& texts);
  // Lines in which a match of the expression begins.
  void AddExpression(std::unique_ptr<RegularExpression> expression) {
    expressions_.push_back({std::move(expression)});
  }

  // Whether only plain texts were added.
  bool finds_texts() const { return !every_line_ && expressions_.empty(); }

  // Begins with a new text.
  void Restart() {
    for (Expression& expression : expressions_) expression.known = false;
  }
  // A position in the first line with a candidate, at `from` or later; npos if
  // there is none. REQUIRES: since Restart, `text` was the same, and `from` has
  // not become smaller.
  size_t Find(std::string_view text, size_t from);

 private:
  // Where the next match of an expression begins, if that is known.
  struct Expression {
    std::unique_ptr<RegularExpression> expression;
    bool known = false;
    size_t next = 0;
  };

  size_t FindNext(Expression& expression, std::string_view text, size_t from);

  bool every_line_ = false;
  std::optional<TextFinder> literal_;
  std::vector<LiteralSet> literals_;
  std::vector<Expression> expressions_;
};

}  // namespace zpack::search
