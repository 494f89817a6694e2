// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/date_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <utility>

#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr std::array<std::string_view, 12> kMonthNames = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDayNames = {
    "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

// A moment, and where it is shown: `zone` is 200 for +0200.
struct ZonedTime {
  uint64_t seconds = 0;
  int zone = 0;
};

// Like Git, knows no dates beyond what time_t has.
ZonedTime TimeOf(const Person& person) {
  ZonedTime time;
  if (person.date.empty()) return time;
  time.seconds = std::strtoull(std::string(person.date).c_str(), nullptr, 10);
  if (time.seconds > std::numeric_limits<int64_t>::max()) return {};
  const long zone = std::strtol(std::string(person.zone).c_str(), nullptr, 10);
  constexpr long kMost = std::numeric_limits<int>::max();
  if (zone < kMost && zone > -kMost) time.zone = static_cast<int>(zone);
  return time;
}

// Seconds since 1970 of a broken-down time in UTC; nothing for years that Git
// does not compute with.
std::optional<int64_t> SecondsOfDate(std::tm date) {
  if (date.tm_year < 70 || date.tm_year > 199) return std::nullopt;
  return timegm(&date);
}

// The broken-down time of the process at a moment; nothing beyond the years
// that it has.
std::optional<std::tm> LocalTime(uint64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm local{};
  if (localtime_r(&time, &local) == nullptr) return std::nullopt;
  return local;
}

// The zone of the process at that moment, as ZonedTime::zone.
int LocalZone(int64_t seconds, const std::optional<std::tm>& local) {
  const auto shifted = local ? SecondsOfDate(*local) : std::nullopt;
  if (!shifted) return 0;
  const int64_t minutes = (*shifted - seconds) / 60;
  return static_cast<int>(minutes / 60 * 100 + minutes % 60);
}

Result<std::optional<std::tm>> BreakDown(const ZonedTime& time) {
  const int64_t minutes = int64_t{time.zone} / 100 * 60 + time.zone % 100;
  const auto shift = static_cast<uint64_t>(minutes * 60);
  const auto fail = [&](std::string_view what, std::string_view zone) {
    return std::unexpected(
        Error{.code = ErrorCode::kInvalidArgument,
              .message = fmt::format("{}: {} {}", what, time.seconds, zone)});
  };
  if (minutes > 0 &&
      time.seconds > std::numeric_limits<uint64_t>::max() - shift) {
    return fail("Timestamp+tz too large", fmt::format("{:+05}", time.zone));
  }
  if (minutes <= 0 && time.seconds < static_cast<uint64_t>(-minutes * 60)) {
    return fail("Timestamp before Unix epoch", fmt::format("{:04}", time.zone));
  }
  const uint64_t shifted = time.seconds + shift;
  if (shifted > std::numeric_limits<int64_t>::max()) {
    return std::unexpected(Error{
        .code = ErrorCode::kInvalidArgument,
        .message =
            fmt::format("Timestamp too large for this system: {}", shifted)});
  }
  const auto seconds = static_cast<std::time_t>(shifted);
  std::tm date{};
  if (gmtime_r(&seconds, &date) == nullptr) return std::nullopt;
  return date;
}

std::string Ago(uint64_t count, std::string_view unit) {
  return fmt::format("{} {}{} ago", count, unit, count == 1 ? "" : "s");
}

std::string RelativeDate(uint64_t seconds, int64_t now) {
  if (now < 0 || static_cast<uint64_t>(now) < seconds) return "in the future";
  uint64_t count = static_cast<uint64_t>(now) - seconds;
  if (count < 90) return Ago(count, "second");
  count = (count + 30) / 60;
  if (count < 90) return Ago(count, "minute");
  count = (count + 30) / 60;
  if (count < 36) return Ago(count, "hour");
  const uint64_t days = (count + 12) / 24;
  if (days < 14) return Ago(days, "day");
  if (days < 70) return Ago((days + 3) / 7, "week");
  if (days < 365) return Ago((days + 15) / 30, "month");
  constexpr uint64_t kFiveYears = 1825;
  if (days >= kFiveYears) return Ago((days + 183) / 365, "year");
  const uint64_t months = (days * 24 + 365) / 730;
  if (months % 12 == 0) return Ago(months / 12, "year");
  return fmt::format("{} year{}, {}", months / 12, months / 12 == 1 ? "" : "s",
                     Ago(months % 12, "month"));
}

