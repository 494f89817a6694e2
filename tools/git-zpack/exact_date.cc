// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "exact_date.h"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <limits>

#include "date_numbers.h"
#include "date_words.h"

namespace zpack::cli {
namespace {

bool IsSign(char c) { return c == '+' || c == '-'; }

// A number as the C library reads it, maybe after spaces and a sign.
struct SignedNumber {
  int64_t value = 0;
  size_t length = 0;  // 0: there is none
};

SignedNumber ReadSigned(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n\v\f\r");
  if (begin == std::string_view::npos) return {};
  const size_t sign = IsSign(text[begin]) ? 1 : 0;
  const LeadingDigits digits = ReadDigits(text.substr(begin + sign));
  if (digits.length == 0) return {};
  const auto value = static_cast<int64_t>(digits.value & 0xffff);
  return {.value = text[begin] == '-' ? -value : value,
          .length = begin + sign + digits.length};
}

// "1714521600 +0200": any seconds, whatever the zone is.
std::optional<int64_t> ReadStamp(std::string_view text) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr size_t kZoneSize = 4;
  const LeadingDigits seconds = ReadDigits(text);
  if (seconds.length == 0 ||
      seconds.value == std::numeric_limits<uint64_t>::max()) {
    return std::nullopt;
  }
  const std::string_view rest = text.substr(seconds.length);
  if (rest.size() < 2 || rest[0] != ' ' || !IsSign(rest[1]) ||
      ReadSigned(rest.substr(2)).length != kZoneSize) {
    return std::nullopt;
  }
  const std::string_view end = rest.substr(2 + kZoneSize);
  if (!end.empty() && end[0] != '\n') return std::nullopt;
  return static_cast<int64_t>(std::min(seconds.value, kMost));
}

class ExactDate {
 public:
  explicit ExactDate(int64_t now) : now_(now) {
    date_.tm_year = date_.tm_mon = date_.tm_mday = kUnknownField;
    date_.tm_hour = date_.tm_min = date_.tm_sec = kUnknownField;
  }

  // Reads one line.
  void Read(std::string_view text);
  std::optional<int64_t> Time();

 private:
  // Each returns how many characters it read.
  size_t TakeWord(std::string_view text);
  size_t TakeDigits(std::string_view text);
  size_t TakeZone(std::string_view text);

  bool IsEmpty() const;
  void TakeCompact(const LeadingDigits& digits);
  bool TakeShortTime(const LeadingDigits& digits);
  void TakeYearOrZone(uint64_t number);
  void TakeDayMonthOrYear(const LeadingDigits& digits);

