// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns a block's chunk back into objects. Thread-compatible: one decoder per
// worker.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "codec/zstd_codec.h"
#include "format/block.h"
#include "reader/commit_block.h"
#include "reader/delta_block.h"
#include "reader/pack_file.h"
#include "reader/tree_block.h"

namespace zpack {

// Type and sizes of the objects of one block.
struct BlockObjects {
  format::BlockHeader header;
  std::vector<uint64_t> sizes;  // in a segment, the size of the whole object
};

struct DecodedBlock {
  BlockObjects objects;
  Bytes contents;                 // of all objects, or of the segment
  std::vector<uint64_t> offsets;  // of each object in `contents`, and the end
  // Instead of contents and offsets, in blocks of these kinds:
  std::optional<DeltaBlock> deltas;
  std::optional<TreeBlock> trees;
  TreeBlock::IdOf id_of;  // set with `trees`; refers to the open file

  // Bytes that this keeps in memory.
  uint64_t memory() const {
    if (deltas) return deltas->memory();
    return trees ? trees->memory() : contents.size();
  }

  // Calls `visit` with index and content of each object, in order. The content
  // lives until the next one. kLimitExceeded when more than `max_kept` bytes
  // had to be kept for objects to come. REQUIRES: not a segment.
  Status ForEachObject(
      uint64_t max_kept,
      const std::function<Status(size_t, ByteView)>& visit) const;

  // The content of one object; rebuilt in `buffer` when it is stored
  // against others.
  // REQUIRES: not a segment, index < sizes.size().
  ByteView Object(size_t index, Bytes& buffer) const;
};

class BlockDecoder {
 public:
  // Reads block `block` of `pack`, checks its checksum and that it holds what
  // the block table says, and decodes it. Errors name file and offset. A block
  // of trees or commits loads the index, since it names objects by number.
  Result<DecodedBlock> Decode(const PackFile& pack, size_t block);

  // The same without the contents, and without the index.
  Result<BlockObjects> DecodeObjects(const PackFile& pack, size_t block);

  // The block as it is stored. The view lives until the decoder is used again.
  Result<format::BlockView> Load(const PackFile& pack, size_t block);

 private:
  // Load, with errors that do not name the block yet.
  Result<format::BlockView> LoadChunk(const PackFile& pack, size_t block);
  Result<Bytes> Unpack(const format::BlockView& block, format::StreamKind kind);
  Result<BlockObjects> Objects(const PackFile& pack,
                               const format::BlockView& block);
  Result<DeltaBlock> Deltas(const PackFile& pack,
                            const format::BlockView& block);
  Result<Commits> DecodeCommitBlock(const PackFile& pack,
                                    const format::BlockView& block,
                                    TreeBlock::IdOf id_of);
  Result<TreeBlock> Trees(const PackFile& pack, const format::BlockView& block);

  ZstdDecompressor decompressor_;
  Bytes chunk_;
};

}  // namespace zpack
