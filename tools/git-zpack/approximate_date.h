// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Dates as people type them, with the meaning that Git 2.55 gives them. Uses
// the zone of the process. Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zpack::cli {

// The present time in seconds since 1970, or what GIT_TEST_DATE_NOW says, as in
// Git.
int64_t PresentTime();

// Seconds since 1970 that `text` means to `git log --since`: a date of
// exact_date.h or words and numbers that Git guesses from, such as "3 days
// ago", "2.weeks", "last friday", "6pm yesterday", "jan 5", "10:00" and "noon".
// What is missing is that of `now`, the present time. A result before 1970 is
// negative, and before 1900 any negative number.
//
// Nothing where Git gives a time that has nothing to do with the text: the
// present time if it understands nothing of the text, or what is left of a
// number of more than 31 bits.
std::optional<int64_t> ParseApproximateDate(std::string_view text, int64_t now);

// The same for a date of expiry: 0 for "never", "false" and whatever is before
// 1970, and `now` for "now" and "all".
std::optional<int64_t> ParseExpiryDate(std::string_view text, int64_t now);

}  // namespace zpack::cli
