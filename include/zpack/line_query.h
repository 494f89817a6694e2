// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which lines a search wants, and what it finds. Plain values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace zpack {

enum class PatternSyntax : uint8_t {
  kBasic,     // POSIX basic regular expressions, as grep(1) has them
  kExtended,  // POSIX extended regular expressions
  kFixed,     // plain text
  kPerl,      // PCRE2
};

// A word of an expression. Patterns that follow each other mean any of them;
// kAnd binds more tightly, and kNot more tightly than that.
struct QueryToken {
  enum class Kind : uint8_t { kPattern, kAnd, kNot, kOpen, kClose };
  Kind kind = Kind::kPattern;
  std::string pattern = {};
  // Where the pattern is from, for messages: "-e option".
  std::string origin = {};
};

// As the options of git-grep(1). Like Git, a pattern is split at line feeds,
// and the locale of the process says what letters are.
struct LineQuery {
  std::vector<QueryToken> tokens;
  PatternSyntax syntax = PatternSyntax::kBasic;
  bool ignore_case = false;
  bool words = false;      // only matches at word boundaries
  bool invert = false;     // lines that do not match
  bool all_match = false;  // only files in which each alternative matches
};

// A line of a text: its bytes without the line feed, and its number from 1.
struct MatchingLine {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t number = 0;

  bool operator==(const MatchingLine&) const = default;
};

// A part of a line that matches.
struct MatchSpan {
  size_t begin = 0;
  size_t end = 0;

  bool operator==(const MatchSpan&) const = default;
};

}  // namespace zpack
