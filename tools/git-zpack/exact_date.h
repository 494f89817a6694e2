// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Dates that name a day and a time of day. Uses the zone of the process.
// Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zpack::cli {

// Seconds since 1970 of a date of ISO 8601 or RFC 2822, or one like these, or
// of "@5 +0000", or of a number with nine digits or more. Without a zone, the
// date is local time. Like Git, overlooks what no date has. Nothing if the text
// does not name a time from 1970 to 2099. `now` is the present time.
std::optional<int64_t> ParseExactDate(std::string_view text, int64_t now);

}  // namespace zpack::cli
