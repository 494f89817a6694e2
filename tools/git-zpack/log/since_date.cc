// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/since_date.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "calendar_day.h"

namespace zpack::cli {
namespace {

constexpr int64_t kSecondsOfDay = 24 * 60 * 60;
constexpr std::array<std::string_view, 12> kMonthWords = {
    "jan", "feb", "mar", "apr", "may", "jun",
    "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdayWords = {
    "sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::array<std::string_view, 11> kNumberWords = {
    "zero", "one",   "two",   "three", "four", "five",
    "six",  "seven", "eight", "nine",  "ten"};
constexpr std::array<std::pair<std::string_view, int64_t>, 5> kFixedUnits = {
    {{"second", 1},
     {"minute", 60},
     {"hour", 60 * 60},
     {"day", kSecondsOfDay},
     {"week", 7 * kSecondsOfDay}}};
// The hours that have names.
constexpr std::array<std::pair<std::string_view, int>, 3> kHourWords = {
    {{"midnight", 0}, {"noon", 12}, {"tea", 17}}};
// Such words as years and days that nobody means.
constexpr int64_t kMostCounted = 100'000'000;

std::optional<int64_t> DecimalNumber(std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      value < 0) {
    return std::nullopt;
  }
  return value;
}

// Like Git, takes so long a number for seconds since 1970, up to the year 2099.
std::optional<int64_t> LongSeconds(std::string_view digits) {
  constexpr int64_t kYear2100 = 4'102'444'800;
  const auto number = DecimalNumber(digits);
  return number >= kMostCounted && number < kYear2100 ? number : std::nullopt;
}

std::vector<std::string> WordsOf(std::string_view text,
                                 std::string_view separators) {
  std::vector<std::string> words;
  while (true) {
    const size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return words;
    const size_t end =
        std::min(text.find_first_of(separators, begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    for (char& c : words.back()) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    text.remove_prefix(end);
  }
}

std::tm LocalDate(int64_t time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm date{};
  localtime_r(&seconds, &date);
  return date;
}

// Like Git, goes back by months and years of the calendar.
bool GoBack(int64_t count, std::string_view unit, int64_t& time) {
  if (unit.ends_with('s')) unit.remove_suffix(1);
  for (const auto& [name, seconds] : kFixedUnits) {
    if (unit != name) continue;
    time -= count * seconds;
    return true;
  }
  constexpr int64_t kMostYears = 10'000;
  if ((unit != "month" && unit != "year") || count > kMostYears) return false;
  std::tm date = LocalDate(time);
  const int64_t months = date.tm_mon - (unit == "month" ? count : 0);
  const int64_t years =
      (months < 0 ? (months - 11) / 12 : 0) - (unit == "year" ? count : 0);
  date.tm_mon = static_cast<int>((months % 12 + 12) % 12);
  date.tm_year += static_cast<int>(years);
  time = std::mktime(&date);
  return true;
}

// "3 days ago", "2.weeks.3.days", "last week", "a" is not a number.
std::optional<int64_t> ParseRelative(const std::vector<std::string>& words,
                                     int64_t now) {
  int64_t time = now;
  int64_t count = -1;  // of the unit that follows
  bool touched = false;
  for (const std::string& word : words) {
    const auto* const name = std::ranges::find(kNumberWords, word);
    if (count >= 0) {
      if (!GoBack(count, word, time)) return std::nullopt;
      count = -1;
      touched = true;
    } else if (name != kNumberWords.end()) {
      count = name - kNumberWords.begin();
    } else if (word == "last") {
      count = 1;
    } else if (word != "ago" || !touched) {
      count = DecimalNumber(word).value_or(-1);
      if (count < 0 || count > kMostCounted) return std::nullopt;
    }
  }
  if (!touched || count >= 0) return std::nullopt;
  return time;
}

// The hour of a day, with the daylight saving time of then.
int64_t AtHour(int hour, std::tm date) {
  date.tm_hour = hour;
  date.tm_min = 0;
  date.tm_sec = 0;
  return std::mktime(&date);
}

// "noon", "noon yesterday" and "yesterday noon". Like Git, takes an hour alone
// for the last one, and goes back by 24 hours from one of today.
std::optional<int64_t> ParseHour(const std::vector<std::string>& words,
                                 int64_t now) {
  constexpr std::string_view kYesterday = "yesterday";
  if (words.empty() || words.size() > 2) return std::nullopt;
  const bool day_first = words.front() == kYesterday;
  const auto* const named =
      std::ranges::find(kHourWords, words[day_first ? words.size() - 1 : 0],
                        &std::pair<std::string_view, int>::first);
  if (named == kHourWords.end()) return std::nullopt;
  std::tm date = LocalDate(now);
  if (day_first) return AtHour(named->second, LocalDate(now - kSecondsOfDay));
  if (words.size() == 2) {
    if (words.back() != kYesterday) return std::nullopt;
    return AtHour(named->second, date) - kSecondsOfDay;
  }
  if (date.tm_hour < named->second) --date.tm_mday;
  return AtHour(named->second, date);
}

// "12:30" or "12:30:00".
bool ParseClock(const std::string& word, std::tm& date) {
  const auto parts = WordsOf(word, ":");
  if (parts.size() < 2 || parts.size() > 3) return false;
  std::array<int, 3> values = {0, 0, 0};
  constexpr std::array<int, 3> kMost = {23, 59, 60};
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto value = DecimalNumber(parts[i]);
    if (!value || *value > kMost[i] || parts[i].size() > 2) return false;
    values[i] = static_cast<int>(*value);
  }
  date.tm_hour = values[0];
  date.tm_min = values[1];
  date.tm_sec = values[2];
  return true;
}

// The time of `date` in the zone "z", "utc", "+0200" or "+02:00". Like Git,
// takes it for local time if no zone is so far away.
std::optional<int64_t> TimeInZone(std::string zone, std::tm& date) {
  if (zone == "z" || zone == "utc" || zone == "gmt") return timegm(&date);
  std::erase(zone, ':');
  if (zone.size() != 5 || (zone[0] != '+' && zone[0] != '-')) {
    return std::nullopt;
  }
  const auto number = DecimalNumber(std::string_view(zone).substr(1));
  if (!number) return std::nullopt;
  const int64_t hours = *number / 100;
  const int64_t minutes = *number % 100;
  if (hours > 23 || minutes > 59) return std::mktime(&date);
  const int64_t offset = (hours * 60 + minutes) * 60;
  return timegm(&date) - (zone[0] == '-' ? -offset : offset);
}

// Year, month and day.
bool SetDay(int64_t year, int64_t month, int64_t day, std::tm& date) {
  if (year < 1970 || year > 2099 || month < 1 || month > 12 || day < 1 ||
      day > 31) {
    return false;
  }
  date.tm_year = static_cast<int>(year - 1900);
  date.tm_mon = static_cast<int>(month - 1);
  date.tm_mday = static_cast<int>(day);
  return true;
}

// Removes "2024-05-01", or "wed, 1 may 2024", from the words.
bool TakeDay(std::vector<std::string>& words, int64_t now, std::tm& date) {
  if (words.empty()) return false;
  // Like Git, does not ask whether a time of day is far ahead.
  const auto alone =
      words.size() == 1 ? std::optional<int64_t>(now) : std::nullopt;
  if (const auto day = ParseCalendarDay(words.front(), alone); day) {
    words.erase(words.begin());
    return SetDay(day->year, day->month, day->day, date);
  }
  std::string_view weekday = words.front();
  if (weekday.ends_with(',')) weekday.remove_suffix(1);
  if (std::ranges::find(kWeekdayWords, weekday) != kWeekdayWords.end()) {
    words.erase(words.begin());
  }
  if (words.size() < 3) return false;
  const auto day = DecimalNumber(words[0]);
  const auto* const month = std::ranges::find(kMonthWords, words[1]);
  const auto year = DecimalNumber(words[2]);
  words.erase(words.begin(), words.begin() + 3);
  return day && year && month != kMonthWords.end() &&
         SetDay(*year, month - kMonthWords.begin() + 1, *day, date);
}

std::optional<int64_t> ParseDay(std::string_view text, int64_t now) {
  std::string spaced(text);
  // The 't' of ISO 8601, and a 'z' without a space.
  for (size_t i = 1; i + 1 < spaced.size(); ++i) {
    if (spaced[i] == 'T' && spaced[i - 1] >= '0' && spaced[i - 1] <= '9') {
      spaced[i] = ' ';
    }
  }
  if (spaced.ends_with('Z') && spaced.size() > 1)
    spaced.insert(spaced.size() - 1, " ");
  const size_t sign = spaced.find_first_of("+-", 11);
  if (sign != std::string::npos) spaced.insert(sign, " ");
  std::vector<std::string> words = WordsOf(spaced, " ");
  std::tm date = LocalDate(now);
  if (!TakeDay(words, now, date)) return std::nullopt;
  // Like Git, takes a day alone for one with the daylight saving time of now.
  if (words.empty()) return std::mktime(&date);
  date.tm_isdst = -1;
  if (!ParseClock(words.front(), date) || words.size() > 2) return std::nullopt;
  if (words.size() == 1) return std::mktime(&date);
  return TimeInZone(std::move(words.back()), date);
}

// Seconds since 1970, with a zone such as "+0200", which changes nothing, or so
// many that Git needs none.
std::optional<int64_t> ParseStamp(std::string_view text) {
  constexpr size_t kZoneSize = 6;  // " +0200"
  const size_t digits = std::min(text.find(' '), text.size());
  if (digits == text.size()) return LongSeconds(text);
  const std::string_view zone = text.substr(digits);
  if (zone.size() != kZoneSize || (zone[1] != '+' && zone[1] != '-') ||
      !DecimalNumber(zone.substr(2))) {
    return std::nullopt;
  }
  return DecimalNumber(text.substr(0, digits));
}

}  // namespace

std::optional<int64_t> ParseSinceDate(std::string_view text, int64_t now) {
  const std::vector<std::string> words = WordsOf(text, ". ,-_/");
  if (words.size() == 1) {
    const std::string& word = words.front();
    if (word == "now") return now;
    if (word == "never") return 0;
    if (word == "yesterday") return now - kSecondsOfDay;
    if (word == "today") return AtHour(0, LocalDate(now));
  }
  if (text.starts_with('@')) return ParseStamp(text.substr(1));
  if (DecimalNumber(text)) return LongSeconds(text);
  if (const auto hour = ParseHour(words, now); hour) return hour;
  const auto relative = ParseRelative(words, now);
  return relative ? relative : ParseDay(text, now);
}

}  // namespace zpack::cli
