// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of a plan that an interrupted run has written.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/file.h"
#include "base/index_spaces.h"
#include "format/expansion.h"

namespace zpack {

struct WrittenBlocks {
  struct Block {
    uint64_t offset = 0;
    uint64_t size = 0;  // of the whole chunk
    ObjectNumber first_object;
    format::Expansion expansion;
  };

  std::unique_ptr<RandomAccessFile> file;
  std::vector<Block> blocks;
  // By item (reused blocks first, then the stretches of the plan): the end of
  // the item's blocks in `blocks`. Items beyond the end of `item_ends` have not
  // been written.
  std::vector<size_t> item_ends;

  // Size of the file up to the end of the last block; 0 if there are no blocks.
  uint64_t size() const {
    return blocks.empty() ? 0 : blocks.back().offset + blocks.back().size;
  }
  // Keeps only the first `items` items.
  void Shrink(size_t items) {
    item_ends.resize(items);
    blocks.resize(items == 0 ? 0 : item_ends.back());
  }
};

}  // namespace zpack
