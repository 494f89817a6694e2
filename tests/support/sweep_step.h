// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests that damage a file at every place take one place in five under
// AddressSanitizer, which makes each of them ten times as slow. The same tests
// run in the optimised build, where they take every place.

#pragma once

#include <cstddef>

#include "base/sanitizers.h"

namespace zpack::testing {

inline constexpr size_t kSweepStep = kAddressSanitizer ? 5 : 1;

}  // namespace zpack::testing
