// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns a block's chunk back into objects. Thread-compatible: one decoder per
// worker.

#pragma once

#include <cstdint>
#include <optional>

#include "codec/zstd_codec.h"
#include "format/block.h"
#include "reader/commit_block.h"
#include "reader/decoded_block.h"
#include "reader/delta_block.h"
#include "reader/file_blocks.h"
#include "reader/id_of_number.h"
#include "reader/tree_block.h"
#include "zpack/result.h"

namespace zpack {

class BlockDecoder {
 public:
  // Reads block `block` of `file`, checks its checksum and that it holds what
  // the block table says, and decodes it. Errors name file and offset. A block
  // of trees or commits loads the index, since it names objects by number.
  Result<DecodedBlock> Decode(const FileBlocks& file, size_t block);

  // The same without the contents, and without the index.
  Result<BlockObjects> DecodeObjects(const FileBlocks& file, size_t block);
  // The same for a block that Load has read.
  Result<BlockObjects> DecodeObjects(const FileBlocks& file, size_t block,
                                     const format::BlockView& view);

  // What the commits of a block name, without their texts. Nothing for a block
  // of another kind, and when a commit is stored verbatim.
  Result<std::optional<CommitTable>> DecodeCommitLinks(const FileBlocks& file,
                                                       size_t block);

  // The same as they are in the block. kCorrupt for a block of another kind.
  Result<CommitLinkStreams> DecodeLinkStreams(const FileBlocks& file,
                                              size_t block);

  // The block as it is stored. The view lives until the decoder is used again.
  Result<format::BlockView> Load(const FileBlocks& file, size_t block);
  // The chunk of the block that was read last.
  ByteView chunk() const { return chunk_; }

 private:
  // Load, with errors that do not name the block yet.
  Result<format::BlockView> LoadChunk(const FileBlocks& file, size_t block);
  // Decode, by the kind of the block; errors do not name the block yet.
  Result<DecodedBlock> DecodeDeltas(const FileBlocks& file, size_t block,
                                    const format::BlockView& view);
  Result<DecodedBlock> DecodeTrees(const FileBlocks& file, size_t block,
                                   const format::BlockView& view);
  Result<DecodedBlock> DecodeCommits(const FileBlocks& file, size_t block,
                                     const format::BlockView& view);
  Result<DecodedBlock> DecodeWhole(const FileBlocks& file, size_t block,
                                   const format::BlockView& view);
  Result<Bytes> Unpack(const format::BlockView& block, format::StreamKind kind);
  Result<BlockObjects> Objects(const FileBlocks& file, size_t at,
                               const format::BlockView& block);
  Result<DeltaBlock> Deltas(const FileBlocks& file,
                            const format::BlockView& block);
  Result<CommitLinkStreams> CommitLinks(const format::BlockView& block);
  Result<Commits> DecodeCommitBlock(const FileBlocks& file, size_t at,
                                    const format::BlockView& block,
                                    IdOfNumber id_of);
  Result<TreeBlock> Trees(const FileBlocks& file,
                          const format::BlockView& block);

  ZstdDecompressor decompressor_;
  Bytes chunk_;
};

}  // namespace zpack
