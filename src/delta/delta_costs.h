// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a delta cost once they are stored. The encoder minimises
// this sum, so a writer states here how it will compress, and the encoder need
// not know. Unit: an eighth of a bit.

#pragma once

#include <bit>
#include <cstdint>

namespace zpack {

struct DeltaCosts {
  uint32_t literal = 7;         // a literal byte
  uint32_t copy = 128;          // a copy: its length, and that of its literals
  uint32_t jump = 100;          // an offset that is not the expected one
  uint32_t jump_doubling = 12;  // each time its distance from there doubles

  // A copy whose offset is `distance` from the expected one.
  uint64_t Copy(uint64_t distance) const {
    if (distance == 0) return copy;
    return copy + jump +
           uint64_t{jump_doubling} *
               static_cast<uint64_t>(std::bit_width(distance));
  }
};

}  // namespace zpack
