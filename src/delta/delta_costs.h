// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Estimated costs of the stored parts of a delta, in eighths of a bit. The
// encoder minimises the sum of these costs. A writer describes its encoding
// here, so that the encoder does not depend on it.

#pragma once

#include <bit>
#include <cstdint>

#include "base/delta.h"

namespace zpack {

struct DeltaCosts {
  uint32_t literal = 7;         // a literal byte
  uint32_t copy = 128;          // a copy: its length and its number of literals
  uint32_t jump = 100;          // an offset other than the expected offset
  uint32_t jump_doubling = 12;  // each doubling of the distance from there

  // Cost of a copy at the distance `distance` from the expected offset.
  uint64_t Copy(uint64_t distance) const {
    if (distance == 0) return copy;
    return copy + jump +
           uint64_t{jump_doubling} *
               static_cast<uint64_t>(std::bit_width(distance));
  }

  // Cost of a delta for a target of `size` bytes.
  uint64_t Of(const Delta& delta, uint64_t size) const {
    uint64_t cost = 0;
    uint64_t literals = size;
    uint64_t expected = 0;
    for (const DeltaCopy& part : delta.copies) {
      literals -= part.length;
      expected += part.literals;
      cost += Copy(expected > part.offset ? expected - part.offset
                                          : part.offset - expected);
      expected = uint64_t{part.offset} + part.length;
    }
    return cost + literals * literal;
  }
};

}  // namespace zpack
