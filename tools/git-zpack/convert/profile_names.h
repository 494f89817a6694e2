// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "zpack/options.h"

namespace zpack::cli {

// From the fastest to the smallest.
inline constexpr std::array<std::pair<std::string_view, Profile>, 4>
    kProfileNames = {{{"fast", Profile::kFast},
                      {"balanced", Profile::kBalanced},
                      {"max", Profile::kMax},
                      {"cold", Profile::kCold}}};

}  // namespace zpack::cli
