// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/line_pattern.h"

#include <langinfo.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"

namespace zpack::search {
namespace {

// No character has a meaning of its own, in any syntax. Like Git, which then
// compares text and does not use the C library's expressions.
bool IsPlain(std::string_view pattern) {
  return pattern.find_first_of("$()*+.?[\\^{|") == std::string_view::npos;
}

bool IsWordCharacter(char c) { return c == '_' || IsDigit(c) || IsLetter(c); }

// Like Git, takes the place where the search began for a boundary.
bool IsWholeWord(std::string_view text, size_t from, const MatchSpan& span) {
  return span.begin != span.end &&
         (span.begin == from || !IsWordCharacter(text[span.begin - 1])) &&
         (span.end == text.size() || !IsWordCharacter(text[span.end]));
}

bool LocaleIsUtf8() {
  return std::string_view(nl_langinfo(CODESET)) == "UTF-8";
}
// True if a character of the locale may have several bytes, but not as UTF-8
// has them.
bool LocaleIsOtherMultibyte() { return MB_CUR_MAX > 1 && !LocaleIsUtf8(); }

}  // namespace

Result<std::unique_ptr<LinePattern>> LinePattern::Compile(
    const QueryToken& token, const LineQuery& query) {
  std::unique_ptr<LinePattern> pattern(new LinePattern());
  pattern->text_ = token.pattern;
  pattern->words_ = query.words;
  if (query.syntax != PatternSyntax::kPerl && token.pattern.contains('\0')) {
    const bool of_command = !token.origin.empty();  // which can say no other
    return MakeError(ErrorCode::kInvalidArgument,
                     "given pattern contains NULL byte{}. This is only "
                     "supported {}under PCRE v2",
                     MessageText{of_command ? " (via -f <file>)" : ""},
                     MessageText{of_command ? "with -P " : ""});
  }
  Status compiled = pattern->CompileExpression(query);
  if (compiled) return pattern;
  Error error = std::move(compiled).error();
  if (!token.origin.empty()) {
    error.message = token.origin + ", " + error.message;
  }
  return std::unexpected(std::move(error));
}

Status LinePattern::CompileExpression(const LineQuery& query) {
  const bool plain = query.syntax == PatternSyntax::kFixed || IsPlain(text_);
  if (plain && !query.ignore_case) return {};
  ExpressionOptions options;
  options.ignore_case = query.ignore_case;
  options.utf8 = LocaleIsUtf8();
  looser_options_ = options;
  looser_options_.prefilter = true;
  if (query.syntax == PatternSyntax::kPerl && !plain) {
    ZPACK_ASSIGN_OR_RETURN(expression_, CompilePerl(text_, options));
    looser_ = LooserPerlPattern(text_);
    return {};
  }
  looser_options_.utf8 = false;
  if (plain) {
    options.literal = true;
    ZPACK_ASSIGN_OR_RETURN(expression_, CompilePerl(text_, options));
    folded_literal_ = !text_.empty() && std::ranges::all_of(text_, IsAscii);
    looser_ = LooserPerlText(text_, options);
    return {};
  }
  options.extended = query.syntax == PatternSyntax::kExtended;
  ZPACK_ASSIGN_OR_RETURN(expression_, CompilePosix(text_, options));
  if (LocaleIsOtherMultibyte()) return {};
  looser_ = LooserPerlPattern(text_, options);
  return {};
}

Result<std::optional<MatchSpan>> LinePattern::FindAny(std::string_view text,
                                                      TextStart start) {
  if (expression_ != nullptr) return expression_->Find(text, start);
  const size_t at = text.find(text_);
  if (at == std::string_view::npos) return std::nullopt;
  return MatchSpan{at, at + text_.size()};
}

Result<std::optional<MatchSpan>> LinePattern::Find(std::string_view line,
                                                   size_t from) {
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(
        const auto found,
        FindAny(line.substr(from),
                from == 0 ? TextStart::kLine : TextStart::kInLine));
    if (!found) return std::nullopt;
    const MatchSpan span = {found->begin + from, found->end + from};
    if (!words_ || IsWholeWord(line, from, span)) return span;
    // Like Git, goes on where the next word may begin.
    from = span.begin + 1;
    while (from < line.size() && IsWordCharacter(line[from - 1])) ++from;
    if (from >= line.size()) return std::nullopt;
  }
}

}  // namespace zpack::search
