// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "guessed_date.h"

#include <array>
#include <cstddef>
#include <ctime>
#include <limits>

#include "date_numbers.h"
#include "date_words.h"

namespace zpack::cli {
namespace {

constexpr int64_t kSecondsOfDay = int64_t{24} * 60 * 60;
// A day that is the one before, unless the text goes on to name another one.
constexpr int kDayBefore = -2;
// Stands for all times for which a year since 1900 is negative.
constexpr int64_t kBefore1900 = -2'208'988'801;

class GuessedDate {
 public:
  explicit GuessedDate(int64_t now) {
    const auto seconds = static_cast<std::time_t>(now);
    localtime_r(&seconds, &now_);
    present_ = now;
    date_ = now_;
    date_.tm_year = date_.tm_mon = date_.tm_mday = kUnknownField;
  }

  std::optional<int64_t> Read(std::string_view text);

 private:
  struct Special {
    std::string_view word;
    void (GuessedDate::*take)();
  };
  static const std::array<Special, 9> kSpecials;

  // Each returns how many characters it read.
  size_t TakeDigits(std::string_view text);
  size_t TakeWord(std::string_view text);

  // Each returns whether the word has a meaning here.
  bool TakeSpecial(std::string_view text);
  bool TakeNumberName(std::string_view text);
  bool TakeUnit(std::string_view text);

  void PlaceNumber();
  int64_t Settle(int64_t seconds_before = 0);

  void TakeYesterday();
  void TakeToday();
  void TakeNow();
  void TakeNever();
  void TakeMidnight() { TakeNamedHour(0); }
  void TakeNoon() { TakeNamedHour(12); }
  void TakeTea() { TakeNamedHour(17); }
  void TakeMorning() { TakeHalfOfDay(0); }
  void TakeAfternoon() { TakeHalfOfDay(12); }
  void TakeNamedHour(int hour);
  void TakeHalfOfDay(int first_hour);
  void SetLastHour(int hour);

  void GoToWeekday(int weekday);
  void GoBackByMonths(int64_t months);

