// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

namespace zpack {
namespace {

// Format characters, first and last of each range. They change the direction of
// the following text, or end a line.
constexpr std::array<std::pair<uint32_t, uint32_t>, 5> kUnsafe = {
    {{0x061c, 0x061c},
     {0x200e, 0x200f},
     {0x2028, 0x202e},
     {0x2066, 0x2069},
     {0xfeff, 0xfeff}}};

// True for characters that need no quoting, which are nearly all.
bool IsPlain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

bool IsPrintable(uint32_t point) {
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return false;
  return std::ranges::none_of(kUnsafe, [&](const auto& range) {
    return point >= range.first && point <= range.second;
  });
}

struct Character {
  size_t size = 1;  // in bytes
  bool printable = false;
  bool valid = false;
};

// The first character of `text`, which is not empty. A byte that does not begin
// valid UTF-8 counts as a character that is neither valid nor printable.
Character FirstCharacter(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text.front());
  if (lead < 0x80) return {1, IsPrintable(lead), true};
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  uint32_t point = lead & (0xffU >> (size + 1));
  for (const char c : text.substr(1, size - 1)) {
    const auto byte = static_cast<uint8_t>(c);
    if ((byte & 0xc0) != 0x80) return {};
    point = point << 6 | (byte & 0x3f);
  }
  // Refuses overlong encodings, surrogates, and code points above the last one.
  constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (point < kLeast[size] || (point >= 0xd800 && point < 0xe000) ||
      point > 0x10ffff) {
    return {};
  }
  return {size, IsPrintable(point), true};
}

void AppendEscape(char c, std::string& out) {
  constexpr std::string_view kEscaped = "\a\b\t\n\v\f\r\"\\";
  constexpr std::string_view kLetters = "abtnvfr\"\\";
  out += '\\';
  const size_t at = kEscaped.find(c);
  if (at != std::string_view::npos) {
    out += kLetters[at];
  } else {
    fmt::format_to(std::back_inserter(out), "{:03o}", static_cast<uint8_t>(c));
  }
}

}  // namespace

std::string QuoteName(std::string_view name, size_t max_size,
                      BeyondAscii beyond_ascii) {
  if (name.size() <= max_size && std::ranges::all_of(name, IsPlain)) {
    return std::string(name);
  }
  std::string quoted;
  bool escaped = false;
  size_t at = 0;
  while (at < name.size()) {
    const Character next = FirstCharacter(name.substr(at));
    if (next.size > max_size - at) break;
    const std::string_view bytes = name.substr(at, next.size);
    at += next.size;
    if (next.printable && bytes != "\"" && bytes != "\\" &&
        (next.size == 1 || beyond_ascii == BeyondAscii::kKeep)) {
      quoted += bytes;
      continue;
    }
    escaped = true;
    for (const char c : bytes) AppendEscape(c, quoted);
  }
  if (escaped) quoted = '"' + quoted + '"';
  if (at < name.size()) quoted += "...";
  return quoted;
}

std::string EscapeUnprintable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character next = FirstCharacter(text);
    const std::string_view bytes = text.substr(0, next.size);
    text.remove_prefix(next.size);
    if (next.printable || bytes == "\n" || bytes == "\t") {
      out += bytes;
    } else {
      for (const char c : bytes) AppendEscape(c, out);
    }
  }
  return out;
}

bool IsUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const Character next = FirstCharacter(bytes);
    if (!next.valid) return false;
    bytes.remove_prefix(next.size);
  }
  return true;
}

std::string QuoteForShell(std::string_view text) {
  std::string word = "'";
  for (const char c : EscapeUnprintable(text)) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + '\'';
}

}  // namespace zpack
