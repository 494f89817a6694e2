// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests that damage a file at every place take one place in five under
// AddressSanitizer, which makes each of them ten times as slow. The same tests
// run in the optimised build, where they take every place.

#pragma once

#include <cstddef>

namespace zpack::testing {

#if defined(__SANITIZE_ADDRESS__)  // GCC
inline constexpr size_t kSweepStep = 5;
#elif defined(__has_feature)  // clang
inline constexpr size_t kSweepStep = __has_feature(address_sanitizer) ? 5 : 1;
#else
inline constexpr size_t kSweepStep = 1;
#endif

}  // namespace zpack::testing
