// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decompresses the continued streams of groups of blocks (FORMAT.md, "Groups").
// Blocks that are read in the order of the file are decompressed once; any
// other block costs the streams of the blocks before it in its group, at most
// format::kMaxGroupSize bytes. Thread-compatible: one reader per thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "codec/zstd_codec.h"
#include "format/block.h"
#include "reader/file_blocks.h"
#include "zpack/result.h"

namespace zpack {

class GroupReader {
 public:
  // Returns the continued stream of block `at`, which is `view`. kCorrupt if
  // it, or a block before it in the group, is damaged or missing. Errors do not
  // name the block. REQUIRES: the block has a continued stream.
  Result<Bytes> Read(const FileBlocks& file, size_t at,
                     const format::BlockView& view);

 private:
  // What the next block of the group must be.
  struct Position {
    uint64_t file = 0;  // FileBlocks::identity
    size_t first = 0;   // block where the group begins
    size_t next = 0;
    format::BlockKind kind = format::BlockKind::kDeltas;
    ObjectNumber object;
    format::GroupPlace place;
  };
  // The block from which on the group cannot be read.
  struct Failure {
    Position at;
    Error error;
  };

  // Takes the block at `position_`; `use` decompresses its stream.
  template <typename Use>
  Status Take(const format::BlockView& view, Use use);
  // Takes a block that only the blocks after it need.
  Status Skip(const FileBlocks& file);

  ZstdDecompressor decompressor_;
  std::optional<Position> position_;
  std::optional<Failure> failure_;
  Bytes chunk_;  // of a block that is skipped
};

}  // namespace zpack
