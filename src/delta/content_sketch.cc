// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "delta/content_sketch.h"

#include <algorithm>

#include "delta/gear_hash.h"

namespace zpack {
namespace {

// One position in 32 is a sample.
constexpr uint64_t kSampleMask = 0x1f;
// The bits that decide whether a position is a sample. They depend on the last
// 41 bytes.
constexpr unsigned kSampleShift = 36;
// The bits of the value of a sample. They depend on the last 52 bytes.
constexpr unsigned kValueShift = 20;
// Bytes whose samples are collected before they are used. Two separate loops
// have predictable branches.
constexpr size_t kBatch = 1024;
// With fewer samples, a comparison is not meaningful.
constexpr size_t kMinSamples = 4;

struct Function {
  uint32_t factor;
  uint32_t addend;
};
constexpr auto kFunctions = [] {
  std::array<Function, kSketchFeatures> functions{};
  for (size_t i = 0; i < functions.size(); ++i) {
    const uint64_t mixed = MixBits(i + 1000);
    functions[i] = {static_cast<uint32_t>(mixed >> 32) | 1,
                    static_cast<uint32_t>(mixed)};
  }
  return functions;
}();

}  // namespace

ContentSketch MakeSketch(ByteView content) {
  ContentSketch sketch;
  uint64_t hash = 0;
  size_t sample_count = 0;
  std::array<uint32_t, kBatch> samples;
  while (!content.empty()) {
    const ByteView batch = content.first(std::min(kBatch, content.size()));
    content = content.subspan(batch.size());
    size_t count = 0;
    for (const uint8_t byte : batch) {
      hash = (hash << 1) + kGear[byte];
      samples[count] = static_cast<uint32_t>(hash >> kValueShift);
      count += ((hash >> kSampleShift) & kSampleMask) == 0 ? 1 : 0;
    }
    sample_count += count;
    for (const uint32_t sample : std::span(samples).first(count)) {
      for (size_t i = 0; i < kSketchFeatures; ++i) {
        uint32_t value = sample * kFunctions[i].factor + kFunctions[i].addend;
        value = (value ^ (value >> 15)) * kFunctions[i].factor;
        sketch.features[i] = std::max(sketch.features[i], value);
      }
    }
  }
  sketch.valid = sample_count >= kMinSamples;
  return sketch;
}

unsigned SharedFeatures(const ContentSketch& a, const ContentSketch& b) {
  if (!a.valid || !b.valid) return 0;
  unsigned shared = 0;
  for (size_t i = 0; i < kSketchFeatures; ++i) {
    shared += a.features[i] == b.features[i] ? 1 : 0;
  }
  return shared;
}

}  // namespace zpack
