// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/text_samples.h"

#include "base/check.h"
#include "delta/gear_hash.h"

namespace zpack {

void AppendTextSamples(ByteView content, unsigned shift,
                       std::vector<uint32_t>& samples) {
  ZPACK_CHECK(kMinSampleShift <= shift && shift <= kMaxSampleShift);
  uint64_t hash = 0;
  for (const uint8_t byte : content) {
    hash = (hash << 4) + kGear[byte];
    if (hash >> (64 - shift) == 0) {
      samples.push_back(static_cast<uint32_t>(hash >> 16));
    }
  }
}

}  // namespace zpack
