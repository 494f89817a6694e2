// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// One pattern of a query, which decides about a line as Git does.
// Thread-compatible.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "search/regular_expression.h"
#include "zpack/line_query.h"
#include "zpack/result.h"

namespace zpack::search {

class LinePattern {
 public:
  // kInvalidArgument with a message that names the pattern and its origin.
  static Result<std::unique_ptr<LinePattern>> Compile(const QueryToken& token,
                                                      const LineQuery& query);

  // The first match in `line` at `from` or later. With LineQuery::words, one
  // that begins and ends at the boundaries of words, and is not empty.
  Result<std::optional<MatchSpan>> Find(std::string_view line, size_t from);

  // The pattern as a plain text, compared byte by byte; null otherwise.
  const std::string* literal() const {
    return expression_ == nullptr ? &text_ : nullptr;
  }
  // The same for a text of ASCII, whose letters match those of either case.
  const std::string* folded_literal() const {
    return folded_literal_ ? &text_ : nullptr;
  }
  // A pattern, and the options for CompilePerl, that find candidates for the
  // pattern in a text of many lines. Nothing if every line is a candidate.
  const std::optional<std::string>& looser() const { return looser_; }
  const ExpressionOptions& looser_options() const { return looser_options_; }
  bool words() const { return words_; }

 private:
  LinePattern() = default;
  Status CompileExpression(const LineQuery& query);
  Result<std::optional<MatchSpan>> FindAny(std::string_view text,
                                           TextStart start);

  std::string text_;
  bool words_ = false;
  std::unique_ptr<RegularExpression> expression_;  // null for a literal
  bool folded_literal_ = false;
  std::optional<std::string> looser_;
  ExpressionOptions looser_options_;
};

}  // namespace zpack::search
