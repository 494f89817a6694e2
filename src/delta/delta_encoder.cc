// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/delta_encoder.h"

#include <algorithm>
#include <bit>

#include "base/byte_compare.h"

namespace zpack {
namespace {

// Bytes of a window, and distance of the indexed windows of the base.
constexpr uint32_t kWindow = 16;
// Windows of the base that are tried for one position of the target.
constexpr unsigned kMaxProbes = 8;
// A match is usually found within this many bytes after its start.
constexpr uint64_t kGapSlack = 32;
// Bytes before a match that are compared, so that the match can replace earlier
// copies.
constexpr uint32_t kMaxReach = 4096;
// A match this long ends the search for a better one.
constexpr uint32_t kLongEnough = 512;
// A match at the expected offset that is this long is not looked up in the
// index.
constexpr uint32_t kLongAsExpected = 64;

uint64_t HashWindow(const uint8_t* p) {
  // Odd constants; the golden ratio and the fractional part of sqrt(3).
  return (LoadWord(p) * 0x9e3779b97f4a7c15U) ^
         (std::rotl(LoadWord(p + 8), 29) * 0xbb67ae8584caa73bU);
}

}  // namespace

void DeltaEncoder::IndexBase(ByteView base, uint32_t begin, uint32_t end) {
  const uint32_t windows = (end - begin) / kWindow;
  window_bits_ = static_cast<unsigned>(std::bit_width(windows));
  hash_shift_ = 64 - (window_bits_ + 1);
  index_begin_ = begin;
  heads_.assign(size_t{2} << window_bits_, 0);
  links_.resize(windows + 1);
  filter_.assign((size_t{16} << window_bits_) / 64 + 1, 0);
  filter_shift_ = 64 - (window_bits_ + 4);
  // Backwards, so that a chain begins with its first window.
  for (uint32_t window = windows; window > 0; --window) {
    const uint64_t hash = HashWindow(&base[begin + (window - 1) * kWindow]);
    uint32_t& head = heads_[hash >> hash_shift_];
    links_[window] = head;
    head = Entry(hash, window);
    const uint64_t bit = hash >> filter_shift_;
    filter_[bit / 64] |= uint64_t{1} << (bit % 64);
  }
}

int64_t DeltaEncoder::Gain(const Gap& gap, const Match& match) const {
  return static_cast<int64_t>(uint64_t{match.length} * costs_.literal) -
         static_cast<int64_t>(costs_.Copy(gap.Jump(match.target, match.base)));
}

DeltaEncoder::Match DeltaEncoder::ExpectedMatch(ByteView base, ByteView target,
                                                const Gap& gap,
                                                uint32_t at) const {
  const auto position = static_cast<uint32_t>(gap.Expected(at));
  const auto length = static_cast<uint32_t>(
      CommonPrefix(&base[position], &target[at],
                   std::min<size_t>(base.size() - position, gap.end - at)));
  // Where copies cost little, short ones would stand in the way of longer ones.
  if (length < kWindow) return {};
  Match match{at, position, length, 0};
  match.gain = Gain(gap, match);
  return match.gain > 0 ? match : Match{};
}

DeltaEncoder::Match DeltaEncoder::FindMatch(ByteView base, ByteView target,
                                            const Gap& gap, uint32_t at,
                                            uint64_t hash) const {
  const uint32_t window_mask = (uint32_t{1} << window_bits_) - 1;
  Match best;
  uint32_t entry = heads_[hash >> hash_shift_];
  for (unsigned probe = 0; entry != 0 && probe < kMaxProbes; ++probe) {
    const uint32_t window = entry & window_mask;
    const bool same_tag = entry == Entry(hash, window);
    entry = links_[window];
    if (!same_tag) continue;
    const uint32_t position = index_begin_ + (window - 1) * kWindow;
    if (LoadWord(&base[position]) != LoadWord(&target[at]) ||
        LoadWord(&base[position + 8]) != LoadWord(&target[at + 8])) {
      continue;
    }
    const size_t room =
        std::min<size_t>(base.size() - position, gap.end - at) - kWindow;
    const auto forward = static_cast<uint32_t>(
        kWindow + CommonPrefix(base.data() + position + kWindow,
                               target.data() + at + kWindow, room));
    const auto backward = static_cast<uint32_t>(
        CommonSuffix(base.data() + position, target.data() + at,
                     std::min<size_t>(position, at - gap.begin)));
    Match match{at - backward, position - backward, backward + forward, 0};
    match.gain = Gain(gap, match);
    if (match.gain > best.gain) best = match;
    if (match.length >= kLongEnough) break;
  }
  return best;
}

DeltaEncoder::Match DeltaEncoder::FirstMatch(ByteView base, ByteView target,
                                             const Gap& gap, uint32_t last,
                                             uint32_t& at) const {
  const uint32_t expected_end = gap.ExpectedEnd(base.size());
  Match match;
  uint32_t next = at;
  for (; next <= last; ++next) {
    if (next < expected_end &&
        LoadWord(&base[gap.Expected(next)]) == LoadWord(&target[next])) {
      match = ExpectedMatch(base, target, gap, next);
      if (match.length >= kLongAsExpected) break;
    }
    const uint64_t hash = HashWindow(&target[next]);
    const uint64_t bit = hash >> filter_shift_;
    if ((filter_[bit / 64] >> (bit % 64) & 1) != 0) {
      const Match indexed = FindMatch(base, target, gap, next, hash);
      if (indexed.gain > match.gain) match = indexed;
    }
    if (match.gain > 0) break;
  }
  at = next;
  return match;
}

uint64_t DeltaEncoder::SearchCost(const Gap& gap, uint32_t at) const {
  const uint64_t literals = at - gap.begin;
  if (literals <= kGapSlack) return 1;
  return (literals - kGapSlack) * costs_.literal;
}

uint64_t DeltaEncoder::Cost(const Gap& gap, const Match& match) const {
  return uint64_t{match.target - gap.begin} * costs_.literal +
         costs_.Copy(gap.Jump(match.target, match.base));
}

void DeltaEncoder::ReplaceCopies(ByteView base, ByteView target, Gap& gap,
                                 Match& match, Delta& delta) const {
  if (match.target != gap.begin) return;
  const auto reach = static_cast<uint32_t>(
      match.target -
      CommonSuffix(base.data() + match.base, target.data() + match.target,
                   std::min({match.base, match.target, kMaxReach})));
  std::vector<DeltaCopy>& copies = delta.copies;
  while (!copies.empty()) {
    const DeltaCopy& last = copies.back();
    const Match old{gap.begin - last.length, last.offset, last.length, 0};
    if (old.target < reach) return;
    Gap before = gap;
    before.begin = old.target - last.literals;
    before.expected = 0;
    if (copies.size() > 1) {
      const DeltaCopy& earlier = copies[copies.size() - 2];
      before.expected = earlier.offset + earlier.length;
    }
    Match grown = match;
    grown.target = std::max(reach, before.begin);
    grown.base -= match.target - grown.target;
    grown.length += match.target - grown.target;
    const uint64_t old_cost = Cost(before, old);
    if (Cost(before, grown) >= old_cost + Cost(gap, match)) return;
    delta.cost -= old_cost;
    copies.pop_back();
    gap = before;
    match = grown;
  }
}

bool DeltaEncoder::Encode(ByteView base, ByteView target, uint64_t limit,
                          Delta& delta) {
  delta.copies.clear();
  const size_t shorter = std::min(base.size(), target.size());
  auto prefix =
      static_cast<uint32_t>(CommonPrefix(base.data(), target.data(), shorter));
  if (uint64_t{prefix} * costs_.literal <= costs_.copy) prefix = 0;
  auto suffix = static_cast<uint32_t>(
      CommonSuffix(base.data() + base.size(), target.data() + target.size(),
                   shorter - prefix));
  if (uint64_t{suffix} * costs_.literal <= costs_.copy) suffix = 0;
  const auto base_end = static_cast<uint32_t>(base.size()) - suffix;
  const auto target_end = static_cast<uint32_t>(target.size()) - suffix;

  // Copies of prefix and suffix. Literals are added later.
  delta.cost =
      (prefix != 0 ? costs_.copy : 0) + (suffix != 0 ? costs_.copy : 0);
  Gap gap{0, target_end, 0};
  const auto copy = [&](uint32_t at, uint32_t from, uint32_t length) {
    delta.copies.push_back({at - gap.begin, length, from});
    gap.begin = at + length;
    gap.expected = from + length;
  };
  if (prefix != 0) copy(0, 0, prefix);
  least_limit_ = 0;

  if (target_end - prefix >= kWindow && base_end - prefix >= kWindow) {
    IndexBase(base, prefix, base_end);
    const uint32_t last = target_end - kWindow;
    uint32_t at = prefix;
    while (at <= last) {
      if (delta.cost >= limit) return false;
      // At this position, the literals alone exceed the limit, even if a match
      // found there reaches back a little.
      const uint64_t give_up =
          gap.begin + (limit - delta.cost) / costs_.literal + kGapSlack;
      const auto stop =
          static_cast<uint32_t>(std::min<uint64_t>(last, give_up));
      Match match = FirstMatch(base, target, gap, stop, at);
      if (match.gain <= 0 && give_up < last) return false;
      least_limit_ = std::max(least_limit_,
                              delta.cost + SearchCost(gap, std::min(at, last)));
      if (match.gain <= 0) break;
      ReplaceCopies(base, target, gap, match, delta);
      delta.cost += Cost(gap, match);
      copy(match.target, match.base, match.length);
      at = gap.begin;
    }
  }
  delta.cost += uint64_t{target_end - gap.begin} * costs_.literal;
  if (suffix != 0) copy(target_end, base_end, suffix);
  least_limit_ = std::max(least_limit_, delta.cost + 1);
  return delta.cost < limit;
}

}  // namespace zpack
