// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "codec/compressibility.h"

#include <algorithm>

#include "base/error.h"

namespace zpack {
namespace {

// Number of samples, evenly spread over the content, and bytes of each sample.
constexpr size_t kSamples = 4;
constexpr size_t kSampleSize = size_t{8} << 10;
// Samples that compress to more than this percentage of their size count as
// incompressible.
constexpr size_t kThreshold = 97;

}  // namespace

Result<bool> Compressibility::IsIncompressible(ByteView content) {
  if (content.size() < kMinSize) return false;
  samples_.clear();
  if (content.size() <= kSamples * kSampleSize) {
    Append(samples_, content);
  } else {
    const size_t step = (content.size() - kSampleSize) / (kSamples - 1);
    for (size_t i = 0; i < kSamples; ++i) {
      Append(samples_, content.subspan(i * step, kSampleSize));
    }
  }
  compressed_.clear();
  ZPACK_ASSIGN_OR_RETURN(const size_t size,
                         fast_.Compress(samples_, compressed_));
  return size * 100 > samples_.size() * kThreshold;
}

}  // namespace zpack