  int64_t now_;
  std::tm date_{};
  // Minutes east of Greenwich. Like in Git, "-0001" is unknown.
  int zone_ = kUnknownField;
  bool is_universal_ = false;  // the date was given in seconds since 1970
};

void ExactDate::Read(std::string_view text) {
  while (!text.empty() && text[0] != '\n') {
    size_t taken = 1;
    if (IsLetter(text[0])) {
      taken = TakeWord(text);
    } else if (IsDigit(text[0])) {
      taken = TakeDigits(text);
    } else if (IsSign(text[0]) && text.size() > 1 && IsDigit(text[1])) {
      taken = TakeZone(text);
    }
    text.remove_prefix(taken);
  }
}

size_t ExactDate::TakeWord(std::string_view text) {
  const size_t length = CountLetters(text);
  if (const auto month = FindMonth(text)) {
    date_.tm_mon = *month;
  } else if (FindWeekday(text)) {
    // The day of the month says more.
  } else if (const auto zone = FindZone(text)) {
    if (zone_ == kUnknownField) zone_ = *zone;
  } else if (BeginsWithWord(text, "pm")) {
    date_.tm_hour = date_.tm_hour % 12 + 12;
  } else if (BeginsWithWord(text, "am")) {
    date_.tm_hour = date_.tm_hour % 12;
  } else if (text[0] == 'T' && text.size() > 1 && IsDigit(text[1]) &&
             date_.tm_hour == kUnknownField) {
    // Of ISO 8601. The hour may follow without minutes.
    date_.tm_min = date_.tm_sec = 0;
  }
  return length;
}

bool ExactDate::IsEmpty() const {
  return std::max({date_.tm_year, date_.tm_mon, date_.tm_mday, date_.tm_hour,
                   date_.tm_min, date_.tm_sec}) < 0;
}

size_t ExactDate::TakeDigits(std::string_view text) {
  // Fewer digits may be a day, such as "20240501".
  constexpr uint64_t kLeastSeconds = 100'000'000;
  const LeadingDigits digits = ReadDigits(text);
  if (digits.value >= kLeastSeconds && IsEmpty()) {
    const auto time = static_cast<std::time_t>(digits.value);
    if (gmtime_r(&time, &date_) != nullptr) {
      is_universal_ = true;
      return digits.length;
    }
  }
  if (const size_t taken = TakeNumberGroup(text, now_, date_)) return taken;
  if (digits.length == 8) {
    TakeCompact(digits);
  } else if (digits.length == 6) {
    const bool is_time =
        SetTime(static_cast<int64_t>(digits.value / 10'000),
                static_cast<int64_t>(digits.value / 100 % 100),
                static_cast<int64_t>(digits.value % 100), date_);
    const std::string_view rest = text.substr(6);
    if (is_time && rest.size() > 1 && rest[0] == '.' && IsDigit(rest[1])) {
      return digits.length + 1 + ReadDigits(rest.substr(1)).length;
    }
  } else if (!TakeShortTime(digits)) {
    if (digits.length == 4) {
      TakeYearOrZone(digits.value);
    } else if (digits.length < 3) {
      TakeDayMonthOrYear(digits);
    }
  }
  return digits.length;
}

// "20240501".
void ExactDate::TakeCompact(const LeadingDigits& digits) {
  const auto number = static_cast<int>(digits.value);
  SetDay({.year = number / 10'000,
          .month = number / 100 % 100,
          .day = number % 100},
         date_);
}

// The "12" or "1230" of "20240501T12".
bool ExactDate::TakeShortTime(const LeadingDigits& digits) {
  if (date_.tm_hour != kUnknownField || date_.tm_min != 0 ||
      date_.tm_sec != 0) {
    return false;
  }
  const auto number = static_cast<int64_t>(digits.value);
  if (digits.length == 4 && SetTime(number / 100, number % 100, 0, date_)) {
    return true;
  }
  if (digits.length == 2 && SetTime(number, 0, 0, date_)) return true;
  date_.tm_min = date_.tm_sec = kUnknownField;
  return false;
}

void ExactDate::TakeYearOrZone(uint64_t number) {
  constexpr uint64_t kFurthestZone = 1400;
  if (number <= kFurthestZone && zone_ == kUnknownField) {
    zone_ = static_cast<int>(number / 100 * 60 + number % 100);
  } else if (number > 1900 && number < 2100) {
    date_.tm_year = static_cast<int>(number) - 1900;
  }
}

// One or two digits. The day comes first: "01 Apr 05" is in 2005.
void ExactDate::TakeDayMonthOrYear(const LeadingDigits& digits) {
  const auto number = static_cast<int>(digits.value);
  if (number > 0 && number < 32 && date_.tm_mday < 0) {
    date_.tm_mday = number;
  } else if (digits.length == 2 && date_.tm_year < 0 && number < 10 &&
             date_.tm_mday >= 0) {
    date_.tm_year = number + 100;
  } else if (digits.length == 2 && date_.tm_year < 0 && number >= 70) {
    date_.tm_year = number;
  } else if (number > 0 && number < 13 && date_.tm_mon < 0) {
    date_.tm_mon = number - 1;
  }
}

// "+02", "+0200" or "+02:00". Others are overlooked.
size_t ExactDate::TakeZone(std::string_view text) {
  const LeadingDigits digits = ReadDigits(text.substr(1));
  size_t length = 1 + digits.length;
  constexpr int64_t kNoMinutes = 60;
  int64_t minutes = kNoMinutes;
  uint64_t hours = digits.value;
  if (digits.length == 4) {
    minutes = static_cast<int64_t>(hours % 100);
    hours /= 100;
  } else if (digits.length == 2 && text.substr(length).starts_with(':')) {
    const SignedNumber number = ReadSigned(text.substr(length + 1));
    if (number.length == 2) minutes = number.value;
    length += 1 + number.length;
  } else if (digits.length == 2) {
    minutes = 0;
  }
  if (minutes < kNoMinutes && hours < 24) {
    const auto offset =
        static_cast<int>(hours) * 60 + static_cast<int>(minutes);
    zone_ = text[0] == '-' ? -offset : offset;
  }
  return length;
}

std::optional<int64_t> ExactDate::Time() {
  constexpr int64_t kYear2100 = 4'102'444'800;
  const auto time = UniversalTime(date_);
  if (!time) return std::nullopt;
  if (is_universal_) return time;
  int64_t offset = int64_t{zone_} * 60;
  if (zone_ == kUnknownField) {
    date_.tm_isdst = kUnknownField;
    // Like Git, in whole minutes.
    offset = (*time - std::mktime(&date_)) / 60 * 60;
  }
  const int64_t result = *time - offset;
  if (offset > 0 ? *time >= 0 && result < 0
                 : *time < kYear2100 && result >= kYear2100) {
    return std::nullopt;
  }
  return result;
}

}  // namespace

std::optional<int64_t> ParseExactDate(std::string_view text, int64_t now) {
  if (text.starts_with('@')) {
    if (const auto stamp = ReadStamp(text.substr(1))) return stamp;
  }
  ExactDate date(now);
  date.Read(text);
  return date.Time();
}

}  // namespace zpack::cli
