// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chunk 'BTAB': the position of each block and the objects in it (FORMAT.md,
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
  // One row for each block, and a last row with the end of the blocks and the
  // object count, so that row i + 1 gives the end of row i. The segments of one
  // object are consecutive rows with the same first object.
  std::vector<Row> rows;

  size_t block_count() const { return rows.empty() ? 0 : rows.size() - 1; }
  // Number of objects in a block. A segment counts as 1 object, although the
  // rows imply 0 for every segment but the last of its object.
  uint32_t object_count(size_t block) const;
  // Index of the block that holds the object `number`, or of its first segment.
  // REQUIRES: number < rows.back().first_object.
  size_t FindBlock(ObjectNumber number) const;
};

void Encode(const BlockTable& table, Bytes& out);

// The numbers of the objects in the blocks of a file: [begin, end).
struct ObjectNumberRange {
  uint32_t begin = 0;  // 0 unless there is a file below
  uint32_t end = 0;
};

// Parses the payload. kCorrupt unless the blocks cover the range [`begin`,
// `end`) of the file and the numbers of `objects` without gaps, and the last
// row with a repeated first object is followed by the next object.
Result<BlockTable> DecodeBlockTable(ByteView payload, uint64_t begin,
                                    uint64_t end, ObjectNumberRange objects);

}  // namespace zpack::format
