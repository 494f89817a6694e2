// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/configuration_parser.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/error.h"

namespace zpack {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// White space as Git sees it, without form feed and vertical tab.
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Git's strings end at the first zero byte.
std::string CutAtZero(std::string text) {
  if (const size_t zero = text.find('\0'); zero != std::string::npos) {
    text.resize(zero);
  }
  return text;
}

// The functions that return false have met text that Git refuses.
class Parser {
 public:
  Parser(std::string_view text, std::string_view path,
         const ConfigVisitor& visit)
      : text_(text), path_(path), visit_(visit) {}

  Status Parse() {
    SkipByteOrderMark();
    while (good_ && !at_end_) {
      const char c = Next();
      if (IsSpace(c)) continue;
      if (c == '#' || c == ';') {
        SkipComment();
      } else if (c == '[') {
        section_.clear();
        good_ = ParseSection() && !section_.empty();
        section_ += '.';
      } else if (IsLetter(c)) {
        ZPACK_TRY(ParseEntry(c));
      } else {
        good_ = false;
      }
    }
    if (good_) return {};
    return MakeError(ErrorCode::kGit, "bad config line {} in file '{}'", line_,
                     AtPath{path_});
  }

 private:
  // The next character. A carriage return before a line feed is skipped. The
  // end of the text counts as the end of a line.
  char Next() {
    if (position_ == text_.size()) {
      at_end_ = true;
      ++line_;
      return '\n';
    }
    char c = text_[position_++];
    if (c == '\r' && position_ < text_.size() && text_[position_] == '\n') {
      c = text_[position_++];
    }
    if (c == '\n') ++line_;
    return c;
  }

  // A part of the mark is an error.
  void SkipByteOrderMark() {
    if (!text_.starts_with(kByteOrderMark.front())) return;
    good_ = std::ranges::all_of(kByteOrderMark,
                                [this](char c) { return Next() == c; });
  }

  void SkipComment() {
    while (Next() != '\n') {
    }
  }

  // The error is in the line whose end was just read.
  bool FailBeforeLineEnd() {
    --line_;
    return false;
  }

  // The rest of '[section]', '[section "subsection"]' or the older form
  // '[section.subsection]', which is in lower case.
  bool ParseSection() {
    while (true) {
      const char c = Next();
      if (at_end_) return false;
      if (c == ']') return true;
      if (IsSpace(c)) return ParseSubsection(c);
      if (!IsConfigKeyCharacter(c) && c != '.') return false;
      section_ += ToLower(c);
    }
  }

  // `c` is the space after the name of the section.
  bool ParseSubsection(char c) {
    while (IsSpace(c)) {
      if (c == '\n') return FailBeforeLineEnd();
      c = Next();
    }
    if (c != '"') return false;
    section_ += '.';
    for (c = Next(); c != '"'; c = Next()) {
      if (c == '\\') c = Next();
      if (c == '\n') return FailBeforeLineEnd();
      section_ += c;
    }
    return Next() == ']';
  }

  // `first` is the first character of the key.
  Status ParseEntry(char first) {
    ConfigEntry entry{section_ + ToLower(first), std::nullopt};
    char c = Next();
    for (; !at_end_ && IsConfigKeyCharacter(c); c = Next()) {
      entry.name += ToLower(c);
    }
    while (c == ' ' || c == '\t') c = Next();
    if (c != '\n') {
      good_ = c == '=' && ParseValue(entry.value.emplace());
      if (!good_) return {};
      entry.value = CutAtZero(*std::move(entry.value));
    }
    bytes_ += entry.name.size() + (entry.value ? entry.value->size() : 0);
    if (bytes_ > kMaxConfigurationBytes) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "config file is too large: '{}'", AtPath{path_});
    }
    entry.name = CutAtZero(std::move(entry.name));
    return visit_(std::move(entry));
  }

  bool ParseValue(std::string& value) {
    bool quoted = false;
    // The length without the white space at the end. Zero if there is none.
    size_t trimmed = 0;
    while (true) {
      char c = Next();
      if (c == '\n') {
        if (quoted) return FailBeforeLineEnd();
        if (trimmed != 0) value.resize(trimmed);
        return true;
      }
      if (!quoted && IsSpace(c)) {
        if (trimmed == 0) trimmed = value.size();
        if (!value.empty()) value += c;
        continue;
      }
      if (!quoted && (c == ';' || c == '#')) {
        SkipComment();
        if (trimmed != 0) value.resize(trimmed);
        return true;
      }
      trimmed = 0;
      if (c == '"') {
        quoted = !quoted;
      } else if (c != '\\') {
        value += c;
      } else if (!ParseEscape(value)) {
        return false;
      }
    }
  }

  // What follows a backslash. A line feed continues the value in the next line.
  bool ParseEscape(std::string& value) {
    const char c = Next();
    switch (c) {
      case '\n':
        return true;
      case 't':
        value += '\t';
        return true;
      case 'b':
        value += '\b';
        return true;
      case 'n':
        value += '\n';
        return true;
      case '\\':
      case '"':
        value += c;
        return true;
      default:
        return false;
    }
  }

  std::string_view text_;
  std::string_view path_;
  const ConfigVisitor& visit_;
  size_t position_ = 0;
  uint64_t line_ = 1;
  uint64_t bytes_ = 0;   // of names and values so far
  bool at_end_ = false;  // Next() has returned the end of the text
  bool good_ = true;     // the text has followed the grammar so far
  std::string section_;  // with the dot at its end, or empty
};

}  // namespace

bool IsConfigKeyCharacter(char c) {
  return IsLetter(c) || IsDigit(c) || c == '-';
}

Status ParseConfiguration(std::string_view text, std::string_view path,
                          const ConfigVisitor& visit) {
  return Parser(text, path, visit).Parse();
}

}  // namespace zpack
