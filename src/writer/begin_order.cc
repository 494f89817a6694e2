// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/begin_order.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

namespace zpack {
namespace {

// About how long a stretch takes: 1 for each byte of trees. A megabyte of trees
// takes 1 ms, of commits 8, and of blobs 2; where versions are large, more of
// it differs from all candidates, and it takes up to 12 ms (git.git, libgit2,
// redis; tools/bench/RESULTS.md, "More threads, computed").
uint64_t WorkOf(const PlannedStretch& stretch) {
  constexpr uint64_t kSmallVersion = uint64_t{64} << 10;
  switch (stretch.kind) {
    case format::BlockKind::kTrees:
      return stretch.raw_size;
    case format::BlockKind::kCommits:
      return 8 * stretch.raw_size;
    case format::BlockKind::kDeltas: {
      const uint64_t average = stretch.raw_size / stretch.count;
      return 2 * stretch.raw_size *
             (1 + std::min<uint64_t>(average / kSmallVersion, 4));
    }
    default:
      return 2 * stretch.raw_size;
  }
}

}  // namespace

std::vector<size_t> BeginOrder(std::span<const PlannedStretch> stretches,
                               size_t window) {
  std::vector<size_t> order(stretches.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<size_t> places;
  uint64_t work = 0;
  for (size_t i = order.size() - std::min(order.size(), window);
       i < order.size(); ++i) {
    if (stretches[i].kind == format::BlockKind::kSegment) continue;
    places.push_back(i);
    work += WorkOf(stretches[i]);
  }
  if (places.empty()) return order;
  const uint64_t mean = work / places.size();
  std::vector<size_t> moved = places;
  const auto others = std::ranges::stable_partition(
      moved, [&](size_t i) { return WorkOf(stretches[i]) > mean + mean / 2; });
  std::ranges::stable_sort(moved.begin(), others.begin(), std::greater<>(),
                           [&](size_t i) { return WorkOf(stretches[i]); });
  for (size_t i = 0; i < places.size(); ++i) order[places[i]] = moved[i];
  return order;
}

}  // namespace zpack
