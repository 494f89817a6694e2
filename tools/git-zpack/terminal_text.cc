// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "terminal_text.h"

#include <algorithm>
#include <string_view>

#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr size_t kMaxPiece = size_t{64} << 10;

// The size of `text` without an incomplete character at its end.
size_t WholeCharacters(std::string_view text) {
  constexpr size_t kMaxTrailing = 3;
  size_t begin = text.size();
  while (begin > 0 && text.size() - begin < kMaxTrailing &&
         (static_cast<unsigned char>(text[begin - 1]) & 0xc0U) == 0x80U) {
    --begin;
  }
  if (begin == 0) return text.size();
  const auto lead = static_cast<unsigned char>(text[begin - 1]);
  size_t needed = 0;  // bytes after the first one
  if (lead >= 0xf0) {
    needed = 3;
  } else if (lead >= 0xe0) {
    needed = 2;
  } else if (lead >= 0xc0) {
    needed = 1;
  }
  return text.size() - begin < needed ? begin - 1 : text.size();
}

}  // namespace

TerminalText::~TerminalText() { (void)Pass(line_.size()); }

TerminalText::int_type TerminalText::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return 0;
  const char byte = traits_type::to_char_type(c);
  return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
}

std::streamsize TerminalText::xsputn(const char* text, std::streamsize size) {
  std::string_view rest(text, static_cast<size_t>(size));
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const size_t room = kMaxPiece - line_.size();
    const bool whole = end < room;
    const size_t take = whole ? end + 1 : std::min(rest.size(), room);
    line_ += rest.substr(0, take);
    rest.remove_prefix(take);
    if (whole && !Pass(line_.size())) return 0;
    if (!whole && line_.size() == kMaxPiece && !Pass(WholeCharacters(line_))) {
      return 0;
    }
  }
  return size;
}

int TerminalText::sync() {
  if (!Pass(WholeCharacters(line_))) return -1;
  out_.flush();
  return out_ ? 0 : -1;
}

std::string TerminalText::Escaped(std::string_view text) const {
  if (colors_ == Colors::kEscape) return EscapeUnprintable(text);
  constexpr std::string_view kBegin = "\033[";
  std::string escaped;
  while (!text.empty()) {
    size_t begin = text.find(kBegin);
    size_t end = begin;
    while (begin != std::string_view::npos) {
      end = std::min(text.find_first_not_of("0123456789;", begin + 2),
                     text.size());
      if (end < text.size() && text[end] == 'm') break;
      begin = text.find(kBegin, begin + 1);
    }
    escaped += EscapeUnprintable(text.substr(0, begin));
    if (begin == std::string_view::npos) break;
    escaped += text.substr(begin, end + 1 - begin);
    text.remove_prefix(end + 1);
  }
  return escaped;
}

bool TerminalText::Pass(size_t size) {
  if (size == 0) return true;
  out_ << Escaped(std::string_view(line_).substr(0, size));
  line_.erase(0, size);
  return static_cast<bool>(out_);
}

}  // namespace zpack::cli
