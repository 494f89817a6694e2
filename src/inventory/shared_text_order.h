// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Orders sets of files so that those with common text are close to each other.
// Blocks are compressed one by one, so text that two files have in common takes
// its space once only if both are in one block. Pure functions.

#pragma once

#include <cstdint>
#include <vector>

namespace zpack {

// Files that stay together.
struct TextSet {
  std::vector<uint32_t> samples;  // AppendTextSamples; ascending, each once
  uint64_t bytes = 0;  // expected in blocks, before they are compressed
  uint32_t kind = 0;   // equal for sets of files with the same extension
};

// Returns the positions of `sets` in the order in which to store them. Each set
// is followed by the one that shares most with the sets before it; without such
// a one, the given order goes on. The time is quadratic for 16,384 sets and
// linear in all others.
std::vector<uint32_t> OrderBySharedText(const std::vector<TextSet>& sets);

}  // namespace zpack
