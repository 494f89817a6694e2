// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/histogram.h"

#include <algorithm>
#include <bit>

namespace zpack {

FileStatistics::Histogram MakeHistogram(std::vector<uint64_t> values) {
  FileStatistics::Histogram histogram;
  if (values.empty()) return histogram;
  std::ranges::sort(values);
  histogram.median = values[(values.size() - 1) / 2];
  histogram.p99 = values[(values.size() - 1) * 99 / 100];
  histogram.maximum = values.back();
  for (const uint64_t value : values) {
    // Values above the largest power of two get UINT64_MAX as their upper
    // bound.
    const uint64_t up_to = value == 0               ? 0
                           : value > UINT64_MAX / 2 ? UINT64_MAX
                                                    : std::bit_ceil(value);
    if (histogram.buckets.empty() || histogram.buckets.back().up_to != up_to) {
      histogram.buckets.push_back({up_to, 0});
    }
    ++histogram.buckets.back().objects;
  }
  return histogram;
}

}  // namespace zpack
