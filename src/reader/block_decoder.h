// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decodes the chunk of a block into objects. Thread-compatible: one decoder per
// thread.

#pragma once

#include <cstdint>
#include <optional>

#include "codec/zstd_codec.h"
#include "format/block.h"
#include "format/commit_block.h"
#include "format/delta_block.h"
#include "format/link_numbers.h"
#include "format/tree_block.h"
#include "reader/decoded_block.h"
#include "reader/file_blocks.h"
#include "reader/group_reader.h"
#include "zpack/result.h"

namespace zpack {

class BlockDecoder {
 public:
  // Reads block `block` of `file`, checks its checksum and its entry in the
  // block table, and decodes it. Errors name the file and the offset. Loads the
  // index if the block holds trees or commits, because they refer to objects by
  // number.
  Result<DecodedBlock> Decode(const FileBlocks& file, size_t block);
  // Like Decode, for a block that Load has returned.
  Result<DecodedBlock> Decode(const FileBlocks& file, size_t block,
                              const format::BlockView& view);

  // Like Decode, for a block of commits whose links may have no ids yet: zeros
  // are in their places. kCorrupt if the block has another kind.
  Result<DecodedBlock> DecodeCommitsWithoutIds(const FileBlocks& file,
                                               size_t block);

  // Like Decode, but decodes only types and sizes, and does not load the index.
  Result<BlockObjects> DecodeObjects(const FileBlocks& file, size_t block);
  // Like DecodeObjects, for a block that Load has returned.
  Result<BlockObjects> DecodeObjects(const FileBlocks& file, size_t block,
                                     const format::BlockView& view);

  // Decodes the links of the commits in a block, without their texts. Returns
  // nullopt if the block has another kind, or if one of its commits is stored
  // verbatim.
  Result<std::optional<format::CommitTable>> DecodeCommitLinks(
      const FileBlocks& file, size_t block);

  // Returns the streams of a block of commits that format::CommitColumns reads.
  // Returns kCorrupt if the block has another kind.
  Result<format::BlockStreams> DecodeCommitColumns(const FileBlocks& file,
                                                   size_t block);

  // Returns the block as it is stored. The view is valid until the next call.
  Result<format::BlockView> Load(const FileBlocks& file, size_t block);
  // Returns a stream of `block`, decompressed. kCorrupt if the block does not
  // have it, if the stream continues another block, or if it cannot be
  // decompressed. Errors do not name the block.
  Result<Bytes> Unpack(const format::BlockView& block, format::StreamKind kind);
  // What may be spent on far bases while blocks of `file` are decoded one after
  // the other. The limit is for hostile files; it grows with the file.
  FarBudget& far_budget(const FileBlocks& file);
  // The chunk of the block that was read last.
  ByteView chunk() const { return chunk_; }

 private:
  // Like Unpack, for block `at` of `file`, also if the stream is continued.
  Result<Bytes> UnpackIn(const FileBlocks& file, size_t at,
                         const format::BlockView& block,
                         format::StreamKind kind);
  // Like Load, but errors do not name the block.
  Result<format::BlockView> LoadChunk(const FileBlocks& file, size_t block);
  // Parts of Decode, by kind of block. Errors do not name the block.
  Result<DecodedBlock> DecodeDeltas(const FileBlocks& file, size_t block,
                                    const format::BlockView& view);
  Result<DecodedBlock> DecodeTrees(const FileBlocks& file, size_t block,
                                   const format::BlockView& view);
  Result<DecodedBlock> DecodeCommits(const FileBlocks& file, size_t block,
                                     const format::BlockView& view,
                                     format::IdOfNumber id_of);
  Result<DecodedBlock> DecodeWhole(const FileBlocks& file, size_t block,
                                   const format::BlockView& view);
  Result<BlockObjects> Objects(const FileBlocks& file, size_t at,
                               const format::BlockView& block);
  Result<format::Commits> Commits(const FileBlocks& file, size_t at,
                                  const format::BlockView& block,
                                  format::IdOfNumber id_of);
  // Returns streams of the block, decompressed: those of `streams`, or all.
  Result<format::BlockStreams> UnpackAll(const FileBlocks& file, size_t at,
                                         const format::BlockView& block,
                                         format::BlockStreams streams);
  Result<format::BlockStreams> UnpackAll(const FileBlocks& file, size_t at,
                                         const format::BlockView& block) {
    return UnpackAll(file, at, block, format::BlockStreams(block.header.kind));
  }
  Result<format::BlockStreams> CommitColumns(const FileBlocks& file, size_t at,
                                             const format::BlockView& block) {
    return UnpackAll(file, at, block,
                     format::BlockStreams(format::kCommitColumns));
  }

  ZstdDecompressor decompressor_;
  GroupReader groups_;
  FarBudget far_budget_;
  uint64_t far_budget_of_ = 0;  // FileBlocks::identity
  Bytes chunk_;
};

}  // namespace zpack
