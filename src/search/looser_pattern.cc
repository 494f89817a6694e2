// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns regular expressions into patterns of PCRE2 that find candidates quickly
// in a text of many lines. What a candidate's line really has is decided by the
// expression itself, so a pattern may match too much, but never too little.

#include <algorithm>
#include <array>

#include "search/regular_expression.h"

namespace zpack::search {
namespace {

// Any character of more than one byte, or, without UTF-8, any such byte: what
// a class has beyond ASCII depends on the locale.
std::string_view BeyondAscii(bool utf8) {
  return utf8 ? R"(\x{80}-\x{10ffff})" : R"(\x80-\xff)";
}

class Translator {
 public:
  Translator(std::string_view pattern, const ExpressionOptions& options)
      : pattern_(pattern), options_(options) {}

  std::optional<std::string> Run() {
    while (at_ < pattern_.size()) {
      if (!Next()) return std::nullopt;
    }
    if (depth_ != 0) return std::nullopt;
    return std::move(out_);
  }

 private:
  bool Next() {
    const char c = pattern_[at_++];
    switch (c) {
      case '\\':
        return Escape();
      case '[':
        return Bracket();
      case '.':
        out_ += '.';
        return Repeatable();
      case '*':
        return Star();
      case '^':
        return Caret();
      case '$':
        return Dollar();
      default:
        return options_.extended ? Extended(c) : Plain(c);
    }
  }

  bool Extended(char c) {
    switch (c) {
      case '(':
        return Open();
      case ')':
        return Close();
      case '|':
        return Bar();
      case '+':
      case '?':
        return Quantifier(c);
      case '{':
        return Interval("}");
      default:
        return Plain(c);
    }
  }

  bool Plain(char c) {
    constexpr std::string_view kSpecial = "()|+?{}[]^$.*\\/#- ";
    if (kSpecial.find(c) != std::string_view::npos) out_ += '\\';
    if (c == '\n' || c == '\0') return false;
    out_ += c;
    return Repeatable();
  }

  bool Escape() {
    if (at_ == pattern_.size()) return false;
    const char c = pattern_[at_++];
    if (!options_.extended) {
      if (c == '(') return Open();
      if (c == ')') return Close();
      if (c == '|') return Bar();
      if (c == '+' || c == '?') return Quantifier(c);
      if (c == '{') return Interval("\\}");
    }
    switch (c) {
      case 'w':
      case 's':
        out_ += c == 'w' ? R"([\w)" : R"([ \t\v\f\r)";
        out_ += BeyondAscii(options_.utf8);
        out_ += ']';
        return Repeatable();
      case 'W':
        out_ += R"([^A-Za-z0-9_\n])";
        return Repeatable();
      case 'S':
        out_ += R"([^ \t\v\f\r\n])";
        return Repeatable();
      case 'b':
      case '<':
      case '>':
        // What is a word depends on the locale. Left out, so nothing may
        // repeat it.
        return Assertion();
      default:
        break;
    }
    // References, ends of the text, and letters without a meaning.
    constexpr std::string_view kKnown = ".[]*^$\\/-+?(){}|\"'`,:;=!@#%&~<>_ ";
    if (c == '`' || c == '\'' || kKnown.find(c) == std::string_view::npos) {
      return false;
    }
    return Plain(c);
  }

  bool Assertion() {
    out_ += "(?:)";
    repeatable_ = false;
    start_ = false;
    return true;
  }

  bool Repeatable() {
    repeatable_ = true;
    start_ = false;
    return true;
  }

  // A repetition after a repetition would be possessive or lazy for PCRE2.
  bool Quantifier(char c) {
    if (!repeatable_) return false;
    out_ += c;
    repeatable_ = false;
    return true;
  }

  bool Star() {
    if (!repeatable_) {
      // A star at the beginning of a basic expression is one.
      return !options_.extended && start_ && Plain('*');
    }
    return Quantifier('*');
  }

  bool Interval(std::string_view end) {
    const size_t close = pattern_.find(end, at_);
    if (!repeatable_ || close == std::string_view::npos) return false;
    const std::string_view counts = pattern_.substr(at_, close - at_);
    const bool known =
        !counts.empty() && counts.front() != ',' && counts.size() <= 7 &&
        std::ranges::count(counts, ',') <= 1 &&
        counts.find_first_not_of("0123456789,") == std::string_view::npos;
    if (!known) return false;
    out_ += '{';
    out_ += counts;
    out_ += '}';
    at_ = close + end.size();
    repeatable_ = false;
    return true;
  }

  bool Open() {
    out_ += "(?:";
    ++depth_;
    start_ = true;
    repeatable_ = false;
    return true;
  }
  bool Close() {
    if (depth_ == 0) return false;
    --depth_;
    out_ += ')';
    return Repeatable();
  }
  bool Bar() {
    out_ += '|';
    start_ = true;
    repeatable_ = false;
    return true;
  }

