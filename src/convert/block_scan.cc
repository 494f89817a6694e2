// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/block_scan.h"

#include <optional>

#include "base/error.h"
#include "format/block.h"
#include "format/chunk.h"
#include "zpack/options.h"

namespace zpack {
namespace {

// Reads the blocks of a file one after the other and determines to which items
// of a plan they belong.
class BlockScan {
 public:
  BlockScan(const RandomAccessFile& file, const ArchivePlan& plan)
      : file_(file), plan_(plan), offset_(plan.preamble.size()) {}

  Status Run(WrittenBlocks& written) {
    const size_t reused = plan_.contents.reused_count();
    for (size_t item = 0; item < reused + plan_.stretches.size(); ++item) {
      ZPACK_ASSIGN_OR_RETURN(
          const bool complete,
          item < reused ? ScanReused(written)
                        : ScanPlanned(plan_.stretches[item - reused], written));
      if (!complete) break;
      written.item_ends.push_back(written.blocks.size());
    }
    size_t items = written.item_ends.size();
    // Copying reused blocks is faster than checking them, so a partial set of
    // them is dropped. Segments are useful only if the object is complete.
    if (items < reused) items = 0;
    while (items > reused && items - reused < plan_.stretches.size() &&
           plan_.stretches[items - reused].segment_offset != 0) {
      --items;
    }
    written.Shrink(items);
    return {};
  }

 private:
  // Returns the next block, or nullopt if it is incomplete or damaged. Returns
  // kIo if reading fails.
  Result<std::optional<format::BlockHeader>> Next(WrittenBlocks& written) {
    constexpr uint64_t kSmallest = format::kChunkOverhead;
    const uint64_t rest = file_.size() - offset_;
    if (rest < kSmallest) return std::nullopt;
    chunk_.resize(format::kChunkHeaderSize);
    ZPACK_TRY(file_.Read(offset_, chunk_));
    const auto header = format::DecodeChunkHeader(chunk_);
    if (!header || header->id != format::kBlockChunk ||
        header->payload_size > rest - kSmallest ||
        header->payload_size > ReadOptions{}.max_block_size) {
      return std::nullopt;
    }
    chunk_.resize(header->payload_size + kSmallest);
    ZPACK_TRY(file_.Read(offset_, chunk_));
    const auto payload = format::DecodeChunk(format::kBlockChunk, chunk_);
    if (!payload) return std::nullopt;
    const auto block =
        format::DecodeBlock(*payload, ReadOptions{}.max_block_size);
    if (!block) return std::nullopt;
    written.blocks.push_back(
        {offset_, chunk_.size(), block->header.first_object, {}});
    offset_ += chunk_.size();
    return block->header;
  }

  // Both functions return false if the item is incomplete.
  Result<bool> ScanReused(WrittenBlocks& written) {
    ZPACK_ASSIGN_OR_RETURN(const auto header, Next(written));
    return header.has_value();
  }

  Result<bool> ScanPlanned(const PlannedStretch& plan, WrittenBlocks& written) {
    uint32_t covered = 0;
    while (covered < plan.count) {
      ZPACK_ASSIGN_OR_RETURN(const auto header, Next(written));
      if (!header || header->kind != plan.kind || header->type != plan.type ||
          header->first_object != plan_.input.Number(plan.first + covered) ||
          header->segment_offset != plan.segment_offset ||
          header->object_count > plan.count - covered) {
        return false;
      }
      covered += header->object_count;
    }
    return true;
  }

  const RandomAccessFile& file_;
  const ArchivePlan& plan_;
  uint64_t offset_;
  Bytes chunk_;
};

}  // namespace

Status ScanBlocks(const RandomAccessFile& file, const ArchivePlan& plan,
                  WrittenBlocks& written) {
  return BlockScan(file, plan).Run(written);
}

}  // namespace zpack
