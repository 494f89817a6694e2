// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chunk 'BTAB': where each block is and which objects it holds (FORMAT.md,
// "Block table"). Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "zpack/result.h"

namespace zpack::format {

struct BlockTable {
  struct Row {
    uint64_t offset = 0;  // of the block's chunk header in the file
    ObjectNumber first_object;
  };
  // One row a block, and a last one with the end of the blocks and the object
  // count, so that row i + 1 always ends row i. The segments of one object are
  // consecutive rows with the same first object.
  std::vector<Row> rows;

  size_t block_count() const { return rows.empty() ? 0 : rows.size() - 1; }
  // Index of the block that holds object `number`, or the first of its
  // segments. REQUIRES: number < rows.back().first_object.
  size_t FindBlock(ObjectNumber number) const;
};

void Encode(const BlockTable& table, Bytes& out);

// Checks that the blocks cover [`begin`, `end`) of the file and objects 0 to
// `object_count` without gaps, and that rows with the same first object are
// followed by the next object. kCorrupt if not.
Result<BlockTable> DecodeBlockTable(ByteView payload, uint64_t begin,
                                    uint64_t end, uint32_t object_count);

}  // namespace zpack::format
