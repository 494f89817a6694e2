// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Random configuration files: mostly of Git's grammar, some with a byte
// changed. The same random numbers make the same file.

#pragma once

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

namespace zpack::testing {

class RandomConfiguration {
 public:
  explicit RandomConfiguration(unsigned seed) : random_(seed) {}

  std::string Next() {
    std::string text = Chance(20) ? Pick(kMarks) : "";
    for (size_t i = Below(12); i > 0; --i) AddLine(text);
    if (Chance(3)) Damage(text);
    return text;
  }

 private:
  template <size_t N>
  std::string Pick(const std::array<std::string_view, N>& from) {
    return std::string(from[Below(N)]);
  }
  size_t Below(size_t end) { return random_() % end; }
  // True once in `times`, on average.
  bool Chance(size_t times) { return Below(times) == 0; }

  void AddLine(std::string& text) {
    if (Chance(3)) text += Pick(kSpaces);
    if (Chance(4)) {
      AddSection(text);
    } else if (!Chance(6)) {
      AddEntry(text);
    } else if (!Chance(3)) {
      text += Pick(kComments);
    }
    if (!Chance(12)) text += Pick(kLineEnds);
  }

  void AddSection(std::string& text) {
    text += '[' + Pick(kNames);
    if (Chance(3)) text += '.' + Pick(kNames);
    if (Chance(2)) {
      text += Pick(kSpaces) + '"';
      for (size_t i = Below(4); i > 0; --i) text += Pick(kSubsections);
      text += '"';
    }
    text += ']';
  }

  void AddEntry(std::string& text) {
    text += Pick(kNames);
    if (Chance(5)) text += Pick(kSpaces);
    if (Chance(8)) return;
    text += '=';
    for (size_t i = Below(8); i > 0; --i) text += Pick(kValues);
  }

  void Damage(std::string& text) {
    if (text.empty()) return;
    const size_t at = Below(text.size());
    switch (Below(4)) {
      case 0:
        text.erase(at, 1 + Below(3));
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(Below(256)));
        break;
      case 2:
        text[at] = static_cast<char>(Below(256));
        break;
      default:
        text.insert(at, text.substr(Below(text.size()), 1 + Below(8)));
    }
  }

  static constexpr std::array<std::string_view, 4> kMarks = {
      "\xef\xbb\xbf", "\xef\xbb", "\xef", "\xef\xbb\xbf\xef\xbb\xbf"};
  static constexpr std::array<std::string_view, 9> kSpaces = {
      " ", "\t", "  ", "\r", " \r\t", "\v", "\f", "", "\n"};
  static constexpr std::array<std::string_view, 6> kLineEnds = {
      "\n", "\n", "\n", "\r\n", "\n\n", "\r"};
  static constexpr std::array<std::string_view, 5> kComments = {
      "#", "; [a]", "# x = y \\", ";\\", "#\"\\\""};
  static constexpr std::array<std::string_view, 10> kNames = {
      "a", "B", "core", "bare", "c-d", "x9", "9x", "-e", "Extensions", "a.b"};
  static constexpr std::array<std::string_view, 12> kSubsections = {
      "s", "T", ".",  "\\\"", "\\\\", "\\n",
      " ", "]", "\t", "#",    "=",    "\xc3\xa4"};
  static constexpr std::array<std::string_view, 26> kValues = {
      "v",        "W",          " ",   "\t",  "\r",    "\"",   "\" \"",
      "\";\"",    "\\n",        "\\t", "\\b", "\\\\",  "\\\"", "\\\n",
      "\\\r\n",   "\\\n\n",     "#",   ";",   "[x]",   "=",    "\\x",
      "\xc3\xa4", "\"a\\\nb\"", "\v",  "\f",  " \\\n "};

  std::mt19937 random_;
};

}  // namespace zpack::testing