  int64_t present_ = 0;
  std::tm now_{};
  // Of the day, what is still unknown is negative.
  std::tm date_{};
  // One that means what follows it says, or else a part of the day; 0: none.
  int64_t number_ = 0;
  bool understood_ = false;  // something
  bool too_large_ = false;   // a number
  bool too_early_ = false;   // the date is before 1900
};

const std::array<GuessedDate::Special, 9> GuessedDate::kSpecials = {
    {{"yesterday", &GuessedDate::TakeYesterday},
     {"noon", &GuessedDate::TakeNoon},
     {"midnight", &GuessedDate::TakeMidnight},
     {"tea", &GuessedDate::TakeTea},
     {"pm", &GuessedDate::TakeAfternoon},
     {"am", &GuessedDate::TakeMorning},
     {"never", &GuessedDate::TakeNever},
     {"now", &GuessedDate::TakeNow},
     {"today", &GuessedDate::TakeToday}}};

std::optional<int64_t> GuessedDate::Read(std::string_view text) {
  while (!text.empty()) {
    size_t taken = 1;
    if (IsDigit(text[0])) {
      taken = TakeDigits(text);
    } else if (IsLetter(text[0])) {
      taken = TakeWord(text);
    }
    text.remove_prefix(taken);
  }
  PlaceNumber();
  if (!understood_ || too_large_) return std::nullopt;
  const int64_t time = Settle();
  return too_early_ ? kBefore1900 : time;
}

size_t GuessedDate::TakeDigits(std::string_view text) {
  PlaceNumber();
  if (const size_t taken = TakeNumberGroup(text, present_, date_)) {
    understood_ = true;
    return taken;
  }
  const LeadingDigits digits = ReadDigits(text);
  // "Dec 02", but not "Dec 0002".
  if (text[0] == '0' && digits.length > 2) return digits.length;
  if (digits.value > std::numeric_limits<int32_t>::max()) {
    too_large_ = true;
  } else {
    number_ = static_cast<int64_t>(digits.value);
  }
  return digits.length;
}

size_t GuessedDate::TakeWord(std::string_view text) {
  if (const auto month = FindMonth(text)) {
    date_.tm_mon = *month;
    understood_ = true;
  } else if (TakeSpecial(text) ||
             (number_ == 0 ? TakeNumberName(text) : TakeUnit(text))) {
    understood_ = true;
  }
  return CountLetters(text);
}

bool GuessedDate::TakeSpecial(std::string_view text) {
  for (const auto& [word, take] : kSpecials) {
    if (!BeginsWithWord(text, word)) continue;
    (this->*take)();
    return true;
  }
  return false;
}

bool GuessedDate::TakeNumberName(std::string_view text) {
  if (const auto number = FindNumberName(text)) {
    number_ = *number;
  } else if (BeginsWithWord(text, "last")) {
    number_ = 1;
  }
  return number_ != 0;
}

bool GuessedDate::TakeUnit(std::string_view text) {
  constexpr size_t kMonthLetters = 5;
  constexpr size_t kYearLetters = 4;
  if (const auto seconds = FindUnit(text)) {
    Settle(number_ * *seconds);
  } else if (const auto weekday = FindWeekday(text)) {
    GoToWeekday(*weekday);
  } else if (MatchedLength(text, "months") >= kMonthLetters) {
    GoBackByMonths(number_);
  } else if (MatchedLength(text, "years") >= kYearLetters) {
    GoBackByMonths(12 * number_);
  } else {
    return false;
  }
  number_ = 0;
  return true;
}

// Takes a number that says nothing of what follows for a day, as in "Dec 6,
// 1992", or else for a month or a year.
void GuessedDate::PlaceNumber() {
  const auto number = static_cast<int>(number_);
  number_ = 0;
  if (number == 0) return;
  if (date_.tm_mday < 0 && number < 32) {
    date_.tm_mday = number;
  } else if (date_.tm_mon < 0 && number < 13) {
    date_.tm_mon = number - 1;
  } else if (date_.tm_year < 0 && number > 1969 && number < 2100) {
    date_.tm_year = number - 1900;
  } else if (date_.tm_year < 0 && number > 69 && number < 100) {
    date_.tm_year = number;
  } else if (date_.tm_year < 0 && number < 38) {
    date_.tm_year = 100 + number;
  } else {
    return;
  }
  understood_ = true;
}

// Takes what is unknown of the day from the present one, goes back, and returns
// the time.
int64_t GuessedDate::Settle(int64_t seconds_before) {
  if (date_.tm_mday < 0) {
    if (date_.tm_mday == kDayBefore && seconds_before == 0) {
      seconds_before = kSecondsOfDay;
    }
    date_.tm_mday = now_.tm_mday;
  }
  if (date_.tm_mon < 0) date_.tm_mon = now_.tm_mon;
  if (date_.tm_year < 0) {
    date_.tm_year = now_.tm_year;
    if (date_.tm_mon > now_.tm_mon) --date_.tm_year;
  }
  const std::time_t time = std::mktime(&date_) - seconds_before;
  if (localtime_r(&time, &date_) == nullptr || date_.tm_year < 0) {
    too_early_ = true;
  }
  return time;
}

void GuessedDate::TakeYesterday() {
  number_ = 0;
  date_.tm_mday = kUnknownField;
  Settle(kSecondsOfDay);
}

void GuessedDate::TakeToday() {
  if (date_.tm_hour == now_.tm_hour && date_.tm_min == now_.tm_min &&
      date_.tm_sec == now_.tm_sec) {
    SetLastHour(0);
  }
  number_ = 0;
  date_.tm_mday = kUnknownField;
  Settle();
}

void GuessedDate::TakeNow() {
  number_ = 0;
  Settle();
}

void GuessedDate::TakeNever() {
  number_ = 0;
  constexpr std::time_t kBeginning = 0;
  localtime_r(&kBeginning, &date_);
}

void GuessedDate::TakeNamedHour(int hour) {
  PlaceNumber();
  SetLastHour(hour);
}

// Without a day, the hour is the last one that was, maybe that of the day
// before.
void GuessedDate::SetLastHour(int hour) {
  if (date_.tm_mday < 0 && date_.tm_hour < hour) date_.tm_mday = kDayBefore;
  date_.tm_hour = hour;
  date_.tm_min = 0;
  date_.tm_sec = 0;
}

// "am" and "pm".
void GuessedDate::TakeHalfOfDay(int first_hour) {
  if (number_ != 0) {
    date_.tm_hour = static_cast<int>(number_);
    date_.tm_min = 0;
    date_.tm_sec = 0;
  }
  number_ = 0;
  date_.tm_hour = date_.tm_hour % 12 + first_hour;
}

// To the day of that name so many times ago. The present day is not one.
void GuessedDate::GoToWeekday(int weekday) {
  int64_t days = date_.tm_wday - weekday;
  const int64_t weeks = days > 0 ? number_ - 1 : number_;
  days += 7 * weeks;
  Settle(days * kSecondsOfDay);
}

// The day of the month stays, also where the month has no such day.
void GuessedDate::GoBackByMonths(int64_t months) {
  Settle();
  const int64_t all = int64_t{date_.tm_year} * 12 + date_.tm_mon - months;
  if (all < 0) {
    too_early_ = true;
    return;
  }
  date_.tm_year = static_cast<int>(all / 12);
  date_.tm_mon = static_cast<int>(all % 12);
}

}  // namespace

std::optional<int64_t> GuessDate(std::string_view text, int64_t now) {
  return GuessedDate(now).Read(text);
}

}  // namespace zpack::cli
