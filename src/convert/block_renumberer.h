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
#include "format/block_streams.h"
#include "format/commit_columns.h"
#include "format/link_numbers.h"
#include "format/tree_block.h"
#include "zpack/result.h"

namespace zpack {

class BlockRenumberer {
 public:
  // `old_count` is the number of objects in the archive that holds the block.
  // `numbers` are the numbers of the new archive, and must outlive this object.
  BlockRenumberer(uint32_t old_count, const format::FileNumbers& numbers)
      : old_count_(old_count), known_(numbers), links_(known_) {}

  // Returns the changed columns of a block of trees.
  format::BlockStreams Trees(const format::TreeBlock& block);

  // Returns the changed columns of a block of `count` commits, whose first
  // object has number `first`. Returns kCorrupt if `streams` cannot belong to
  // such a block.
  Result<format::BlockStreams> Commits(const format::BlockStreams& streams,
                                       ObjectNumber first, uint32_t count);

 private:
  // Returns the link in the new block for `link` of the old block.
  LinkNumber Renumber(LinkNumber link, const format::LinkDecoder& old,
                      format::BlockStreams& changed);

  uint32_t old_count_;
  format::ObjectNumbers known_;
  format::LinkEncoder links_;
};

}  // namespace zpack
