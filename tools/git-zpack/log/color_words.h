// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Colors as git-config(1) names them. Pure.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zpack::cli {

// The sequence for a terminal for words such as "bold red blue"; nothing for
// other words.
std::optional<std::string> ColorSequence(std::string_view words);

}  // namespace zpack::cli
