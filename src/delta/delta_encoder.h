// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds a delta between two byte strings. What both begin and end with is
// trimmed by wide compares; the middle of the base is indexed by the hash of
// every 16th window of 16 bytes, and the target's middle is scanned once.
// A copy is taken when it costs less than the literals it saves. One that was
// found late, because the base is indexed sparsely, replaces the short ones
// before it.
//
// Time is linear in base and target: a position of the target looks at no more
// than kMaxProbes positions of the base, and compares beyond a few bytes only
// where it then copies, and kMaxReach bytes back from there. Memory is a
// quarter of the base, at least.
//
// The index is that of xdelta (MacDonald, 2000) as Git uses it, with a window
// hash instead of a rolling one.
//
// Thread-compatible: one encoder per worker; its index is reused.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "delta/delta.h"
#include "delta/delta_costs.h"

namespace zpack {

class DeltaEncoder {
 public:
  explicit DeltaEncoder(const DeltaCosts& costs) : costs_(costs) {}

  // Fills `delta` with copies that turn `base` into `target`. False, with
  // `delta` unspecified, when that would cost `limit` or more, as far as can be
  // told without looking further.
  // REQUIRES: base and target are smaller than 4 GiB.
  bool Encode(ByteView base, ByteView target, uint64_t limit, Delta& delta);

 private:
  // The part of the target that is not encoded yet.
  struct Gap {
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t expected = 0;  // where in the base a copy to `begin` is cheapest

    // How far a copy to `target` from `base` is from the cheapest.
    uint64_t Jump(uint32_t target, uint32_t base) const {
      const uint64_t cheapest = uint64_t{expected} + (target - begin);
      return cheapest > base ? cheapest - base : base - cheapest;
    }
  };
  // A range of the target that stands in the base.
  struct Match {
    uint32_t target = 0;
    uint32_t base = 0;
    uint32_t length = 0;
    int64_t gain = 0;  // what copying it saves
  };

  // A window as the index holds it: above its number, bits of its hash that
  // tell most others with the same slot apart.
  uint32_t Entry(uint64_t hash, uint32_t window) const {
    return static_cast<uint32_t>(hash >> 16) << window_bits_ | window;
  }
  void IndexBase(ByteView base, uint32_t begin, uint32_t end);
  // The best match in `gap` around position `at`, where the window's hash is
  // `hash`; of gain 0 when nothing gains.
  Match FindMatch(ByteView base, ByteView target, const Gap& gap, uint32_t at,
                  uint64_t hash) const;

  // What a copy of `match` costs, with the literals before it.
  uint64_t Cost(const Gap& gap, const Match& match) const;
  // Lets `match`, if it begins where the gap does, reach back and take the
  // place of the last copies of `delta` as long as that is cheaper.
  void ReplaceCopies(ByteView base, ByteView target, Gap& gap, Match& match,
                     Delta& delta) const;

  DeltaCosts costs_;
  // Heads and links of chains of windows of the base, by hash and by window.
  // Windows are numbered from 1, which starts at index_begin_; 0 ends a chain.
  std::vector<uint32_t> heads_;
  std::vector<uint32_t> links_;
  // One bit for the hash of each window, 16 times as many bits as windows: it
  // stays in the nearest cache and turns most positions away.
  std::vector<uint64_t> filter_;
  uint32_t index_begin_ = 0;
  unsigned window_bits_ = 0;
  unsigned hash_shift_ = 0;
  unsigned filter_shift_ = 0;
};

}  // namespace zpack
