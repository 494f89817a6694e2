// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits for one block that a reader with default options accepts (FORMAT.md,
// "Reading safely"), and the limits that writers keep. Both are here so that
// the compiler detects a writer that exceeds the limits of readers. Constants.

#pragma once

#include <cstdint>

#include "zpack/options.h"

namespace zpack::format {

// Maximum bytes of one object in a block of deltas or trees, and of the objects
// of such a block that a reader keeps for later objects. `max_block_size` is
// ReadOptions::max_block_size.
constexpr uint64_t MaxKept(uint64_t max_block_size) {
  return max_block_size / 2;
}
// Maximum bytes of a segment, and of all commits of a block.
constexpr uint64_t MaxPiece(uint64_t max_block_size) {
  return max_block_size / 4;
}

inline constexpr uint64_t kDefaultMaxBlock = ReadOptions::kMaxBlockSize;

// Writers cut objects of more than kMaxWhole bytes into segments of at most
// kMaxSegment bytes.
inline constexpr uint64_t kMaxWhole = 64'000'000;
// Several segments are in memory at once, plus their object.
inline constexpr uint64_t kMaxSegment = uint64_t{8} << 20;
static_assert(kMaxWhole <= MaxPiece(kDefaultMaxBlock));
static_assert(kMaxSegment <= MaxPiece(kDefaultMaxBlock));
// Writers close blocks of whole objects and of commits at this content size.
inline constexpr uint64_t kMaxWholeBlock = uint64_t{32} << 20;
inline constexpr uint64_t kMaxCommits = 32'000'000;
static_assert(kMaxWholeBlock + kMaxWhole <= kDefaultMaxBlock);
static_assert(kMaxCommits <= MaxPiece(kDefaultMaxBlock));
// Writers close blocks of deltas, and blocks of trees, at these content sizes.
inline constexpr uint64_t kMaxBlockContent = uint64_t{256} << 20;
inline constexpr uint64_t kMaxTreeBlockContent = uint64_t{512} << 20;
// Maximum content of the trees of one chain.
inline constexpr uint64_t kMaxTreeChain = uint64_t{64} << 20;
static_assert(kMaxTreeChain <= MaxKept(kDefaultMaxBlock));
// The continued streams of a group have at most kMaxGroupSize bytes, which is
// also the largest window of their frame; a group has at most kMaxGroupBlocks
// blocks. Both are limits of the format: they bound what reading one object
// costs.
inline constexpr int kMaxGroupWindowLog = 26;
inline constexpr uint64_t kMaxGroupSize = uint64_t{1} << kMaxGroupWindowLog;
inline constexpr uint32_t kMaxGroupBlocks = 256;
// The most blocks that hold an object in a block of far deltas, with its bases.
// A limit of the format.
inline constexpr uint32_t kMaxFarBlocks = 64;
// A block may exceed ConvertOptions::kMaxBlockSize by one object.
static_assert(ConvertOptions::kMaxBlockSize + kMaxWhole <= kDefaultMaxBlock);

}  // namespace zpack::format
