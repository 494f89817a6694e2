// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Renumbers the ids in a block that are outside the archive. Such ids have
// numbers from the object count on, so they change in an archive with more
// objects, and so do the columns that hold them. All other streams keep their
// bytes. Thread-compatible.

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
  // `old_count` is the number of objects in the archive that holds the block.
  // `numbers` are the numbers of the new archive, and must outlive this object.
  BlockRenumberer(uint32_t old_count, const FileNumbers& numbers)
      : old_count_(old_count), known_(numbers), numbers_(known_) {}

  // Returns the changed columns of a block of trees.
  BlockStreams Trees(const TreeBlock& block);

  // Returns the changed columns of a block of `count` commits, whose first
  // object has number `first`. Returns kCorrupt if `streams` cannot belong to
  // such a block.
  Result<BlockStreams> Commits(const CommitLinkStreams& streams,
                               ObjectNumber first, uint32_t count);

 private:
  // Returns the number in the new block for `link` of the old block.
  LinkNumber Renumber(LinkNumber link, ByteView old_outside_ids,
                      Bytes& outside_ids);

  uint32_t old_count_;
  ObjectNumbers known_;
  BlockNumbers numbers_;
};

}  // namespace zpack
