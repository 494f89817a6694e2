// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "date_words.h"

#include <algorithm>
#include <array>
#include <span>

namespace zpack::cli {
namespace {

// Fewer letters do not name a month, a day or, unless it is whole, a zone.
constexpr size_t kEnoughLetters = 3;
constexpr int kZoneHour = 60;  // in minutes

constexpr std::array<std::string_view, 12> kMonthWords = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};

constexpr std::array<std::string_view, 7> kWeekdayWords = {
    "sundays",   "mondays", "tuesdays", "wednesdays",
    "thursdays", "fridays", "saturdays"};

constexpr std::array<std::string_view, 10> kNumberWords = {
    "one", "two",   "three", "four", "five",
    "six", "seven", "eight", "nine", "ten"};

struct LengthWord {
  std::string_view name;
  int length;
};

constexpr std::array<LengthWord, 5> kUnitWords = {
    {{"seconds", 1},
     {"minutes", 60},
     {"hours", 60 * 60},
     {"days", 24 * 60 * 60},
     {"weeks", 7 * 24 * 60 * 60}}};

// Those of Git, in its order, in which a name stands before longer ones with
// the same beginning. That Git has other hours for some of them than people
// have now changes nothing: a date means here what it means there.
constexpr std::array<LengthWord, 44> kZoneWords = {{{"idlw", -12 * kZoneHour},
                                                    {"nt", -11 * kZoneHour},
                                                    {"cat", -10 * kZoneHour},
                                                    {"hst", -10 * kZoneHour},
                                                    {"hdt", -9 * kZoneHour},
                                                    {"yst", -9 * kZoneHour},
                                                    {"ydt", -8 * kZoneHour},
                                                    {"pst", -8 * kZoneHour},
                                                    {"pdt", -7 * kZoneHour},
                                                    {"mst", -7 * kZoneHour},
                                                    {"mdt", -6 * kZoneHour},
                                                    {"cst", -6 * kZoneHour},
                                                    {"cdt", -5 * kZoneHour},
                                                    {"est", -5 * kZoneHour},
                                                    {"edt", -4 * kZoneHour},
                                                    {"ast", -3 * kZoneHour},
                                                    {"adt", -2 * kZoneHour},
                                                    {"wat", -1 * kZoneHour},
                                                    {"gmt", 0},
                                                    {"utc", 0},
                                                    {"z", 0},
                                                    {"wet", 0},
                                                    {"bst", 1 * kZoneHour},
                                                    {"cet", 1 * kZoneHour},
                                                    {"met", 1 * kZoneHour},
                                                    {"mewt", 1 * kZoneHour},
                                                    {"mest", 2 * kZoneHour},
                                                    {"cest", 2 * kZoneHour},
                                                    {"mesz", 2 * kZoneHour},
                                                    {"fwt", 1 * kZoneHour},
                                                    {"fst", 2 * kZoneHour},
                                                    {"eet", 2 * kZoneHour},
                                                    {"eest", 3 * kZoneHour},
                                                    {"wast", 7 * kZoneHour},
                                                    {"wadt", 8 * kZoneHour},
                                                    {"cct", 8 * kZoneHour},
                                                    {"jst", 9 * kZoneHour},
                                                    {"east", 10 * kZoneHour},
                                                    {"eadt", 11 * kZoneHour},
                                                    {"gst", 10 * kZoneHour},
                                                    {"nzt", 12 * kZoneHour},
                                                    {"nzst", 12 * kZoneHour},
                                                    {"nzdt", 13 * kZoneHour},
                                                    {"idle", 12 * kZoneHour}}};

char LowerLetter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

std::optional<int> FindDateName(std::string_view text,
                                std::span<const std::string_view> names) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (MatchedLength(text, names[i]) >= kEnoughLetters) {
      return static_cast<int>(i);
    }
  }
  return std::nullopt;
}

}  // namespace

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsLetter(char c) { return LowerLetter(c) >= 'a' && LowerLetter(c) <= 'z'; }

size_t CountLetters(std::string_view text) {
  return static_cast<size_t>(std::ranges::find_if_not(text, IsLetter) -
                             text.begin());
}

size_t MatchedLength(std::string_view text, std::string_view word) {
  size_t length = 0;
  while (length < std::min(text.size(), word.size()) &&
         LowerLetter(text[length]) == word[length]) {
    ++length;
  }
  const bool ends = length == text.size() ||
                    (!IsLetter(text[length]) && !IsDigit(text[length]));
  return ends ? length : 0;
}

bool BeginsWithWord(std::string_view text, std::string_view word) {
  return MatchedLength(text, word) == word.size();
}

std::optional<int> FindMonth(std::string_view text) {
  return FindDateName(text, kMonthWords);
}

std::optional<int> FindWeekday(std::string_view text) {
  return FindDateName(text, kWeekdayWords);
}

std::optional<int> FindZone(std::string_view text) {
  for (const auto& [name, minutes] : kZoneWords) {
    if (MatchedLength(text, name) >= std::min(kEnoughLetters, name.size())) {
      return minutes;
    }
  }
  return std::nullopt;
}

std::optional<int> FindNumberName(std::string_view text) {
  for (size_t i = 0; i < kNumberWords.size(); ++i) {
    if (BeginsWithWord(text, kNumberWords[i])) return static_cast<int>(i) + 1;
  }
  return std::nullopt;
}

std::optional<int> FindUnit(std::string_view text) {
  for (const auto& [name, seconds] : kUnitWords) {
    // The singular has one letter fewer.
    if (MatchedLength(text, name) + 1 >= name.size()) return seconds;
  }
  return std::nullopt;
}

}  // namespace zpack::cli
