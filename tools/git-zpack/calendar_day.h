// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Days in numbers, as Git reads them in dates. Uses the zone of the process.
// Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zpack::cli {

struct CalendarDay {
  int year = 1970;  // from 1970 to 2099
  int month = 1;    // from 1 to 12
  int day = 1;      // from 1 to 31, in any month
};

// Three numbers with '-', '/' or '.' between them: year, month and day
// ("2024-05-01"); month, day and year ("05/01/2024"); or, with points, and
// where the other is no day, day, month and year ("1.5.24"). If `now` is the
// present time, a day with the year at its end that is more than ten days ahead
// is read in the other order, or is none.
std::optional<CalendarDay> ParseCalendarDay(std::string_view text,
                                            std::optional<int64_t> now);

}  // namespace zpack::cli
