// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/text_width.h"

#include <clocale>
#include <cstdint>
#include <cwchar>

#include "zpack/quote.h"

namespace zpack::cli {
namespace {

// Like Git, counts a character that is not known as one column.
int WidthOf(char32_t c) {
  if (c == 0) return 0;
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return -1;
  if (c < 0x7f) return 1;
  // Of the C library, whatever the locale of the program is.
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (utf8 == nullptr) return 1;
  const locale_t old = uselocale(utf8);
  const int width = wcwidth(static_cast<wchar_t>(c));
  uselocale(old);
  return width < 0 ? 1 : width;
}

}  // namespace

// Like Git, does not take U+FFFE and U+FFFF for characters.
std::optional<WideCharacter> FirstCharacter(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(text[at]); };
  const uint8_t lead = byte(0);
  const size_t size = lead >= 0xf0   ? 4
                      : lead >= 0xe0 ? 3
                      : lead >= 0x80 ? 2
                                     : 1;
  if (text.size() < size || !IsUtf8(text.substr(0, size))) return std::nullopt;
  char32_t value = size == 1 ? lead : lead & (0xff >> (size + 1));
  for (size_t i = 1; i < size; ++i) value = value << 6 | (byte(i) & 0x3f);
  if (value == 0xfffe || value == 0xffff) return std::nullopt;
  return WideCharacter{size, WidthOf(value)};
}

size_t ColorSequenceSize(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end < text.size() && text[end] == 'm' ? end + 1 : 0;
}

size_t TextWidth(std::string_view text) {
  size_t width = 0;
  for (std::string_view rest = text; !rest.empty();) {
    if (const size_t skipped = ColorSequenceSize(rest); skipped > 0) {
      rest.remove_prefix(skipped);
      continue;
    }
    const auto character = FirstCharacter(rest);
    if (!character) return text.size();
    if (character->width > 0) width += static_cast<size_t>(character->width);
    rest.remove_prefix(character->size);
  }
  return width;
}

std::optional<size_t> PlainTextWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const auto character = FirstCharacter(text);
    if (!character || character->width < 0) return std::nullopt;
    width += static_cast<size_t>(character->width);
    text.remove_prefix(character->size);
  }
  return width;
}

std::string ReplaceColumns(const std::string& text, ptrdiff_t first,
                           ptrdiff_t columns, std::string_view by) {
  std::string replaced;
  ptrdiff_t column = 0;
  for (std::string_view rest = text; !rest.empty();) {
    if (const size_t skipped = ColorSequenceSize(rest); skipped > 0) {
      replaced += rest.substr(0, skipped);
      rest.remove_prefix(skipped);
      continue;
    }
    const auto character = FirstCharacter(rest);
    if (!character) return text;
    const bool visible = character->width > 0;
    if (visible && column >= first && column < first + columns) {
      replaced += by;
      by = {};
    } else {
      replaced += rest.substr(0, character->size);
    }
    if (visible) column += character->width;
    rest.remove_prefix(character->size);
  }
  return replaced;
}

}  // namespace zpack::cli
