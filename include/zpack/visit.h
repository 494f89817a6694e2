// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The answer of a function that visits something. Plain data; any thread.

#pragma once

#include <cstdint>

namespace zpack {

// What a function that visits something wants next.
enum class Visit : uint8_t {
  kContinue,
  kStop,  // the call ends without an error
};

}  // namespace zpack
