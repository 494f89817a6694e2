// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/line_matcher.h"

#include <string.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace zpack::search {
namespace {

// Like Git, several patterns where one has line feeds.
std::vector<QueryToken> SplitTokens(const LineQuery& query) {
  std::vector<QueryToken> tokens;
  for (const QueryToken& token : query.tokens) {
    std::string_view rest = token.pattern;
    for (size_t end = 0; token.kind == QueryToken::Kind::kPattern &&
                         (end = rest.find('\n')) != std::string_view::npos;
         rest.remove_prefix(end + 1)) {
      tokens.push_back(
          {token.kind, std::string(rest.substr(0, end)), token.origin});
    }
    tokens.push_back({token.kind, std::string(rest), token.origin});
  }
  return tokens;
}

size_t LongestOf(const std::vector<std::string>& texts,
                 const std::vector<std::string>& more) {
  size_t longest = 0;
  for (const auto* const list : {&texts, &more}) {
    for (const std::string& text : *list) {
      longest = std::max(longest, text.size());
    }
  }
  return longest;
}

}  // namespace

void NumberLines(std::string_view text, std::span<MatchingLine> lines) {
  uint64_t number = 1;
  auto counted = text.begin();
  for (MatchingLine& line : lines) {
    const auto begin = text.begin() + static_cast<ptrdiff_t>(line.begin);
    number += static_cast<uint64_t>(std::count(counted, begin, '\n'));
    counted = begin;
    line.number = number;
  }
}

// Turns the tokens into nodes, from the operator that binds most loosely.
class LineMatcher::Parser {
 public:
  Parser(const std::vector<QueryToken>& tokens, LineMatcher& to)
      : tokens_(tokens), to_(to) {}

  Status Run() {
    ZPACK_ASSIGN_OR_RETURN(to_.root_, Or(0));
    if (at_ < tokens_.size()) return Fail("incomplete pattern expression");
    return {};
  }

 private:
  using Kind = QueryToken::Kind;

  bool Is(Kind kind) const {
    return at_ < tokens_.size() && tokens_[at_].kind == kind;
  }
  static std::unexpected<Error> Fail(std::string_view what) {
    return MakeError(ErrorCode::kInvalidArgument, "{}", std::string(what));
  }
  size_t Add(Node node) {
    to_.nodes_.push_back(std::move(node));
    return to_.nodes_.size() - 1;
  }

  // `parts` as one node of this kind; a single part is itself.
  size_t Join(Node::Kind kind, std::vector<size_t> parts) {
    return parts.size() == 1 ? parts.front() : Add({kind, std::move(parts)});
  }

  Result<size_t> Or(size_t depth) {
    std::vector<size_t> parts;
    do {
      ZPACK_ASSIGN_OR_RETURN(const size_t part, And(depth));
      parts.push_back(part);
    } while (at_ < tokens_.size() && !Is(Kind::kClose));
    return Join(Node::Kind::kOr, std::move(parts));
  }

  Result<size_t> And(size_t depth) {
    std::vector<size_t> parts;
    while (true) {
      ZPACK_ASSIGN_OR_RETURN(const size_t part, Not(depth));
      parts.push_back(part);
      if (!Is(Kind::kAnd)) return Join(Node::Kind::kAnd, std::move(parts));
      if (++at_ == tokens_.size()) {
        return Fail("--and not followed by pattern expression");
      }
    }
  }

  Result<size_t> Not(size_t depth) {
    constexpr size_t kMostDepth = 1000;
    if (depth > kMostDepth) return Fail("the expression is nested too deeply");
    if (!Is(Kind::kNot)) return Atom(depth);
    if (++at_ == tokens_.size()) {
      return Fail("--not not followed by pattern expression");
    }
    ZPACK_ASSIGN_OR_RETURN(const size_t inner, Not(depth + 1));
    return Add({Node::Kind::kNot, {inner}});
  }

