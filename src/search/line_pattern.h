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

// True if the locale of the process has characters of several bytes.
bool LocaleIsUtf8();

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
  // What finds candidates for the pattern in a text of many lines. Null for a
  // literal, and if every line is a candidate.
  std::unique_ptr<RegularExpression> MakePrefilter() const;
  bool words() const { return words_; }

 private:
  LinePattern() = default;
  Status CompileExpression(const LineQuery& query);
  Result<std::optional<MatchSpan>> FindAny(std::string_view text,
                                           TextStart start);

  std::string text_;
  bool words_ = false;
  std::unique_ptr<RegularExpression> expression_;  // null for a literal
  std::optional<std::string> looser_;  // for CompilePerl, with these options
  ExpressionOptions looser_options_;
};

}  // namespace zpack::search
