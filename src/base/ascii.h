// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Characters of protocols and file formats, whatever the locale is.

#pragma once

#include <algorithm>
#include <string_view>

namespace zpack {

// The lower case of a letter of ASCII; any other character as it is.
constexpr char ToLower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool IsLetter(char c) {
  return ToLower(c) >= 'a' && ToLower(c) <= 'z';
}

// Whether the texts are equal but for the case of letters of ASCII.
constexpr bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, ToLower, ToLower);
}

constexpr bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace zpack
