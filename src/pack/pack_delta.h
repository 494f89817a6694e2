// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Deltas as Git's packs hold them (gitformat-pack(5), "Deltified
// representation"). Pure.

#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "delta/delta.h"
#include "zpack/result.h"

namespace zpack {

// What the first bytes of a delta tell.
struct PackDeltaHeader {
  uint64_t base_size = 0;
  uint64_t result_size = 0;
  size_t size = 0;  // bytes that the header itself takes
};

// kCorrupt when `delta` ends before its header does, or a size does not fit
// 64 bits.
Result<PackDeltaHeader> DecodePackDeltaHeader(ByteView delta);

// Fills `out` with what `delta` makes of `base`. kCorrupt unless it fits the
// base and gives as many bytes as it says; kLimitExceeded above `max_size`.
Status ApplyPackDelta(ByteView base, ByteView delta, uint64_t max_size,
                      Bytes& out);

// Appends what turns a base of `base_size` bytes into `target`. REQUIRES:
// `delta` was made for these two.
void EncodePackDelta(uint64_t base_size, ByteView target, const Delta& delta,
                     Bytes& out);

}  // namespace zpack
