// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "format/block_layout.h"

namespace zpack::testing {

// Limits that no block of the tests comes near.
inline constexpr format::BlockLimits kNoLimit{uint64_t{1} << 30,
                                              uint64_t{1} << 40};

}  // namespace zpack::testing
