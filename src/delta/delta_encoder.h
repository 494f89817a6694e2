// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds a delta between two byte strings. Wide compares find the common prefix
// and suffix. The encoder indexes the rest of the base by the hash of a window
// of 16 bytes at every 16th position, and scans the rest of the target once. A
// copy is used if it costs less than the literals that it replaces. At each
// position, the encoder also looks where the base goes on as if bytes had been
// replaced by as many others: the copy from there costs least, and is found
// even where the base has the same window many times. Because of the sparse
// index, a match may be found late; then it replaces shorter copies before it.
//
// Time is linear in base and target. Each position of the target is compared
// with at most kMaxProbes positions of the base. A comparison of more than a
// few bytes happens only for a match that is then copied, and for at most
// kMaxReach bytes before it. The index takes 0.9 to 1.5 times as much memory as
// the indexed part of the base.
//
// The index is that of xdelta (MacDonald, 2000) as in Git, but with a window
// hash instead of a rolling hash.
//
// Thread-compatible: one encoder per worker. The memory of the index is reused.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/delta.h"
#include "delta/delta_costs.h"

namespace zpack {

class DeltaEncoder {
 public:
  explicit DeltaEncoder(const DeltaCosts& costs) : costs_(costs) {}

  // Fills `delta` with copies that turn `base` into `target`. False, with
  // `delta` unspecified, if the delta would cost `limit` or more; the search
  // stops once this is known. REQUIRES: base and target are smaller than 4 GiB.
  bool Encode(ByteView base, ByteView target, uint64_t limit, Delta& delta);

  // After Encode has returned true: with a limit below this one, it would have
  // returned false; with any other, the same.
  uint64_t least_limit() const { return least_limit_; }

 private:
  // The part of the target that is not encoded yet.
  struct Gap {
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t expected = 0;  // the cheapest base offset for `begin`

    // The cheapest base offset for a copy to `target`.
    uint64_t Expected(uint32_t target) const {
      return uint64_t{expected} + (target - begin);
    }
    // The position of the target up to which that offset and the bytes of a
    // word after it are within a base of `base_size` bytes.
    uint32_t ExpectedEnd(size_t base_size) const {
      const uint64_t words_end = uint64_t{expected} + sizeof(uint64_t);
      if (words_end > base_size) return begin;
      return begin + static_cast<uint32_t>(std::min<uint64_t>(
                         base_size - words_end + 1, uint64_t{end} - begin));
    }
    // Distance of `base` from the cheapest offset for a copy to `target`.
    uint64_t Jump(uint32_t target, uint32_t base) const {
      const uint64_t cheapest = Expected(target);
      return cheapest > base ? cheapest - base : base - cheapest;
    }
  };
  // A range of the target that also occurs in the base.
  struct Match {
    uint32_t target = 0;
    uint32_t base = 0;
    uint32_t length = 0;
    int64_t gain = 0;  // cost that the copy saves
  };

  // An entry of the index: a window number in the low bits, and above it bits
  // of the window's hash, which distinguish most windows with the same slot.
  uint32_t Entry(uint64_t hash, uint32_t window) const {
    return static_cast<uint32_t>(hash >> 16) << window_bits_ | window;
  }
  void IndexBase(ByteView base, uint32_t begin, uint32_t end);
  // The cost that a copy of `match` saves.
  int64_t Gain(const Gap& gap, const Match& match) const;
  // A match that begins at the position `at`, at the offset that costs least.
  // The gain is 0 if it saves nothing.
  Match ExpectedMatch(ByteView base, ByteView target, const Gap& gap,
                      uint32_t at) const;
  // The best match in `gap` around the position `at`, where the window has the
  // hash `hash`. The gain is 0 if no match saves anything.
  Match FindMatch(ByteView base, ByteView target, const Gap& gap, uint32_t at,
                  uint64_t hash) const;

  // The match that is found first from the position `at` to `last`; moves `at`
  // to where it is found. The gain is 0 if there is none.
  Match FirstMatch(ByteView base, ByteView target, const Gap& gap,
                   uint32_t last, uint32_t& at) const;

  // The search of a gap goes on up to the position `at` if the delta may still
  // cost this much.
  uint64_t SearchCost(const Gap& gap, uint32_t at) const;
  // Cost of a copy of `match` and of the literals before it.
  uint64_t Cost(const Gap& gap, const Match& match) const;
  // If `match` begins at the front of the gap, extends it backwards over the
  // last copies of `delta` and removes them, as long as this is cheaper.
  void ReplaceCopies(ByteView base, ByteView target, Gap& gap, Match& match,
                     Delta& delta) const;

  DeltaCosts costs_;
  uint64_t least_limit_ = 0;
  // Heads and links of chains of base windows, by hash and by window number.
  // Windows are numbered from 1, which begins at index_begin_; 0 ends a chain.
  std::vector<uint32_t> heads_;
  std::vector<uint32_t> links_;
  // A bit filter of the windows' hashes, with 16 to 32 bits for each window.
  // The filter stays in the fastest cache and rejects most positions.
  std::vector<uint64_t> filter_;
  uint32_t index_begin_ = 0;
  unsigned window_bits_ = 0;
  unsigned hash_shift_ = 0;
  unsigned filter_shift_ = 0;
};

}  // namespace zpack
