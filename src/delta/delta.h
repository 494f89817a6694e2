// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An object as copies from another one, with literal bytes between them. How
// a delta is written down is the business of those who store it.

#pragma once

#include <cstdint>
#include <vector>

namespace zpack {

struct DeltaCopy {
  uint32_t literals = 0;  // bytes of the target that stand before the copy
  uint32_t length = 0;    // bytes copied, at least 1
  uint32_t offset = 0;    // where they are in the base
};

// What the copies leave of the target's end is literal.
struct Delta {
  std::vector<DeltaCopy> copies;
  // What storing the delta takes, as far as a DeltaCosts can tell.
  uint64_t cost = 0;
};

}  // namespace zpack
