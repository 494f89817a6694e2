// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Dates as people type them after '--since'. Uses the zone of the process.
// Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zpack::cli {

// Seconds since 1970, or before that if negative, as git-log(1) reads `text`;
// nothing if `text` is not one of "@1714521600", "@5 +0000", "1714521600",
// "2024-05-01", which has the present time of day, as "05/01/2024" and
// "1.5.2024" have (calendar_day.h), "2024-05-01 12:30:00 +0200",
// "2024-05-01T12:30:00Z", "Wed, 1 May 2024 12:30:00 +0200", "3 days ago",
// "2.weeks", "last month", "yesterday", "today", "midnight", "noon", "tea",
// "noon yesterday", "now" and "never". `now` is the present time.
std::optional<int64_t> ParseSinceDate(std::string_view text, int64_t now);

}  // namespace zpack::cli
