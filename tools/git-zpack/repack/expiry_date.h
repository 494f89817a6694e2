// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Parses expiry dates as git-gc(1) does. Uses the zone of the process.
// Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zpack::cli {

// Returns a date in seconds since 1970, or nullopt if `text` is not a date.
// Accepts "2.weeks.ago", "2024-05-01" and the other days of calendar_day.h,
// "2024-05-01 12:30:00 +0200",
// "@1714521600", "now" or "all" (which give `now`), and "never" or "false"
// (which give 0). `now` is the current time.
std::optional<int64_t> ParseExpiryDate(std::string_view text, int64_t now);

}  // namespace zpack::cli
