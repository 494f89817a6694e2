// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Dates of which words and numbers say only a part. Uses the zone of the
// process. Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace zpack::cli {

// What approximate_date.h says of a text that ParseExactDate does not take.
std::optional<int64_t> GuessDate(std::string_view text, int64_t now);

}  // namespace zpack::cli