  bool Caret() {
    if (!options_.extended && !start_) return Plain('^');
    out_ += '^';
    repeatable_ = false;
    // A star after the caret is plain.
    return true;
  }

  bool Dollar() {
    const std::string_view rest = pattern_.substr(at_);
    if (!options_.extended && !rest.empty() && !rest.starts_with("\\)") &&
        !rest.starts_with("\\|")) {
      return Plain('$');
    }
    out_ += '$';
    repeatable_ = false;
    start_ = false;
    return true;
  }

  // A bracket expression. One that is not negated gets all characters beyond
  // ASCII; one that is, excludes only ASCII, and line feeds.
  bool Bracket() {
    std::string set;
    const bool negated = at_ < pattern_.size() && pattern_[at_] == '^';
    if (negated) ++at_;
    for (bool first = true;; first = false) {
      if (at_ == pattern_.size()) return false;
      const char c = pattern_[at_];
      if (c == ']' && !first) break;
      if (!BracketItem(set)) return false;
    }
    ++at_;
    if (negated) {
      out_ += "[^\\n" + set + ']';
    } else {
      out_ += '[' + set;
      out_ += BeyondAscii(options_.utf8);
      out_ += ']';
    }
    return Repeatable();
  }

  bool BracketItem(std::string& set) {
    const std::string_view rest = pattern_.substr(at_);
    if (rest.starts_with("[:")) return ClassName(rest, set);
    if (rest.starts_with("[.") || rest.starts_with("[=")) return false;
    const char c = pattern_[at_++];
    if (!IsPlainAscii(c)) return static_cast<unsigned char>(c) >= 0x80;
    Quote(c, set);
    if (at_ + 1 >= pattern_.size() || pattern_[at_] != '-' ||
        pattern_[at_ + 1] == ']') {
      return true;
    }
    const char last = pattern_[at_ + 1];
    // The order of letters depends on the locale.
    if (!IsPlainAscii(last) || last == '[' || last < c) return false;
    at_ += 2;
    set += '-';
    Quote(last, set);
    return true;
  }

  bool ClassName(std::string_view rest, std::string& set) {
    constexpr std::array<std::string_view, 12> kNames = {
        "alpha", "digit", "alnum", "upper", "lower", "space",
        "blank", "punct", "print", "graph", "cntrl", "xdigit"};
    const size_t end = rest.find(":]");
    if (end == std::string_view::npos) return false;
    if (std::ranges::find(kNames, rest.substr(2, end - 2)) == kNames.end()) {
      return false;
    }
    set += rest.substr(0, end + 2);
    at_ += end + 2;
    return true;
  }

  static bool IsPlainAscii(char c) {
    return c > '\n' && static_cast<unsigned char>(c) < 0x80;
  }
  static void Quote(char c, std::string& set) {
    constexpr std::string_view kLetters =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (kLetters.find(c) == std::string_view::npos) set += '\\';
    set += c;
  }

  std::string_view pattern_;
  const ExpressionOptions& options_;
  std::string out_;
  size_t at_ = 0;
  int depth_ = 0;
  bool start_ = true;        // of the expression, a group or an alternative
  bool repeatable_ = false;  // a repetition may follow
};

}  // namespace

std::optional<std::string> LooserPerlPattern(std::string_view pattern,
                                             const ExpressionOptions& options) {
  return Translator(pattern, options).Run();
}

std::optional<std::string> LooserPerlPattern(std::string_view pattern) {
  // Assertions about the end of the text, and what cannot give back a line feed
  // that it took. '(?:' is the one group with a question mark that is neither.
  constexpr std::array<std::string_view, 13> kUnknown = {
      "(*",  "\\A", "\\z", "\\Z", "\\G", "\\K", "\\R",
      "\\X", "++",  "*+",  "?+",  "}+",  "[^]"};
  for (const std::string_view part : kUnknown) {
    if (pattern.find(part) != std::string_view::npos) return std::nullopt;
  }
  for (size_t at = 0; (at = pattern.find("(?", at)) != std::string_view::npos;
       ++at) {
    if (!pattern.substr(at).starts_with("(?:")) return std::nullopt;
  }
  std::string out;
  for (size_t at = 0; at < pattern.size(); ++at) {
    out += pattern[at];
    if (pattern[at] == '\\' && at + 1 < pattern.size()) {
      out += pattern[++at];
    } else if (pattern.substr(at).starts_with("[^")) {
      // A text of many lines must not become one long match.
      out += "^\\n";
      ++at;
    }
  }
  return out;
}

}  // namespace zpack::search
