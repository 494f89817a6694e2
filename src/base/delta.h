// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Describes an object as copies from a base and the literal bytes between them.
// The writers of blocks and packs decide how to encode a delta.

#pragma once

#include <cstdint>
#include <vector>

namespace zpack {

struct DeltaCopy {
  uint32_t literals = 0;  // bytes of the target before the copy
  uint32_t length = 0;    // bytes copied, at least 1
  uint32_t offset = 0;    // position in the base
};

// The bytes of the target after the last copy are literals.
struct Delta {
  std::vector<DeltaCopy> copies;
  // Cost of storing the delta, estimated by a DeltaCosts.
  uint64_t cost = 0;
};

}  // namespace zpack
