// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/decoders.h"

#include <array>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "format/block.h"
#include "format/constants.h"
#include "reader/file_blocks.h"

namespace zpack {
namespace {

// What a thread holds at most, as a multiple of the streams of a block: these,
// an object, its base, and copies of both with what compares them; or the
// streams and all objects.
constexpr uint64_t kPerDeltas = 6;
constexpr uint64_t kPerOther = 2;
// More than the header and the directory of any kind of block.
constexpr size_t kStartSize = 512;

uint64_t DecodingMemory(const FileBlocks& blocks, size_t block) {
  std::array<uint8_t, kStartSize> buffer;
  const auto read = blocks.ReadBlockStart(block, buffer);
  if (!read || read->size() < format::kChunkHeaderSize) return 0;
  const auto start = format::PeekBlock(read->subspan(format::kChunkHeaderSize),
                                       blocks.options().max_block_size);
  if (!start) return 0;
  const bool deltas = start->kind == format::BlockKind::kDeltas ||
                      start->kind == format::BlockKind::kFarDeltas;
  return start->raw_size * (deltas ? kPerDeltas : kPerOther);
}

}  // namespace

unsigned DecodingThreads(const RunOptions& run, const FileBlocks& blocks) {
  const auto fitting = [&](uint64_t decoding) {
    return DecodingThreads(run, blocks.blocks_stored_size(), blocks.features(),
                           decoding);
  };
  const unsigned usual = fitting(kUsualDecoding);
  const bool always_fit = fitting(kPerDeltas * format::kMaxWhole) == usual;
  if (always_fit || blocks.is_far_away()) return usual;
  uint64_t most = kUsualDecoding;
  for (size_t block = 0; block < blocks.block_count(); ++block) {
    most = std::max(most, DecodingMemory(blocks, block));
  }
  return fitting(most);
}

}  // namespace zpack
