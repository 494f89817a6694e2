// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/expiry_date.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "calendar_day.h"

namespace zpack::cli {
namespace {

constexpr int64_t kMinute = 60;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
// Further back than any object.
constexpr int64_t kMaxCount = 1'000'000;

// The longest months and years, so that nothing expires earlier than in Git.
constexpr std::array<std::pair<std::string_view, int64_t>, 7> kUnits = {
    {{"second", 1},
     {"minute", kMinute},
     {"hour", kHour},
     {"day", kDay},
     {"week", 7 * kDay},
     {"month", 31 * kDay},
     {"year", 366 * kDay}}};

std::optional<int64_t> ParseNumber(std::string_view digits) {
  const std::string text(digits);
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end ||
      value < 0) {
    return std::nullopt;
  }
  return value;
}

// Returns the parts of `text` between any of `separators`.
std::vector<std::string_view> Split(std::string_view text,
                                    std::string_view separators) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return words;
    const size_t end =
        std::min(text.find_first_of(separators, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text = text.substr(end);
  }
}

// Parses "2.weeks.ago". Several counts add up.
std::optional<int64_t> ParseAgo(std::string_view text) {
  std::vector<std::string_view> words = Split(text, ". ");
  if (words.size() < 3 || words.size() % 2 == 0 || words.back() != "ago") {
    return std::nullopt;
  }
  int64_t seconds = 0;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    const auto count = ParseNumber(words[i]);
    std::string_view unit = words[i + 1];
    if (unit.ends_with('s')) unit.remove_suffix(1);
    const auto known = std::ranges::find(
        kUnits, unit, &std::pair<std::string_view, int64_t>::first);
    if (!count || *count > kMaxCount || known == kUnits.end()) {
      return std::nullopt;
    }
    seconds += *count * known->second;
  }
  return seconds;
}

// "12:30:00".
std::optional<std::vector<int>> ParseTimeOfDay(std::string_view text) {
  const auto words = Split(text, ":");
  if (words.size() != 3) return std::nullopt;
  std::vector<int> fields;
  for (const std::string_view word : words) {
    const auto value = ParseNumber(word);
    if (!value || word.size() != 2) return std::nullopt;
    fields.push_back(static_cast<int>(*value));
  }
  return fields;
}

// "Z" or "+0200", in seconds.
std::optional<int64_t> ParseZone(std::string_view text) {
  if (text == "Z" || text == "UTC") return 0;
  if (text.size() != 5 || (text[0] != '+' && text[0] != '-')) {
    return std::nullopt;
  }
  const auto hours = ParseNumber(text.substr(1, 2));
  const auto minutes = ParseNumber(text.substr(3, 2));
  if (!hours || !minutes || *minutes > 59) return std::nullopt;
  const int64_t offset = *hours * kHour + *minutes * kMinute;
  return text[0] == '-' ? -offset : offset;
}

// std::tm::tm_isdst of a time in the zone of the process.
int DaylightSavingAt(int64_t time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm date{};
  localtime_r(&seconds, &date);
  return date.tm_isdst;
}

// "2024-05-01" (calendar_day.h), then maybe a time of day, then maybe a zone;
// without one it is local time. Git gives a day alone the time and the daylight
// saving time of `now`: its beginning, with the latter, is never later.
std::optional<int64_t> ParseDate(std::string_view text, int64_t now) {
  const auto words = Split(text, " T");
  if (words.empty() || words.size() > 3) return std::nullopt;
  // Like Git, does not ask whether a time of day is far ahead.
  const auto alone =
      words.size() == 1 ? std::optional<int64_t>(now) : std::nullopt;
  const auto date = ParseCalendarDay(words[0], alone);
  if (!date) return std::nullopt;
  const std::chrono::year_month_day day{
      std::chrono::year(date->year),
      std::chrono::month(static_cast<unsigned>(date->month)),
      std::chrono::day(static_cast<unsigned>(date->day))};
  if (!day.ok()) return std::nullopt;
  std::vector<int> time = {0, 0, 0};
  if (words.size() > 1) {
    const auto given = ParseTimeOfDay(words[1]);
    if (!given || (*given)[0] > 23 || (*given)[1] > 59 || (*given)[2] > 60) {
      return std::nullopt;
    }
    time = *given;
  }
  if (words.size() < 3) {
    std::tm local{};
    local.tm_year = date->year - 1900;
    local.tm_mon = date->month - 1;
    local.tm_mday = date->day;
    local.tm_hour = time[0];
    local.tm_min = time[1];
    local.tm_sec = time[2];
    local.tm_isdst = words.size() == 1 ? DaylightSavingAt(now) : -1;
    return std::mktime(&local);
  }
  const auto zone = ParseZone(words[2]);
  if (!zone) return std::nullopt;
  return std::chrono::sys_days(day).time_since_epoch().count() * kDay +
         time[0] * kHour + time[1] * kMinute + time[2] - *zone;
}

}  // namespace

std::optional<int64_t> ParseExpiryDate(std::string_view text, int64_t now) {
  if (text == "now" || text == "all") return now;
  if (text == "never" || text == "false") return 0;
  if (text.starts_with('@')) return ParseNumber(text.substr(1));
  if (const auto ago = ParseAgo(text)) return std::max<int64_t>(now - *ago, 0);
  return ParseDate(text, now);
}

}  // namespace zpack::cli
