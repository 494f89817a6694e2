// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "percent_code.h"

#include <fmt/format.h>

#include <charconv>

namespace zpack::cli {

std::string PercentDecode(std::string_view text, Plus plus) {
  std::string decoded;
  while (!text.empty()) {
    if (text.front() == '%' && text.size() >= 3) {
      const std::string_view digits = text.substr(1, 2);
      unsigned char byte = 0;
      const auto [end, error] =
          std::from_chars(digits.begin(), digits.end(), byte, 16);
      if (error == std::errc() && end == digits.end()) {
        decoded += static_cast<char>(byte);
        text.remove_prefix(3);
        continue;
      }
    }
    const bool space = text.front() == '+' && plus == Plus::kSpace;
    decoded += space ? ' ' : text.front();
    text.remove_prefix(1);
  }
  return decoded;
}

std::string PercentEncode(std::string_view path) {
  constexpr std::string_view kStays =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string encoded;
  for (const char c : path) {
    if (kStays.contains(c)) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace zpack::cli
