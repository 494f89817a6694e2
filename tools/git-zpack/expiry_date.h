// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Dates before which things are old, as git-gc(1) takes them. A pure function.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zpack::cli {

// Seconds since 1970 of a date like "2.weeks.ago", "2024-05-01", "2024-05-01
// 12:30:00 +0200", "@1714521600", "now" or "never"; nothing for others. `now`
// is the time now. "never" gives 0.
std::optional<int64_t> ParseExpiryDate(std::string_view text, int64_t now);

}  // namespace zpack::cli