  Result<size_t> Atom(size_t depth) {
    if (Is(Kind::kOpen)) {
      ++at_;
      ZPACK_ASSIGN_OR_RETURN(const size_t inner, Or(depth + 1));
      if (!Is(Kind::kClose)) return Fail("unmatched ( for expression group");
      ++at_;
      return inner;
    }
    if (!Is(Kind::kPattern)) return Fail("no pattern given");
    ZPACK_ASSIGN_OR_RETURN(auto pattern,
                           LinePattern::Compile(tokens_[at_++], to_.query_));
    to_.patterns_.push_back(std::move(pattern));
    return Add({Node::Kind::kPattern, {to_.patterns_.size() - 1}});
  }

  const std::vector<QueryToken>& tokens_;
  LineMatcher& to_;
  size_t at_ = 0;
};

Result<LineMatcher> LineMatcher::Compile(const LineQuery& query) {
  LineMatcher matcher;
  matcher.query_ = query;
  const std::vector<QueryToken> tokens = SplitTokens(query);
  ZPACK_TRY(Parser(tokens, matcher).Run());
  ZPACK_TRY(matcher.MakeFinder());
  return matcher;
}

Status LineMatcher::MakeFinder() {
  if (Has(Node::Kind::kNot) || query_.invert) {
    finder_.AddEveryLine();
    return {};
  }
  std::vector<std::string> literals;
  std::vector<std::string> folded;
  std::string joined;  // patterns for bytes
  candidates_match_ = !Has(Node::Kind::kAnd);
  for (const auto& pattern : patterns_) {
    candidates_match_ =
        candidates_match_ && pattern->literal() != nullptr && !pattern->words();
    if (pattern->literal() != nullptr && !pattern->literal()->empty()) {
      literals.push_back(*pattern->literal());
    } else if (pattern->folded_literal() != nullptr) {
      folded.push_back(*pattern->folded_literal());
    } else if (!pattern->looser() || pattern->looser()->empty()) {
      finder_.AddEveryLine();
    } else if (pattern->looser_options().utf8) {
      AddExpression(*pattern->looser(), pattern->looser_options());
    } else {
      joined += (joined.empty() ? "(?:" : "|(?:") + *pattern->looser() + ')';
    }
  }
  if (!joined.empty()) {
    AddExpression(joined,
                  {.ignore_case = query_.ignore_case, .prefilter = true});
  }
  if (!folded.empty()) {
    // Characters that UTF-8 locales fold to letters of ASCII.
    folded.insert(folded.end(),
                  {"\xc4\xb0", "\xc4\xb1", "\xc5\xbf", "\xe2\x84\xaa"});
    ZPACK_TRY(finder_.AddFoldedLiterals(folded));
  }
  if (finder_.finds_texts()) reach_ = LongestOf(literals, folded);
  return literals.empty() ? Status{} : finder_.AddLiterals(literals);
}

bool LineMatcher::HasCandidate(std::string_view part) {
  finder_.Restart();
  return finder_.Find(part, 0) != std::string_view::npos;
}

void LineMatcher::AddExpression(std::string_view pattern,
                                const ExpressionOptions& options) {
  auto compiled = CompilePerl(pattern, options);
  if (compiled) {
    finder_.AddExpression(*std::move(compiled));
  } else {
    finder_.AddEveryLine();
  }
}

bool LineMatcher::Has(Node::Kind kind) const {
  return std::ranges::find(nodes_, kind, &Node::kind) != nodes_.end();
}

void LineMatcher::Begin(std::string_view text) {
  text_ = text;
  from_ = 0;
  finder_.Restart();
}

Result<std::optional<MatchingLine>> LineMatcher::NextLine() {
  while (from_ < text_.size()) {
    // A match may be at the end of the last line, or, without a line, after it.
    const size_t at = finder_.Find(text_, from_);
    if (at > text_.size() || (at == text_.size() && text_.back() == '\n')) {
      break;
    }
    MatchingLine line;
    // All lines before `from_` end with a line feed.
    const char* const text = text_.data();
    // std::string_view::rfind would look at each byte.
    const void* const before = memrchr(text + from_, '\n', at - from_);
    line.begin =
        before == nullptr ? from_ : static_cast<const char*>(before) + 1 - text;
    line.end = std::min(text_.find('\n', at), text_.size());
    from_ = line.end + 1;
    bool wanted = candidates_match_;
    if (!wanted) {
      ZPACK_ASSIGN_OR_RETURN(
          wanted, Wants(text_.substr(line.begin, line.end - line.begin)));
    }
    if (wanted) return line;
  }
  return std::nullopt;
}

