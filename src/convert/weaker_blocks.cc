// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/weaker_blocks.h"

#include <algorithm>

#include "base/error.h"
#include "codec/zstd_codec.h"
#include "format/block.h"
#include "reader/block_decoder.h"
#include "zpack/convert_stats.h"

namespace zpack {
namespace {

// Level 19 compresses that much in 30 ms.
constexpr uint64_t kStreamSize = uint64_t{64} << 10;

using Stream = format::BlockView::Stream;

// Returns the largest stream of at most kStreamSize bytes, or else the smallest
// stream; null if no stream is a frame of its own.
const Stream* ChooseStream(const format::BlockView& view) {
  const Stream* chosen = nullptr;
  const auto is_better = [&](uint64_t size) {
    if (chosen == nullptr) return true;
    const uint64_t best = chosen->header.raw_size;
    return size <= kStreamSize ? best > kStreamSize || size > best
                               : size < best;
  };
  for (const Stream& stream : view.streams) {
    if (stream.header.codec == format::StreamCodec::kZstd &&
        is_better(stream.header.raw_size)) {
      chosen = &stream;
    }
  }
  return chosen;
}

class BlockTester {
 public:
  BlockTester(const FileBlocks& blocks, const EncodingOptions& options,
              const std::stop_token& stop)
      : blocks_(blocks), compressor_(options.level, stop, options.halvings) {}

  // Returns whether the block becomes at least 1 % smaller. Another version of
  // zstd, or less memory, changes less.
  Result<bool> IsWeaker(size_t block) {
    ZPACK_ASSIGN_OR_RETURN(const format::BlockView view,
                           decoder_.Load(blocks_, block));
    const Stream* const stream = ChooseStream(view);
    if (stream == nullptr) return false;
    ZPACK_ASSIGN_OR_RETURN(const Bytes raw,
                           decoder_.Unpack(view, stream->header.kind));
    Bytes stored;
    ZPACK_ASSIGN_OR_RETURN(const size_t size,
                           compressor_.Compress(raw, stored));
    return size * 100 <= stream->stored.size() * 99;
  }

 private:
  const FileBlocks& blocks_;
  BlockDecoder decoder_;
  ZstdCompressor compressor_;
};

}  // namespace

Result<uint64_t> EstimateWeakerBytes(const ArchiveFile& archive,
                                     const EncodingOptions& options,
                                     const std::stop_token& stop) {
  constexpr uint64_t kSamples = ConvertStats::Reused::kSamples;
  const FileBlocks& blocks = archive.blocks();
  if (blocks.block_count() == 0) return 0;
  const uint64_t total = blocks.blocks_stored_size();
  BlockTester tester(blocks, options, stop);
  size_t tested = blocks.block_count();
  size_t block = 0;
  uint64_t end = blocks.block_stored_size(0);
  bool weaker = false;
  uint64_t count = 0;
  for (uint64_t sample = 0; sample < kSamples; ++sample) {
    ZPACK_TRY(CheckStop(stop));
    const uint64_t position = total / kSamples * sample + total / kSamples / 2;
    while (end <= position) end += blocks.block_stored_size(++block);
    if (block != tested) {
      ZPACK_ASSIGN_OR_RETURN(weaker, tester.IsWeaker(block));
      tested = block;
    }
    if (weaker) ++count;
  }
  return total / kSamples * count;
}

}  // namespace zpack
