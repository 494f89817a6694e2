// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "ref_patterns.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <utility>

namespace zpack::cli {
namespace {

enum class TokenKind : uint8_t {
  kText,       // one character
  kAny,        // '?': any character but a slash
  kClass,      // '[...]'
  kStar,       // '*': any number of characters but slashes
  kDeepStar,   // '**': any number of characters
  kDirectory,  // '**/': nothing, or any characters that end with a slash
};

struct Token {
  TokenKind kind = TokenKind::kText;
  char text = 0;
  // The characters that a class matches.
  std::array<bool, 256> members{};
};

size_t IndexOf(char c) { return static_cast<unsigned char>(c); }

// Adds the members of '[:<name>:]'. Returns false for an unknown name.
bool AddNamedClass(std::string_view name, std::array<bool, 256>& members) {
  using Test = int (*)(int);
  constexpr std::array<std::pair<std::string_view, Test>, 12> kClasses = {
      {{"alnum", std::isalnum},
       {"alpha", std::isalpha},
       {"blank", std::isblank},
       {"cntrl", std::iscntrl},
       {"digit", std::isdigit},
       {"graph", std::isgraph},
       {"lower", std::islower},
       {"print", std::isprint},
       {"punct", std::ispunct},
       {"space", std::isspace},
       {"upper", std::isupper},
       {"xdigit", std::isxdigit}}};
  const auto* const found = std::ranges::find(
      kClasses, name, &std::pair<std::string_view, Test>::first);
  if (found == kClasses.end()) return false;
  for (int c = 0; c < 128; ++c) {
    if (found->second(c) != 0) members[static_cast<size_t>(c)] = true;
  }
  return true;
}

// Parses what follows '[' and removes it from `rest`. Nothing if there is no
// end; Git lets such a pattern match nothing.
std::optional<Token> TakeClass(std::string_view& rest) {
  Token token;
  token.kind = TokenKind::kClass;
  const bool inverted = rest.starts_with('!') || rest.starts_with('^');
  if (inverted) rest.remove_prefix(1);
  bool first = true;
  constexpr size_t kNone = 256;
  size_t low = kNone;  // a character that a range may begin with
  while (!rest.empty() && (first || rest.front() != ']')) {
    first = false;
    if (rest.starts_with("[:")) {
      const size_t end = rest.find(":]");
      if (end == std::string_view::npos) return std::nullopt;
      if (!AddNamedClass(rest.substr(2, end - 2), token.members)) {
        return std::nullopt;
      }
      rest.remove_prefix(end + 2);
      low = kNone;
      continue;
    }
    const bool range = rest.front() == '-' && low != kNone && rest.size() > 1 &&
                       rest[1] != ']';
    if (range) rest.remove_prefix(1);
    if (rest.front() == '\\' && rest.size() > 1) rest.remove_prefix(1);
    const char c = rest.front();
    rest.remove_prefix(1);
    const size_t begin = range ? low : IndexOf(c);
    for (size_t i = begin; i <= IndexOf(c); ++i) token.members[i] = true;
    low = range ? kNone : IndexOf(c);
  }
  if (rest.empty()) return std::nullopt;
  rest.remove_prefix(1);
  for (bool& member : token.members) member = member != inverted;
  token.members[IndexOf('/')] = false;
  return token;
}

// Parses the stars at the start of `rest`. `at_start` says whether a component
// begins here.
Token TakeStars(std::string_view& rest, bool at_start) {
  const size_t stars = std::min(rest.find_first_not_of('*'), rest.size());
  rest.remove_prefix(stars);
  Token token;
  token.kind = TokenKind::kStar;
  if (stars < 2 || !at_start) return token;
  if (rest.empty()) {
    token.kind = TokenKind::kDeepStar;
  } else if (rest.front() == '/') {
    rest.remove_prefix(1);
    token.kind = TokenKind::kDirectory;
  }
  return token;
}

std::optional<std::vector<Token>> ParseGlob(std::string_view rest) {
  std::vector<Token> tokens;
  bool at_start = true;
  while (!rest.empty()) {
    const char c = rest.front();
    if (c == '*') {
      tokens.push_back(TakeStars(rest, at_start));
      at_start = tokens.back().kind == TokenKind::kDirectory;
      continue;
    }
    rest.remove_prefix(1);
    Token token;
    if (c == '?') {
      token.kind = TokenKind::kAny;
    } else if (c == '[') {
      const auto parsed = TakeClass(rest);
      if (!parsed) return std::nullopt;
      token = *parsed;
    } else if (c == '\\' && !rest.empty()) {
      token.text = rest.front();
      rest.remove_prefix(1);
    } else {
      token.text = c;
    }
    at_start = token.kind == TokenKind::kText && token.text == '/';
    tokens.push_back(token);
  }
  return tokens;
}

// Which ends of the name are reached from `from` by one token, as a set of
// positions.
std::vector<bool> Step(const Token& token, std::string_view name,
                       const std::vector<bool>& from) {
  std::vector<bool> to(name.size() + 1);
  bool open = false;  // a star began at or before this position
  for (size_t i = 0; i <= name.size(); ++i) {
    const char before = i == 0 ? 0 : name[i - 1];
    switch (token.kind) {
      case TokenKind::kText:
        to[i] = i > 0 && from[i - 1] && before == token.text;
        break;
      case TokenKind::kAny:
        to[i] = i > 0 && from[i - 1] && before != '/';
        break;
      case TokenKind::kClass:
        to[i] = i > 0 && from[i - 1] && token.members[IndexOf(before)];
        break;
      case TokenKind::kStar:
        open = (open && before != '/') || from[i];
        to[i] = open;
        break;
      case TokenKind::kDeepStar:
        open = open || from[i];
        to[i] = open;
        break;
      case TokenKind::kDirectory:
        to[i] = from[i] || (open && before == '/');
        open = open || from[i];
        break;
    }
  }
  return to;
}

bool MatchesGlob(std::string_view name, std::string_view pattern) {
  const auto tokens = ParseGlob(pattern);
  if (!tokens) return false;
  std::vector<bool> positions(name.size() + 1);
  positions[0] = true;
  for (const Token& token : *tokens) positions = Step(token, name, positions);
  return positions[name.size()];
}

bool IsWholeOrPrefix(std::string_view name, std::string_view pattern) {
  if (!name.starts_with(pattern)) return false;
  return name.size() == pattern.size() || name[pattern.size()] == '/' ||
         pattern.ends_with('/');
}

}  // namespace

bool MatchesRefPattern(std::string_view name,
                       const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns, [name](const std::string& pattern) {
    return !pattern.empty() &&
           (IsWholeOrPrefix(name, pattern) || MatchesGlob(name, pattern));
  });
}

}  // namespace zpack::cli
