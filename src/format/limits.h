// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a reader with default options accepts of one block (FORMAT.md, "Reading
// safely"), and what writers make of it. In one place, so that the
// compiler finds a writer that makes what readers refuse. Constants.

#pragma once

#include <cstdint>

#include "zpack/options.h"

namespace zpack::format {

// Of a reader's limit for a block, raw or stored: what one object of a block of
// deltas or trees may have, and what may be kept of them for later objects.
constexpr uint64_t MaxKept(uint64_t max_block_size) {
  return max_block_size / 2;
}
// The same for a segment, and for all commits of a block.
constexpr uint64_t MaxPiece(uint64_t max_block_size) {
  return max_block_size / 4;
}

inline constexpr uint64_t kDefaultMaxBlock = ReadOptions{}.max_block_size;

// Writers:
// - cut larger objects into segments of at most this size;
inline constexpr uint64_t kMaxWhole = 64'000'000;
// Several segments are in flight at once, beside their object.
inline constexpr uint64_t kMaxSegment = uint64_t{8} << 20;
static_assert(kMaxWhole <= MaxPiece(kDefaultMaxBlock));
static_assert(kMaxSegment <= MaxPiece(kDefaultMaxBlock));
// - close blocks of whole objects and of commits at this much content;
inline constexpr uint64_t kMaxWholeBlock = uint64_t{32} << 20;
inline constexpr uint64_t kMaxCommits = 32'000'000;
static_assert(kMaxWholeBlock + kMaxWhole <= kDefaultMaxBlock);
static_assert(kMaxCommits <= MaxPiece(kDefaultMaxBlock));
// - close blocks of deltas at this much content, and blocks of trees at half of
//   it;
inline constexpr uint64_t kMaxBlockContent = uint64_t{256} << 20;
// - let the trees of a chain have at most this much content.
inline constexpr uint64_t kMaxTreeChain = uint64_t{64} << 20;
static_assert(kMaxTreeChain <= MaxKept(kDefaultMaxBlock));
// Blocks may be as large as this option allows, and one object larger.
static_assert(ConvertOptions::kMaxBlockSize + kMaxWhole <= kDefaultMaxBlock);

}  // namespace zpack::format
