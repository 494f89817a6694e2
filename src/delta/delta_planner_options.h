// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How far a DeltaPlanner searches. Plain values. Any thread.

#pragma once

#include <cstdint>
#include <limits>

#include "delta/delta_costs.h"

namespace zpack {

// When a delta that the caller knows is taken, as far as the chain allows.
enum class KnownDeltas : uint8_t {
  kIfGood,  // if it is cheap enough for the path; otherwise one is computed
  kAlways,  // unless another candidate gives a cheaper one
};

struct DeltaPlannerOptions {
  static constexpr uint32_t kAnyDepth = std::numeric_limits<uint32_t>::max();

  // Maximum candidates of the same path, and of similar content.
  unsigned same_path = 6;
  unsigned similar = 4;
  // A delta that costs less than this many literals is cheap enough: below
  // `good_for_path`, no further candidate of the path is tried; below
  // `good_for_all`, no similar object is tried.
  unsigned good_for_path = 200;
  unsigned good_for_all = 600;
  // Maximum bytes of content kept as delta candidates. The oldest are dropped
  // first; the newest object is always kept.
  uint64_t window_size = uint64_t{32} << 20;
  // An object may be a delta only if its content and the contents of all
  // objects in its base's chain add up to at most chain_size + chain_factor *
  // its own size.
  uint64_t chain_size = uint64_t{8} << 20;
  uint64_t chain_factor = 32;
  // Maximum number of deltas between an object and a whole object. A candidate
  // with fewer deltas left must give a cheaper delta: its limit falls with the
  // square of the deltas left.
  uint32_t max_depth = kAnyDepth;
  KnownDeltas known_deltas = KnownDeltas::kIfGood;
  DeltaCosts costs;

  // What the costs of deltas are compared with, in the unit of `costs`.
  uint64_t GoodForPath() const {
    return uint64_t{good_for_path} * costs.literal;
  }
  uint64_t GoodForAll() const { return uint64_t{good_for_all} * costs.literal; }
  uint64_t Whole(uint64_t size) const { return size * costs.literal; }
};

}  // namespace zpack
