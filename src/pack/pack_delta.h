// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Deltas as Git's packs hold them (gitformat-pack(5), "Deltified
// representation"). Pure.

#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "delta/delta.h"
#include "delta/delta_costs.h"
#include "delta/delta_planner.h"
#include "zpack/result.h"

namespace zpack {

// Each delta is deflated by itself, so literals of texts cost some 6 bits and
// those of trees, ids mostly, nearly 8; a copy takes 4 to 7 bytes whatever its
// offset.
inline constexpr DeltaCosts kPackTextCosts = {48, 240, 0, 0};
inline constexpr DeltaCosts kPackTreeCosts = {60, 280, 0, 0};
// Contents below are as large as deltas of them.
inline constexpr uint64_t kMinPackDelta = 50;

// Options for planning the deltas of a pack: unlike those of a .zpack block,
// they are bounded by their number alone.
DeltaPlannerOptions PackPlannerOptions(const DeltaCosts& costs,
                                       uint32_t max_depth);

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

// True when `delta` makes `target` of `base`: ApplyPackDelta without the copy.
bool PackDeltaGives(ByteView base, ByteView delta, ByteView target);

// Appends what turns a base of `base_size` bytes into `target`. REQUIRES:
// `delta` was made for these two.
void EncodePackDelta(uint64_t base_size, ByteView target, const Delta& delta,
                     Bytes& out);

}  // namespace zpack
