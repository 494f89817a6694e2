// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of a gear hash: `hash = (hash << n) + kGear[byte]` depends on the
// last 64 / n bytes.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace zpack {

// splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", 2014).
constexpr uint64_t MixBits(uint64_t seed) {
  uint64_t x = seed * 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

inline constexpr auto kGear = [] {
  std::array<uint64_t, 256> gear{};
  for (size_t i = 0; i < gear.size(); ++i) gear[i] = MixBits(i + 1);
  return gear;
}();

}  // namespace zpack
