// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reftable/block_loader.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace zpack::reftable {
namespace {

constexpr uint64_t kMaxPiece = 64 << 10;

struct BlockHeader {
  BlockType type;
  uint32_t size;  // with everything in front of the first record
};

// Bytes in front of the header of the block at `position`.
size_t FrontOf(const Table& table, uint64_t position) {
  return position == 0 ? table.header().size() : 0;
}

Result<BlockHeader> ReadBlockHeader(const Table& table, uint64_t position) {
  const size_t front = FrontOf(table, position);
  if (position > table.end() ||
      table.end() - position < front + kBlockHeaderSize) {
    return BadTable({table.path(), position}, "a block is cut off");
  }
  std::array<uint8_t, kBlockHeaderSize> bytes;
  ZPACK_TRY(table.Read(position + front, bytes));
  const BlockHeader header{
      BlockType{bytes[0]},
      LoadBigEndian<uint32_t>(bytes.data()) & kMaxBlockSize};
  constexpr std::array kTypes = {BlockType::kRef, BlockType::kIndex,
                                 BlockType::kObject, BlockType::kLog};
  if (std::ranges::find(kTypes, header.type) == kTypes.end()) {
    return BadTable({table.path(), position}, "unknown type of a block");
  }
  if (header.size < front + kBlockHeaderSize) {
    return BadTable({table.path(), position}, "a block has a wrong size");
  }
  return header;
}

// Where the block after the one that ends at `position` + `size` begins. Zeros
// may fill the space up to the next multiple of the block size.
Result<uint64_t> SkipPadding(const Table& table, uint64_t position,
                             uint64_t size) {
  const uint64_t end = position + size;
  const uint64_t block_size = table.header().block_size;
  if (size >= block_size || end == table.end()) return end;
  uint8_t first = 0;
  ZPACK_TRY(table.Read(end, {&first, 1}));
  if (first != 0) return end;
  if (block_size > table.end() - position) {
    return BadTable({table.path(), end}, "the padding of a block is cut off");
  }
  Bytes padding(block_size - size);
  ZPACK_TRY(table.Read(end, padding));
  if (std::ranges::any_of(padding, [](uint8_t byte) { return byte != 0; })) {
    return BadTable({table.path(), end}, "the padding of a block is not zero");
  }
  return position + block_size;
}

}  // namespace

Result<BlockType> BlockLoader::ReadType(const Table& table, uint64_t position) {
  ZPACK_ASSIGN_OR_RETURN(const BlockHeader header,
                         ReadBlockHeader(table, position));
  return header.type;
}

Status BlockLoader::Load(const Table& table, uint64_t position, BlockType type,
                         LoadedBlock& block) {
  ZPACK_ASSIGN_OR_RETURN(const BlockHeader header,
                         ReadBlockHeader(table, position));
  if (header.type != type) {
    return BadTable({table.path(), position}, "a block has a wrong type");
  }
  block.position = position;
  block.first_record = FrontOf(table, position) + kBlockHeaderSize;
  if (type == BlockType::kLog) {
    const uint64_t stored = table.end() - position - block.first_record;
    if (header.size - block.first_record > stored * kMaxInflateRatio) {
      return BadTable({table.path(), position}, "a block has a wrong size");
    }
    ZPACK_TRY(Reserve(table, header.size, block));
    return Inflate(table, block);
  }
  if (header.size > table.end() - position) {
    return BadTable({table.path(), position}, "a block is cut off");
  }
  ZPACK_TRY(Reserve(table, header.size, block));
  ZPACK_TRY(table.Read(position, block.bytes));
  ZPACK_ASSIGN_OR_RETURN(block.next, SkipPadding(table, position, header.size));
  return {};
}

void BlockLoader::Release(LoadedBlock& block) {
  memory_ -= block.bytes.capacity();
  block.bytes = {};
}

Status BlockLoader::Reserve(const Table& table, size_t size,
                            LoadedBlock& block) {
  if (size > block.bytes.capacity()) {
    Release(block);
    if (size > memory_limit_ - memory_) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "the blocks of reftable '{}' and of its stack need more "
                       "than {} bytes of memory",
                       AtPath{table.path()}, memory_limit_);
    }
    block.bytes.reserve(size);
    memory_ += block.bytes.capacity();
  }
  block.bytes.resize(size);
  return {};
}

Status BlockLoader::Inflate(const Table& table, LoadedBlock& block) {
  const Place place{table.path(), block.position};
  std::span<uint8_t> out = std::span(block.bytes).subspan(block.first_record);
  const uint64_t piece = std::min<uint64_t>(kMaxPiece, block.bytes.size());
  block.next = block.position + block.first_record;
  inflater_.Reset();
  while (block.next < table.end()) {
    compressed_.resize(std::min(piece, table.end() - block.next));
    ZPACK_TRY(table.Read(block.next, compressed_));
    const auto progress = inflater_.Run(compressed_, out);
    if (!progress) return BadTable(place, progress.error().message);
    block.next += progress->consumed;
    out = out.subspan(progress->produced);
    if (progress->ended) {
      if (out.empty()) return {};
      break;
    }
    if (progress->consumed == 0 && progress->produced == 0) break;
  }
  return BadTable(place, "a block of logs does not inflate to its size");
}

}  // namespace zpack::reftable
