// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Suggests what the user may have meant by a mistyped name. Pure.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zpack::cli {

// The name that needs the fewest changes to become `typed`, where a change
// inserts, removes or replaces a character or swaps two neighbours; or the
// first name that begins with `typed`, if `typed` has three characters or more.
// Nothing if each name needs more than a third of its characters changed, and
// more than one.
std::optional<std::string> NearestName(std::string_view typed,
                                       const std::vector<std::string>& names);

}  // namespace zpack::cli
