// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Deltas in the form of Git packs (gitformat-pack(5), "Deltified
// representation"). Pure.

#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/delta.h"
#include "delta/delta_costs.h"
#include "delta/delta_planner.h"
#include "zpack/result.h"

namespace zpack {

// Each delta is compressed separately. A literal of a text costs about 6 bits;
// a literal of a tree, mostly bytes of ids, costs nearly 8 bits. A copy takes 4
// to 7 bytes, whatever its offset.
inline constexpr DeltaCosts kPackTextCosts = {48, 240, 0, 0};
inline constexpr DeltaCosts kPackTreeCosts = {60, 280, 0, 0};
// Smaller contents are never deltas: the delta would be as large as the
// content.
inline constexpr uint64_t kMinPackDelta = 50;

// Options for planning the deltas of a pack. Only the number of deltas in a
// chain is limited, unlike in a block of a .zpack file.
DeltaPlannerOptions PackPlannerOptions(const DeltaCosts& costs,
                                       uint32_t max_depth);

// The header of a delta.
struct PackDeltaHeader {
  uint64_t base_size = 0;
  uint64_t result_size = 0;
  size_t size = 0;  // bytes of the header
};

// Maximum size of the header: two sizes of 64 bits.
inline constexpr uint64_t kMaxPackDeltaHeader = 20;

// kCorrupt if `delta` ends within its header, or a size does not fit 64 bits.
Result<PackDeltaHeader> DecodePackDeltaHeader(ByteView delta);

// Fills `out` with the result of applying `delta` to `base`. kCorrupt if
// `delta` is malformed, is not for a base of this size, or does not give the
// size in its header; kLimitExceeded if that size is above `max_size`.
Status ApplyPackDelta(ByteView base, ByteView delta, uint64_t max_size,
                      Bytes& out);

// True if `delta`, applied to `base`, gives `target`. Compares without making a
// copy.
bool PackDeltaGives(ByteView base, ByteView delta, ByteView target);

// Appends `delta`, which turns a base of `base_size` bytes into `target`, in
// the form of Git packs. REQUIRES: `delta` was made for this base and target.
void EncodePackDelta(uint64_t base_size, ByteView target, const Delta& delta,
                     Bytes& out);

}  // namespace zpack