std::string_view DayName(const std::tm& date) {
  return kDayNames[static_cast<size_t>(date.tm_wday)];
}
std::string_view MonthName(const std::tm& date) {
  return kMonthNames[static_cast<size_t>(date.tm_mon)];
}

std::string DefaultDate(const std::tm& date, int zone, bool local) {
  // Git's default is the form for people without a present time, whose zone
  // is -1 then.
  const std::string text =
      fmt::format("{} {} {} {:02}:{:02}:{:02} {}", DayName(date),
                  MonthName(date), date.tm_mday, date.tm_hour, date.tm_min,
                  date.tm_sec, date.tm_year + 1900);
  return local || zone == -1 ? text : fmt::format("{} {:+05}", text, zone);
}

// Leaves out what the present time says.
std::string HumanDate(const ZonedTime& time, const std::tm& date, bool local,
                      int64_t now) {
  const auto present = LocalTime(static_cast<uint64_t>(now));
  const std::tm today = present.value_or(std::tm{});
  bool hide_zone = local || time.zone == LocalZone(now, present);
  const bool same_year = date.tm_year == today.tm_year;
  bool hide_day = false;
  if (same_year && date.tm_mon == today.tm_mon) {
    if (date.tm_mday == today.tm_mday) return RelativeDate(time.seconds, now);
    hide_day = date.tm_mday < today.tm_mday && date.tm_mday + 5 > today.tm_mday;
  }
  hide_zone = hide_zone || !hide_day;
  std::string text;
  if (same_year) text += fmt::format("{} ", DayName(date));
  if (!hide_day) text += fmt::format("{} {} ", MonthName(date), date.tm_mday);
  if (same_year) {
    text += fmt::format("{:02}:{:02}", date.tm_hour, date.tm_min);
  } else {
    text = fmt::format("{} {}", TrimLine(text), date.tm_year + 1900);
  }
  return hide_zone ? text : fmt::format("{} {:+05}", text, time.zone);
}

// `format` with '%s', '%z' and '%Z' of the zone of the commit.
std::string WithZone(const std::string& format, const std::tm& date, int zone,
                     bool local) {
  std::string known;
  for (size_t at = 0; at < format.size(); ++at) {
    const char next = at + 1 < format.size() ? format[at + 1] : '\0';
    if (format[at] != '%') {
      known += format[at];
      continue;
    }
    if (next == 's') {
      known += fmt::format(
          "{}", static_cast<uint64_t>(SecondsOfDate(date).value_or(-1) -
                                      3600 * (zone / 100) - 60 * (zone % 100)));
    } else if (next == 'z') {
      known += fmt::format("{:+05}", zone);
    } else if (next == '%') {
      known += "%%";
    } else if (next != 'Z' || local) {
      known += '%';
      continue;
    }
    ++at;
  }
  return known;
}

// strftime(3). Returns kLimitExceeded for a text of more than 16 MiB.
Result<std::string> FormattedDate(const std::string& format,
                                  const std::tm& date) {
  if (format.empty()) return format;
  std::string text(128, '\0');
  size_t size = std::strftime(text.data(), text.size(), format.c_str(), &date);
  if (size != 0) {
    text.resize(size);
    return text;
  }
  // Like Git, tells an empty text from a buffer that is too small by a space.
  constexpr size_t kMostText = size_t{16} << 20;
  const std::string spaced = format + ' ';
  while (size == 0) {
    if (text.size() > kMostText) {
      return std::unexpected(Error{
          ErrorCode::kLimitExceeded,
          fmt::format("a date in the format '{}' is longer than {} MiB",
                      QuoteName(format, kMaxNameInMessage), kMostText >> 20)});
    }
    text.resize(text.size() * 2);
    size = std::strftime(text.data(), text.size(), spaced.c_str(), &date);
  }
  text.resize(size - 1);
  return text;
}

