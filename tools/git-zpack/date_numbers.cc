// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "date_numbers.h"

#include <algorithm>
#include <limits>

#include "date_words.h"

namespace zpack::cli {
namespace {

struct NumberGroup {
  char separator = 0;
  int64_t one = 0;
  int64_t two = 0;
  int64_t three = kUnknownField;
  size_t length = 0;
};

// Whether a number follows `separator`, with which `text` begins.
bool GoesOn(std::string_view text, char separator) {
  return text.size() > 1 && text[0] == separator && IsDigit(text[1]);
}

// Takes ":30" of ":30:15".
int64_t TakeNumber(std::string_view& text) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  const LeadingDigits digits = ReadDigits(text.substr(1));
  text.remove_prefix(1 + digits.length);
  return static_cast<int64_t>(std::min(digits.value, kMost));
}

std::optional<NumberGroup> ReadGroup(std::string_view text) {
  const LeadingDigits first = ReadDigits(text);
  std::string_view rest = text.substr(first.length);
  constexpr std::string_view kSeparators = ":-/.";
  if (rest.empty() || !kSeparators.contains(rest[0]) ||
      !GoesOn(rest, rest[0])) {
    return std::nullopt;
  }
  NumberGroup group{.separator = rest[0],
                    .one = static_cast<int64_t>(first.value)};
  group.two = TakeNumber(rest);
  if (GoesOn(rest, group.separator)) group.three = TakeNumber(rest);
  group.length = text.size() - rest.size();
  return group;
}

// In years since 1900.
std::optional<int> YearOf(int year) {
  if (year >= 1970 && year < 2100) return year - 1900;
  if (year > 70 && year < 100) return year;
  if (year < 38) return year + 100;
  return std::nullopt;
}

bool IsDayOfMonth(const DayNumbers& day) {
  return day.month > 0 && day.month < 13 && day.day > 0 && day.day < 32;
}

// Sets a day that Git does not take for a mistake. One without a year is one of
// this year, though that does not make the year known.
bool SetDayNotFarAhead(const DayNumbers& day, int64_t now, std::tm& date) {
  constexpr int64_t kTenDays = int64_t{10} * 24 * 60 * 60;
  if (!IsDayOfMonth(day)) return false;
  std::tm candidate = date;
  candidate.tm_mon = day.month - 1;
  candidate.tm_mday = day.day;
  if (day.year == kUnknownField) {
    const auto seconds = static_cast<std::time_t>(now);
    std::tm present{};
    gmtime_r(&seconds, &present);
    candidate.tm_year = present.tm_year;
  } else if (const auto year = YearOf(day.year)) {
    candidate.tm_year = *year;
  } else {
    return false;
  }
  const auto time = UniversalTime(candidate);
  if (time && *time - kTenDays > now) return false;
  if (day.year == kUnknownField) candidate.tm_year = date.tm_year;
  date = candidate;
  return true;
}

// Like Git, tells apart by the size of a number only what fits into an int.
DayNumbers DayOf(int64_t year, int64_t month, int64_t day) {
  return {.year = static_cast<int>(year),
          .month = static_cast<int>(month),
          .day = static_cast<int>(day)};
}

bool SetDayInAnyOrder(const NumberGroup& group, int64_t now, std::tm& date) {
  const auto& [separator, one, two, three, length] = group;
  constexpr uint64_t kMostOfADay = 70;
  if (static_cast<uint64_t>(one) > kMostOfADay) {
    if (SetDay(DayOf(one, two, three), date)) return true;
    if (SetDay(DayOf(one, three, two), date)) return true;
  }
  DayNumbers likely = DayOf(three, one, two);
  DayNumbers other = DayOf(three, two, one);
  if (separator == '.') std::swap(likely, other);
  return SetDayNotFarAhead(likely, now, date) ||
         SetDayNotFarAhead(other, now, date);
}

bool IsDayKnown(const std::tm& date) {
  return date.tm_year != kUnknownField && date.tm_mon != kUnknownField &&
         date.tm_mday != kUnknownField;
}

}  // namespace

LeadingDigits ReadDigits(std::string_view text) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  LeadingDigits digits;
  for (; digits.length < text.size() && IsDigit(text[digits.length]);
       ++digits.length) {
    const auto digit = static_cast<uint64_t>(text[digits.length] - '0');
    digits.value =
        digits.value > (kMost - digit) / 10 ? kMost : digits.value * 10 + digit;
  }
  return digits;
}

std::optional<int64_t> UniversalTime(const std::tm& date) {
  constexpr int kYear1970 = 70;
  constexpr int kYear2099 = 199;
  if (date.tm_year < kYear1970 || date.tm_year > kYear2099 || date.tm_mon < 0 ||
      date.tm_mon > 11 || date.tm_hour < 0 || date.tm_min < 0 ||
      date.tm_sec < 0) {
    return std::nullopt;
  }
  std::tm normal = date;
  const std::time_t time = timegm(&normal);
  return time == -1 ? std::nullopt : std::optional<int64_t>(time);
}

bool SetDay(const DayNumbers& day, std::tm& date) {
  if (!IsDayOfMonth(day)) return false;
  date.tm_mon = day.month - 1;
  date.tm_mday = day.day;
  const auto year = YearOf(day.year);
  if (day.year == kUnknownField || !year) return false;
  date.tm_year = *year;
  return true;
}

bool SetTime(int64_t hour, int64_t minute, int64_t second, std::tm& date) {
  if (hour < 0 || hour > 24 || minute < 0 || minute > 59 || second < 0 ||
      second > 60) {
    return false;
  }
  date.tm_hour = static_cast<int>(hour);
  date.tm_min = static_cast<int>(minute);
  date.tm_sec = static_cast<int>(second);
  return true;
}

size_t TakeNumberGroup(std::string_view text, int64_t now, std::tm& date) {
  const auto group = ReadGroup(text);
  if (!group) return 0;
  if (group->separator != ':') {
    return SetDayInAnyOrder(*group, now, date) ? group->length : 0;
  }
  const int64_t second = std::max<int64_t>(group->three, 0);
  if (!SetTime(group->one, group->two, second, date)) return 0;
  const std::string_view rest = text.substr(group->length);
  // Like Git, takes the fraction of a second for another number if the day is
  // still to come.
  if (!GoesOn(rest, '.') || !IsDayKnown(date)) return group->length;
  return group->length + 1 + ReadDigits(rest.substr(1)).length;
}

}  // namespace zpack::cli
