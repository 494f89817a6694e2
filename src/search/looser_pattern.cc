// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns regular expressions into patterns of PCRE2 that find candidates quickly
// in a text of many lines. What a candidate's line really has is decided by the
// expression itself, so a pattern may match too much, but never too little.

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "search/regular_expression.h"

namespace zpack::search {
namespace {

// The pattern is compiled for bytes. In UTF-8, what matches one character
// matches a byte and all that continue a character after it, so that it does
// not matter which sequences of bytes the C library takes for characters.
constexpr std::string_view kContinued = R"([\x80-\xbf]*+)";

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

  // For a pattern without special characters.
  std::optional<std::string> RunPlain() {
    while (at_ < pattern_.size()) {
      if (!Plain(pattern_[at_++])) return std::nullopt;
    }
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
        return Dot();
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
    if (c == '\n' || c == '\0') return false;
    if (options_.utf8 && !IsAscii(c)) return Character();
    // Letters that the C library may fold to some beyond ASCII.
    constexpr std::string_view kFolding = "iIkKsS";
    if (options_.utf8 && options_.ignore_case &&
        kFolding.find(c) != std::string_view::npos) {
      return Set(std::string(1, c) + R"(\x80-\xff)");
    }
    if (kSpecial.find(c) != std::string_view::npos) out_ += '\\';
    out_ += c;
    return Repeatable();
  }

  // A character of several bytes, of which the first has been taken.
  bool Character() {
    const size_t begin = at_ - 1;
    while (at_ < pattern_.size() &&
           (static_cast<unsigned char>(pattern_[at_]) & 0xc0) == 0x80) {
      ++at_;
    }
    if (options_.ignore_case) return Set(R"(^\n)");
    out_ += "(?:";
    out_ += pattern_.substr(begin, at_ - begin);
    out_ += ')';
    return Repeatable();
  }

  bool Dot() {
    // Where a match begins in its line does not matter.
    if (depth_ == 0 && start_ && !anchored_ &&
        pattern_.substr(at_).starts_with('*')) {
      ++at_;
      repeatable_ = false;
      return true;
    }
    const bool many = pattern_.substr(at_).starts_with('*');
    if (!many) return Set(R"(^\n)");
    out_ += R"([^\n])";
    return Repeatable();
  }

  // One character of a set of bytes.
  bool Set(std::string_view set) {
    if (!options_.utf8) {
      out_ += '[';
      out_ += set;
      out_ += ']';
    } else {
      out_ += "(?:[";
      out_ += set;
      out_ += ']';
      out_ += kContinued;
      out_ += ')';
    }
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
        return Set(c == 'w' ? R"(A-Za-z0-9_\x80-\xff)"
                            : R"( \t\x0b\f\r\x80-\xff)");
      case 'W':
        return Set(R"(^A-Za-z0-9_\n)");
      case 'S':
        return Set(R"(^ \t\x0b\f\r\n)");
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
    anchored_ = false;
    repeatable_ = false;
    return true;
  }

  bool Caret() {
    if (!options_.extended && !start_) return Plain('^');
    out_ += '^';
    repeatable_ = false;
    anchored_ = true;
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
    return Set(negated ? R"(^\n)" + set : set + R"(\x80-\xff)");
  }

  bool BracketItem(std::string& set) {
    const std::string_view rest = pattern_.substr(at_);
    if (rest.starts_with("[:")) return ClassName(rest, set);
    if (rest.starts_with("[.") || rest.starts_with("[=")) return false;
    const char c = pattern_[at_++];
    // All beyond ASCII is in the set, or not excluded by it.
    if (!IsAscii(c)) return true;
    if (!IsPlainAscii(c)) return false;
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
    // If case is ignored, those of one case match letters of both.
    set += rest.substr(0, end + 2);
    at_ += end + 2;
    return true;
  }

  static bool IsPlainAscii(char c) { return c > '\n' && IsAscii(c); }
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
  bool anchored_ = false;    // the alternative has a '^'
  bool repeatable_ = false;  // a repetition may follow
};

}  // namespace

std::optional<std::string> LooserPerlPattern(std::string_view pattern,
                                             const ExpressionOptions& options) {
  return Translator(pattern, options).Run();
}

std::optional<std::string> LooserPerlText(std::string_view text,
                                          const ExpressionOptions& options) {
  return Translator(text, options).RunPlain();
}

std::optional<std::string> LooserPerlPattern(std::string_view pattern) {
  // Assertions about the end of the text, and what cannot give back a line feed
  // that it took. '(?:' is the one group with a question mark that is neither.
  constexpr std::array<std::string_view, 14> kUnknown = {
      "(*",  "\\A", "\\z", "\\Z", "\\G", "\\K", "\\R",
      "\\X", "\\Q", "++",  "*+",  "?+",  "}+",  "[^]"};
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
      // Not the end of a range that begins with the line feed.
      if (pattern.substr(at + 1).starts_with('-')) out += '\\';
    }
  }
  return out;
}

}  // namespace zpack::search
