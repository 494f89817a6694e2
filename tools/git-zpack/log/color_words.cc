// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/color_words.h"

#include <fmt/format.h>
#include <strings.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <set>
#include <utility>

#include "log/text_width.h"

namespace zpack::cli {
namespace {

// The numbers of a color in the foreground; empty for the usual one.
struct ColorCode {
  std::string foreground;
  std::string background;
};

bool IsWord(std::string_view word, std::string_view name) {
  return word.size() == name.size() &&
         strncasecmp(word.data(), name.data(), name.size()) == 0;
}

ColorCode SimpleColor(int number) {
  return {fmt::format("{}", number), fmt::format("{}", number + 10)};
}

ColorCode ExtendedColor(const std::string& code) {
  return {"38;" + code, "48;" + code};
}

std::optional<ColorCode> RgbColor(std::string_view digits) {
  const size_t width = digits.size() / 3;
  std::string code = "2";
  for (size_t i = 0; i < 3; ++i) {
    std::string part(digits.substr(i * width, width));
    if (width == 1) part += part;
    unsigned value = 0;
    const auto [end, error] =
        std::from_chars(part.data(), part.data() + part.size(), value, 16);
    if (error != std::errc() || end != part.data() + part.size()) {
      return std::nullopt;
    }
    code += fmt::format(";{}", value);
  }
  return ExtendedColor(code);
}

std::optional<ColorCode> ColorByNumber(std::string_view word) {
  int number = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < -1 ||
      number > 255) {
    return std::nullopt;
  }
  if (number < 0) return ColorCode{};
  if (number < 8) return SimpleColor(30 + number);
  if (number < 16) return SimpleColor(90 + number - 8);
  return ExtendedColor(fmt::format("5;{}", number));
}

std::optional<ColorCode> ColorByWord(std::string_view word) {
  constexpr std::array<std::string_view, 8> kNames = {
      "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
  if (IsWord(word, "normal")) return ColorCode{};
  if ((word.size() == 7 || word.size() == 4) && word.front() == '#') {
    if (const auto color = RgbColor(word.substr(1))) return color;
  }
  if (IsWord(word, "default")) return SimpleColor(39);
  const bool bright = IsWord(word.substr(0, 6), "bright");
  const std::string_view name = bright ? word.substr(6) : word;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (IsWord(name, kNames[i])) {
      return SimpleColor((bright ? 90 : 30) + static_cast<int>(i));
    }
  }
  return ColorByNumber(word);
}

std::optional<int> AttributeByWord(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::pair<int, int>>, 7>
      kTextAttributes = {{{"bold", {1, 22}},
                          {"dim", {2, 22}},
                          {"italic", {3, 23}},
                          {"ul", {4, 24}},
                          {"blink", {5, 25}},
                          {"reverse", {7, 27}},
                          {"strike", {9, 29}}}};
  const bool off = word.starts_with("no");
  if (off) word.remove_prefix(word.starts_with("no-") ? 3 : 2);
  for (const auto& [name, codes] : kTextAttributes) {
    if (word == name) return off ? codes.second : codes.first;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ColorSequence(std::string_view words) {
  bool reset = false;
  std::optional<ColorCode> foreground;
  std::optional<ColorCode> background;
  std::set<int> attributes;
  while (true) {
    while (!words.empty() && IsGitSpace(words.front())) words.remove_prefix(1);
    if (words.empty()) break;
    size_t size = 0;
    while (size < words.size() && !IsGitSpace(words[size])) ++size;
    const std::string_view word = words.substr(0, size);
    words.remove_prefix(size);
    if (IsWord(word, "reset")) {
      reset = true;
    } else if (const auto color = ColorByWord(word)) {
      if (background) return std::nullopt;
      (foreground ? background : foreground) = color;
    } else if (const auto attribute = AttributeByWord(word)) {
      attributes.insert(*attribute);
    } else {
      return std::nullopt;
    }
  }
  std::string codes;
  const auto add = [&](const std::string& code) {
    if (code.empty()) return;
    if (!codes.empty() || reset) codes += ';';
    codes += code;
  };
  for (const int attribute : attributes) add(fmt::format("{}", attribute));
  if (foreground) add(foreground->foreground);
  if (background) add(background->background);
  if (codes.empty() && !reset) return "";
  return "\033[" + codes + 'm';
}

}  // namespace zpack::cli
