// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Samples of a text: two texts have as many in common as they have short
// passages in common, down to a line of code.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace zpack {

inline constexpr unsigned kMinSampleShift = 3;
inline constexpr unsigned kMaxSampleShift = 16;

// Appends hashes of 12 bytes of `content` each, unsorted and perhaps more than
// once: of about one position in `1 << shift`, which the 16 bytes before it
// choose. REQUIRES: kMinSampleShift <= shift <= kMaxSampleShift.
void AppendTextSamples(ByteView content, unsigned shift,
                       std::vector<uint32_t>& samples);

}  // namespace zpack
