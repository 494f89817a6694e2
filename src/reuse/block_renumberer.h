// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Ids that are not in a file have numbers from the object count on. In a file
// with more objects these change, and so do the columns of a block that hold
// them; all other streams stay what they are. Thread-compatible.

#pragma once

#include <cstdint>

#include "base/index_spaces.h"
#include "reader/commit_columns.h"
#include "reader/tree_block.h"
#include "writer/block_streams.h"
#include "writer/object_numbers.h"
#include "zpack/result.h"

namespace zpack {

class BlockRenumberer {
 public:
  // `old_count` is the number of objects in the file that has the block;
  // `numbers` are those of the new one, and outlive this.
  BlockRenumberer(uint32_t old_count, const FileNumbers& numbers)
      : old_count_(old_count), known_(numbers), numbers_(known_) {}

  // The columns that change of a block of trees.
  BlockStreams Trees(const TreeBlock& block);

  // Those of a block of `count` commits that begins with object number `first`.
  // kCorrupt when `streams` are not those of such a block.
  Result<BlockStreams> Commits(const CommitLinkStreams& streams,
                               ObjectNumber first, uint32_t count);

 private:
  // What the new block calls what is `link` in the older file.
  LinkNumber Renumber(LinkNumber link, ByteView old_outside_ids,
                      Bytes& outside_ids);

  uint32_t old_count_;
  ObjectNumbers known_;
  BlockNumbers numbers_;
};

}  // namespace zpack
