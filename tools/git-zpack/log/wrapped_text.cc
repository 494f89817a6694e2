// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/wrapped_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "log/text_width.h"

namespace zpack::cli {
namespace {

constexpr bool IsAsciiAlnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

class TextWrapper {
 public:
  enum class Units : uint8_t { kCharacters, kBytes };

  TextWrapper(std::string_view text, const Wrapping& wrapping, Units units)
      : text_(text), wrapping_(wrapping), units_(units) {}

  // False if the text is not UTF-8.
  bool Run();
  std::string& out() { return out_; }

 private:
  char At(size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  void BeginLine(size_t from, size_t indent);
  // After a word. False at the end of the text.
  bool EndWord();
  void BreakLine();

  const std::string_view text_;
  const Wrapping wrapping_;
  const Units units_;
  std::string out_;
  size_t at_ = 0;
  size_t line_ = 0;              // where the line begins
  std::optional<size_t> space_;  // where it may be broken; all before is out
  size_t indent_ = 0;
  size_t column_ = 0;
};

void TextWrapper::BeginLine(size_t from, size_t indent) {
  at_ = from;
  line_ = from;
  space_.reset();
  indent_ = indent;
  column_ = indent;
}

void TextWrapper::BreakLine() {
  out_ += '\n';
  BeginLine(*space_ + (IsGitSpace(At(*space_)) ? 1 : 0),
            wrapping_.other_indent);
}

bool TextWrapper::EndWord() {
  const bool end = at_ >= text_.size();
  if (column_ > wrapping_.width && space_) {
    BreakLine();
    return true;
  }
  if (end && at_ == line_) return false;
  if (!space_) out_.append(indent_, ' ');
  const size_t from = space_.value_or(line_);
  out_ += text_.substr(from, at_ - from);
  if (end) return false;
  space_ = at_;
  if (At(at_) == '\t') column_ |= 7;
  if (At(at_) == '\n') {
    // An empty line stays, and so does a line before one that is no word.
    ++*space_;
    const char next = At(*space_);
    if (next == '\n') out_ += '\n';
    if (!IsAsciiAlnum(next)) {
      BreakLine();
      return true;
    }
    out_ += ' ';
  }
  ++column_;
  ++at_;
  return true;
}

bool TextWrapper::Run() {
  BeginLine(0, wrapping_.first_indent);
  while (true) {
    at_ += ColorSequenceSize(text_.substr(std::min(at_, text_.size())));
    if (at_ >= text_.size() || IsGitSpace(At(at_))) {
      if (!EndWord()) return true;
      continue;
    }
    if (units_ == Units::kBytes) {
      ++column_;
      ++at_;
      continue;
    }
    const auto character = FirstCharacter(text_.substr(at_));
    if (!character) return false;
    column_ += static_cast<size_t>(character->width);
    at_ += character->size;
  }
}

std::string IndentText(std::string_view text, const Wrapping& wrapping) {
  std::string out;
  size_t indent = wrapping.first_indent;
  while (!text.empty()) {
    const size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    out.append(indent, ' ');
    out += text.substr(0, size);
    text.remove_prefix(size);
    indent = wrapping.other_indent;
  }
  return out;
}

}  // namespace

std::string WrapText(std::string_view text, const Wrapping& wrapping) {
  text = text.substr(0, text.find('\0'));
  if (wrapping.width == 0) return IndentText(text, wrapping);
  TextWrapper characters(text, wrapping, TextWrapper::Units::kCharacters);
  if (characters.Run()) return std::move(characters.out());
  TextWrapper bytes(text, wrapping, TextWrapper::Units::kBytes);
  bytes.Run();
  return std::move(bytes.out());
}

}  // namespace zpack::cli
