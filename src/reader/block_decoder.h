// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns a block's chunk back into objects. Thread-compatible: one decoder per
// worker.

#pragma once

#include <cstdint>
#include <vector>

#include "codec/zstd_codec.h"
#include "format/block.h"
#include "reader/pack_file.h"

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

  // REQUIRES: not a segment, index < sizes.size().
  ByteView object(size_t index) const {
    return ByteView(contents).subspan(offsets[index], objects.sizes[index]);
  }
};

class BlockDecoder {
 public:
  // Reads block `block` of `pack`, checks its checksum and that it holds what
  // the block table says, and decodes it. Errors name file and offset.
  Result<DecodedBlock> Decode(const PackFile& pack, size_t block);

  // The same without the contents.
  Result<BlockObjects> DecodeObjects(const PackFile& pack, size_t block);

  // The block as it is stored. The view lives until the decoder is used again.
  Result<format::BlockView> Load(const PackFile& pack, size_t block);

 private:
  // Load, with errors that do not name the block yet.
  Result<format::BlockView> LoadChunk(const PackFile& pack, size_t block);
  Result<Bytes> Unpack(const format::BlockView& block, format::StreamKind kind);
  Result<BlockObjects> Objects(const format::BlockView& block);

  ZstdDecompressor decompressor_;
  Bytes chunk_;
};

}  // namespace zpack
