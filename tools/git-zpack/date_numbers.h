// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The numbers of dates, as Git reads them. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string_view>

namespace zpack::cli {

// The value of a field of a date that was not named yet, and of a year.
inline constexpr int kUnknownField = -1;

// The digits that a text begins with: their value, at most the largest one of
// its type, and how many there are.
struct LeadingDigits {
  uint64_t value = 0;
  size_t length = 0;
};
LeadingDigits ReadDigits(std::string_view text);

// Seconds since 1970 of `date` in UTC. Nothing if the year is not one from 1970
// to 2099, if an hour, minute or second is unknown, and one second before 1970.
std::optional<int64_t> UniversalTime(const std::tm& date);

struct DayNumbers {
  int year = kUnknownField;  // two digits are enough
  int month = 1;
  int day = 1;  // at most 31, in any month
};

// Sets the day of `date`. False if there is no such day, or its year is
// unknown; month and day are then set if they can be.
bool SetDay(const DayNumbers& day, std::tm& date);

// False, with `date` as before, if there is no such time. Hour 24 and second 60
// are times.
bool SetTime(int64_t hour, int64_t minute, int64_t second, std::tm& date);

// Sets the day or the time of `date` from two or three numbers with the same
// sign between them: "10:00", "10:00:30", year, month and day ("2024-05-01");
// month, day and year ("05/01/2024"); or, with points, and where the other is
// no day, day, month and year ("1.5.24"). If `now`, the present time, is more
// than ten days earlier, a day with the year at its end is read in the other
// order, or is none. Returns how many characters of `text` were read; 0 if they
// mean nothing.
size_t TakeNumberGroup(std::string_view text, int64_t now, std::tm& date);

}  // namespace zpack::cli