Result<std::string> CalendarDate(const ZonedTime& time, const std::tm& date,
                                 const DateStyle& style, int64_t now) {
  const int zone = time.zone;
  const std::string day = fmt::format("{:04}-{:02}-{:02}", date.tm_year + 1900,
                                      date.tm_mon + 1, date.tm_mday);
  const std::string clock =
      fmt::format("{:02}:{:02}:{:02}", date.tm_hour, date.tm_min, date.tm_sec);
  switch (style.form) {
    case DateForm::kShort:
      return day;
    case DateForm::kIso:
      return fmt::format("{} {} {:+05}", day, clock, zone);
    case DateForm::kIsoStrict:
      if (zone == 0) return fmt::format("{}T{}Z", day, clock);
      return fmt::format("{}T{}{}{:02}:{:02}", day, clock, zone < 0 ? '-' : '+',
                         std::abs(zone) / 100, std::abs(zone) % 100);
    case DateForm::kRfc:
      return fmt::format("{}, {} {} {} {} {:+05}", DayName(date), date.tm_mday,
                         MonthName(date), date.tm_year + 1900, clock, zone);
    case DateForm::kStrftime:
      return FormattedDate(WithZone(style.format, date, zone, style.local),
                           date);
    case DateForm::kHuman:
      return HumanDate(time, date, style.local, now);
    default:
      return DefaultDate(date, zone, style.local);
  }
}

}  // namespace

Result<DateStyle> ParseDateStyle(std::string_view text, bool terminal) {
  using enum DateForm;
  constexpr std::array<std::pair<std::string_view, DateForm>, 13> kForms = {
      {{"relative", kRelative},
       {"iso8601-strict", kIsoStrict},
       {"iso-strict", kIsoStrict},
       {"iso8601", kIso},
       {"iso", kIso},
       {"rfc2822", kRfc},
       {"rfc", kRfc},
       {"short", kShort},
       {"default", kDefault},
       {"human", kHuman},
       {"raw", kRaw},
       {"unix", kUnix},
       {"format", kStrftime}}};
  const auto fail = [&](std::string_view what) {
    return std::unexpected(Error{
        .code = ErrorCode::kInvalidArgument,
        .message = fmt::format("{}{}", what, QuoteName(text, kWholeName))});
  };
  if (text.starts_with("auto:")) {
    text = terminal ? text.substr(5) : "default";
  }
  if (text == "local") text = "default-local";
  const auto form = std::ranges::find_if(
      kForms, [&](const auto& entry) { return text.starts_with(entry.first); });
  if (form == kForms.end()) return fail("unknown date format ");
  DateStyle style{form->second};
  std::string_view rest = text.substr(form->first.size());
  constexpr std::string_view kLocal = "-local";
  style.local = rest.starts_with(kLocal);
  if (style.local) rest.remove_prefix(kLocal.size());
  if (style.form == kStrftime) {
    if (!rest.starts_with(':')) {
      return fail("date format missing colon separator: ");
    }
    style.format = rest.substr(1);
  } else if (!rest.empty()) {
    return fail("unknown date format ");
  }
  return style;
}

Result<std::string> DateText(const Person& person, const DateStyle& style,
                             int64_t now) {
  ZonedTime time = TimeOf(person);
  if (style.form == DateForm::kUnix) return fmt::format("{}", time.seconds);
  std::optional<std::tm> local;
  if (style.local) {
    local = LocalTime(time.seconds);
    time.zone = LocalZone(static_cast<int64_t>(time.seconds), local);
  }
  if (style.form == DateForm::kRaw) {
    return fmt::format("{} {:+05}", time.seconds, time.zone);
  }
  if (style.form == DateForm::kRelative) return RelativeDate(time.seconds, now);
  auto date =
      style.local ? Result<std::optional<std::tm>>(local) : BreakDown(time);
  if (!date) return std::unexpected(date.error());
  if (!*date) {
    time.zone = 0;
    date = BreakDown({0, 0});
  }
  return CalendarDate(time, **date, style, now);
}

}  // namespace zpack::cli
