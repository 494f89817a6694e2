// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/alternates_list.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace zpack {
namespace {

// Removes three octal digits from `rest`. Nothing if they are not the number of
// a byte.
std::optional<char> TakeOctal(std::string_view& rest) {
  const std::string_view digits = rest.substr(0, 3);
  unsigned value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (error != std::errc() || end != digits.data() + 3 || value > 255) {
    return std::nullopt;
  }
  rest.remove_prefix(3);
  return static_cast<char>(value);
}

// Removes the rest of an escape sequence, after the backslash.
std::optional<char> TakeEscaped(std::string_view& rest) {
  constexpr std::string_view kLetters = "abtnvfr\"\\";
  constexpr std::string_view kValues = "\a\b\t\n\v\f\r\"\\";
  if (rest.empty()) return std::nullopt;
  const size_t letter = kLetters.find(rest.front());
  if (letter == std::string_view::npos) return TakeOctal(rest);
  rest.remove_prefix(1);
  return kValues[letter];
}

// Removes a quoted path, which may hold line feeds, with its quotes. Nothing,
// and no change, if the quotes are malformed.
std::optional<std::string> TakeQuotedPath(std::string_view& text) {
  std::string_view rest = text;
  if (!rest.starts_with('"')) return std::nullopt;
  rest.remove_prefix(1);
  std::string path;
  while (!rest.empty()) {
    const char next = rest.front();
    rest.remove_prefix(1);
    if (next == '"') {
      text = rest;
      return path;
    }
    const auto byte = next == '\\' ? TakeEscaped(rest) : std::optional(next);
    if (!byte) return std::nullopt;
    path += *byte;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> ParseAlternates(std::string_view text) {
  std::vector<std::string> paths;
  text = text.substr(0, text.find('\0'));
  while (!text.empty()) {
    std::optional<std::string> path = TakeQuotedPath(text);
    if (!path) {
      const std::string_view line = text.substr(0, text.find('\n'));
      path = line.starts_with('#') ? "" : line;
      text.remove_prefix(line.size());
    }
    // The byte after the path ends it, whatever it is.
    text.remove_prefix(std::min<size_t>(text.size(), 1));
    // A path in quotes may hold zero bytes, which end it.
    path->resize(std::min(path->size(), path->find('\0')));
    if (!path->empty()) paths.push_back(*std::move(path));
  }
  return paths;
}

}  // namespace zpack
