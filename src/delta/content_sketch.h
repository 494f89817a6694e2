// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A few numbers that two contents share when they share much of their text,
// wherever it stands. Text is sampled by content, so that an insertion moves
// no sample; each feature is the greatest of the samples under a function of
// its own, so that two contents agree in a feature with about the probability
// that a sample of one is in the other.
//
// Methods: min-wise hashing (Broder, 1997); a gear hash for sampling, as in
// "Odess: Speeding up Resemblance Detection for Redundancy Elimination by
// Fast Content-Defined Sampling" (Zou et al., ICDE 2021).

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace zpack {

inline constexpr size_t kSketchFeatures = 8;

struct ContentSketch {
  std::array<uint32_t, kSketchFeatures> features{};
  // False when there is too little text to tell anything.
  bool valid = false;
};

// Reads `content` once, at about a gigabyte a second.
ContentSketch MakeSketch(ByteView content);

}  // namespace zpack