Status LineMatcher::AllLines(std::string_view text,
                             std::vector<MatchingLine>& lines) {
  const size_t first = lines.size();
  Begin(text);
  while (true) {
    ZPACK_ASSIGN_OR_RETURN(const auto line, NextLine());
    if (!line) break;
    lines.push_back(*line);
  }
  NumberLines(text, std::span(lines).subspan(first));
  return {};
}

Result<bool> LineMatcher::Wants(std::string_view line) {
  ZPACK_ASSIGN_OR_RETURN(const bool matches, Evaluate(root_, line));
  return matches != query_.invert;
}

Result<bool> LineMatcher::Evaluate(size_t node, std::string_view line) {
  const Node& at = nodes_[node];
  if (at.kind == Node::Kind::kPattern) {
    ZPACK_ASSIGN_OR_RETURN(const auto found,
                           patterns_[at.parts.front()]->Find(line, 0));
    return found.has_value();
  }
  for (const size_t part : at.parts) {
    ZPACK_ASSIGN_OR_RETURN(const bool matches, Evaluate(part, line));
    if (at.kind == Node::Kind::kNot) return !matches;
    if (matches == (at.kind == Node::Kind::kOr)) return matches;
  }
  return at.kind == Node::Kind::kAnd;
}

Result<bool> LineMatcher::AcceptsFile(std::string_view text) {
  if (!query_.all_match) return true;
  std::vector<size_t> open = {root_};
  if (nodes_[root_].kind == Node::Kind::kOr) open = nodes_[root_].parts;
  while (!text.empty() && !open.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    for (size_t i = open.size(); i-- > 0;) {
      ZPACK_ASSIGN_OR_RETURN(const bool matches, Evaluate(open[i], line));
      if (matches) open.erase(open.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  return open.empty();
}

Result<bool> LineMatcher::FindColumns(size_t node, std::string_view line,
                                      std::optional<size_t>& column,
                                      std::optional<size_t>& other) {
  const Node& at = nodes_[node];
  if (at.kind == Node::Kind::kPattern) {
    ZPACK_ASSIGN_OR_RETURN(const auto found,
                           patterns_[at.parts.front()]->Find(line, 0));
    if (found) column = std::min(column.value_or(found->begin), found->begin);
    return found.has_value();
  }
  if (at.kind == Node::Kind::kNot) {
    ZPACK_ASSIGN_OR_RETURN(const bool inner,
                           FindColumns(at.parts.front(), line, other, column));
    return !inner;
  }
  bool all = true;
  bool any = false;
  for (const size_t part : at.parts) {
    ZPACK_ASSIGN_OR_RETURN(const bool matches,
                           FindColumns(part, line, column, other));
    all = all && matches;
    any = any || matches;
  }
  return at.kind == Node::Kind::kAnd ? all : any;
}

Result<size_t> LineMatcher::Column(std::string_view line) {
  std::optional<size_t> column;
  std::optional<size_t> negated;
  ZPACK_ASSIGN_OR_RETURN(std::ignore,
                         FindColumns(root_, line, column, negated));
  return (query_.invert ? negated : column).value_or(0);
}

Result<std::optional<MatchSpan>> LineMatcher::NextSpan(std::string_view line,
                                                       size_t from) {
  std::optional<MatchSpan> first;
  if (from > line.size()) return first;
  for (const auto& pattern : patterns_) {
    ZPACK_ASSIGN_OR_RETURN(const auto found, pattern->Find(line, from));
    if (!found) continue;
    if (!first || found->begin < first->begin ||
        (found->begin == first->begin && found->end > first->end)) {
      first = found;
    }
  }
  return first;
}

}  // namespace zpack::search
