// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions of the C library and of PCRE2, over text that is not
// terminated. Thread-compatible: each thread compiles its own.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "zpack/line_query.h"
#include "zpack/result.h"

namespace zpack::search {

// Of the library, without its date.
std::string Pcre2Version();

enum class TextStart : uint8_t { kLine, kInLine };

class RegularExpression {
 public:
  virtual ~RegularExpression() = default;

  // The first match in `text`. With kInLine, '^' does not match at its
  // beginning. Returns kLimitExceeded if finding one takes too much work.
  virtual Result<std::optional<MatchSpan>> Find(std::string_view text,
                                                TextStart start) = 0;
};

struct ExpressionOptions {
  bool extended = false;  // POSIX
  bool ignore_case = false;
  bool literal = false;  // PCRE2: no character of the pattern is special
  bool utf8 = false;     // PCRE2: the text is UTF-8, as far as it is valid
  // PCRE2: gives up early, and does not assume where matches begin.
  bool prefilter = false;
};

// The expressions of POSIX. kInvalidArgument with the reason.
Result<std::unique_ptr<RegularExpression>> CompilePosix(
    const std::string& pattern, const ExpressionOptions& options);

// Those of PCRE2; '^' and '$' match at line feeds. kInvalidArgument with the
// reason.
Result<std::unique_ptr<RegularExpression>> CompilePerl(
    std::string_view pattern, const ExpressionOptions& options);

// A pattern for CompilePerl, without ExpressionOptions::utf8, which matches in
// each line in which the POSIX expression `pattern` matches, and perhaps
// elsewhere, never across a line feed. Nothing if the expression uses what this
// function does not know.
std::optional<std::string> LooserPerlPattern(std::string_view pattern,
                                             const ExpressionOptions& options);
// The same for a plain text.
std::optional<std::string> LooserPerlText(std::string_view text,
                                          const ExpressionOptions& options);

// The same for an expression of PCRE2, whose match within a line must be one in
// a longer text, too; for CompilePerl with the options of the expression.
std::optional<std::string> LooserPerlPattern(std::string_view pattern);

}  // namespace zpack::search
