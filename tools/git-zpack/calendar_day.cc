// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "calendar_day.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <ctime>
#include <system_error>
#include <utility>

namespace zpack::cli {
namespace {

// Takes "5" of "5-01", or "01"; the last number is all that is left.
std::optional<int> TakeNumber(std::string_view& text, char separator,
                              bool last) {
  int number = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  if (last ? !text.empty() : !text.starts_with(separator)) return std::nullopt;
  if (!last) text.remove_prefix(1);
  return number;
}

std::optional<CalendarDay> MakeDay(int year, int month, int day) {
  if (year < 38) {
    year += 2000;
  } else if (year > 70 && year < 100) {
    year += 1900;
  }
  if (year < 1970 || year > 2099 || month < 1 || month > 12 || day < 1 ||
      day > 31) {
    return std::nullopt;
  }
  return CalendarDay{year, month, day};
}

// Whether the day is one that Git takes for a mistake.
bool IsFarAhead(const CalendarDay& day, int64_t now) {
  constexpr int64_t kTenDays = int64_t{10} * 24 * 60 * 60;
  const auto seconds = static_cast<std::time_t>(now);
  std::tm date{};
  localtime_r(&seconds, &date);
  date.tm_year = day.year - 1900;
  date.tm_mon = day.month - 1;
  date.tm_mday = day.day;
  return timegm(&date) > now + kTenDays;
}

}  // namespace

std::optional<CalendarDay> ParseCalendarDay(std::string_view text,
                                            std::optional<int64_t> now) {
  const size_t at = text.find_first_of("-/.");
  if (at == std::string_view::npos) return std::nullopt;
  const char separator = text[at];
  const auto one = TakeNumber(text, separator, false);
  const auto two = one ? TakeNumber(text, separator, false) : std::nullopt;
  const auto three = two ? TakeNumber(text, separator, true) : std::nullopt;
  if (!three) return std::nullopt;
  if (*one > 70) {
    if (const auto day = MakeDay(*one, *two, *three)) return day;
    if (const auto day = MakeDay(*one, *three, *two)) return day;
  }
  std::array days = {MakeDay(*three, *one, *two), MakeDay(*three, *two, *one)};
  if (separator == '.') std::swap(days[0], days[1]);
  for (const auto& day : days) {
    if (day && (!now || !IsFarAhead(*day, *now))) return day;
  }
  return std::nullopt;
}

}  // namespace zpack::cli
