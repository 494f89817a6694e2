// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/wild_match.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cctype>
#include <vector>

#include "base/ascii.h"

namespace zpack {
namespace {

using CharacterSet = std::bitset<256>;

constexpr unsigned kAscii = 128;

uint8_t ToByte(char c) { return static_cast<uint8_t>(c); }
bool IsLower(unsigned c) { return c >= 'a' && c <= 'z'; }

// What one token of a pattern matches.
enum class TokenKind : uint8_t {
  kSet,   // one character of `characters`
  kStar,  // any number of them
  kFork,  // nothing; the two tokens that follow may be left out
};

struct Token {
  TokenKind kind;
  CharacterSet characters;
};

// The characters of a class such as 'alpha'. False if there is no such class.
bool AddNamedClass(std::string_view name, CharacterSet& set) {
  struct NamedClass {
    std::string_view name;
    int (*contains)(int);
  };
  constexpr std::array<NamedClass, 12> kClasses = {{{"alnum", std::isalnum},
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
  const auto at = std::ranges::find(kClasses, name, &NamedClass::name);
  if (at == kClasses.end()) return false;
  for (unsigned c = 0; c < kAscii; ++c) {
    if (at->contains(static_cast<int>(c)) != 0) set.set(c);
  }
  return true;
}

// Turns a pattern into tokens. A part that is malformed matches nothing.
class Compiler {
 public:
  Compiler(std::string_view pattern, LetterCase letters, Slashes slashes)
      : pattern_(pattern),
        fold_(letters == LetterCase::kIgnore),
        plain_(slashes == Slashes::kPlain),
        any_(plain_ ? ~CharacterSet() : ~CharacterSet().set('/')) {}

  std::vector<Token> Compile() {
    while (position_ < pattern_.size()) {
      const char c = pattern_[position_];
      if (c == '*') {
        AddStar();
        continue;
      }
      ++position_;
      Token token{TokenKind::kSet, {}};
      if (c == '?') {
        token.characters = any_;
      } else if (c == '[') {
        token.characters = TakeSet();
      } else if (c != '\\') {
        token.characters.set(ToByte(fold_ ? ToLower(c) : c));
      } else if (position_ < pattern_.size()) {
        token.characters.set(ToByte(pattern_[position_++]));
      }
      tokens_.push_back(token);
    }
    return std::move(tokens_);
  }

 private:
  void AddStar() {
    const size_t begin = position_;
    position_ =
        std::min(pattern_.find_first_not_of('*', begin), pattern_.size());
    const std::string_view rest = pattern_.substr(position_);
    const bool crosses =
        !plain_ && position_ - begin > 1 &&
        (begin == 0 || pattern_[begin - 1] == '/') &&
        (rest.empty() || rest.starts_with('/') || rest.starts_with("\\/"));
    // '**' and the slash after it together may match nothing.
    if (crosses && rest.starts_with('/')) {
      tokens_.push_back({TokenKind::kFork, {}});
    }
    tokens_.push_back({TokenKind::kStar, crosses ? ~CharacterSet() : any_});
  }

  // The set in brackets whose first bracket was taken.
  CharacterSet TakeSet() {
    CharacterSet set;
    const bool negated = Peek() == '!' || Peek() == '^';
    if (negated) ++position_;
    unsigned previous = 0;  // the begin of a range, or 0
    do {
      if (position_ == pattern_.size() || !TakeMember(previous, set)) {
        position_ = pattern_.size();
        return {};
      }
    } while (Peek() != ']');
    ++position_;
    if (negated) set.flip();
    return set & any_;
  }

  // Adds the next member of a set. False if it is malformed.
  bool TakeMember(unsigned& previous, CharacterSet& set) {
    char c = pattern_[position_++];
    const char next = Peek();
    if (c == '-' && previous != 0 && position_ < pattern_.size() &&
        next != ']') {
      ++position_;
      c = next;
      if (c == '\\' && !TakeEscaped(c)) return false;
      AddRange(previous, ToByte(c), set);
      previous = 0;
      return true;
    }
    if (c == '[' && next == ':') {
      const size_t begin = position_ + 1;
      const size_t end = pattern_.find(']', begin);
      if (end == std::string_view::npos) return false;
      if (end > begin && pattern_[end - 1] == ':') {
        position_ = end + 1;
        previous = 0;
        return AddClass(pattern_.substr(begin, end - 1 - begin), set);
      }
    }
    if (c == '\\' && !TakeEscaped(c)) return false;
    set.set(ToByte(c));
    previous = ToByte(c);
    return true;
  }

  bool TakeEscaped(char& c) {
    if (position_ == pattern_.size()) return false;
    c = pattern_[position_++];
    return true;
  }

  void AddRange(unsigned begin, unsigned end, CharacterSet& set) const {
    for (unsigned c = begin; c <= end; ++c) set.set(c);
    if (fold_) AddLowerOfUpper(begin, end, set);
  }

  bool AddClass(std::string_view name, CharacterSet& set) const {
    if (!AddNamedClass(name, set)) return false;
    if (fold_ && name == "upper") AddLowerOfUpper('A', 'Z', set);
    return true;
  }

  static void AddLowerOfUpper(unsigned begin, unsigned end, CharacterSet& set) {
    constexpr unsigned kDistance = 'a' - 'A';
    for (unsigned c = begin; c <= end; ++c) {
      if (IsLower(c + kDistance)) set.set(c + kDistance);
    }
  }

  // Zero at the end.
  char Peek() const {
    return position_ < pattern_.size() ? pattern_[position_] : '\0';
  }

  std::string_view pattern_;
  bool fold_;
  bool plain_;        // a slash is a character like any other
  CharacterSet any_;  // what '?' matches
  size_t position_ = 0;
  std::vector<Token> tokens_;
};

// Adds the positions that are reached without a character.
void AddSkips(const std::vector<Token>& tokens, std::vector<bool>& reached) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!reached[i] || tokens[i].kind == TokenKind::kSet) continue;
    reached[i + 1] = true;
    if (tokens[i].kind == TokenKind::kFork) reached[i + 3] = true;
  }
}

}  // namespace

bool WildMatch(std::string_view pattern, std::string_view text,
               LetterCase letters, Slashes slashes) {
  const std::vector<Token> tokens =
      Compiler(pattern, letters, slashes).Compile();
  // The positions in `tokens` at which the rest of the text may begin.
  std::vector<bool> reached(tokens.size() + 1);
  reached[0] = true;
  AddSkips(tokens, reached);
  for (const char c : text) {
    const uint8_t byte =
        ToByte(letters == LetterCase::kIgnore ? ToLower(c) : c);
    std::vector<bool> next(tokens.size() + 1);
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (!reached[i] || !tokens[i].characters.test(byte)) continue;
      next[tokens[i].kind == TokenKind::kSet ? i + 1 : i] = true;
    }
    AddSkips(tokens, next);
    reached = std::move(next);
  }
  return reached.back();
}

}  // namespace zpack
