// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the columns of tree and commit blocks that hold object numbers
// (FORMAT.md, "Trees" and "Commits"). Thread-compatible.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/tree_columns.h"
#include "writer/block_streams.h"

namespace zpack {

// Appends a child of a tree. `lineage` holds the children that occurred before
// it.
inline void AddChild(uint32_t name, LinkNumber child,
                     format::TreeChildren& lineage, BlockStreams& streams) {
  const auto code = lineage.Encode(name, child);
  streams.Number(format::StreamKind::kChildren, code.code);
  if (code.code == format::TreeChildren::kOther) {
    streams.Number(format::StreamKind::kChildDifferences,
                   ZigZag(code.difference));
  }
}

// Appends the links of the commits of one block.
class CommitLinkColumns {
 public:
  // Adds the links of the commit with number `commit`.
  void Add(ObjectNumber commit, LinkNumber tree,
           const std::vector<LinkNumber>& parents, BlockStreams& streams) {
    Difference(tree.value(), expected_tree_, format::StreamKind::kRootTrees,
               streams);
    expected_tree_ = std::max(expected_tree_, uint64_t{tree.value()} + 1);
    for (const LinkNumber parent : parents) {
      Difference(parent.value(), uint64_t{commit.value()} + 1,
                 format::StreamKind::kParents, streams);
    }
  }

 private:
  static void Difference(uint64_t value, uint64_t expected,
                         format::StreamKind kind, BlockStreams& streams) {
    streams.Number(kind, ZigZag(static_cast<int64_t>(value - expected)));
  }

  uint64_t expected_tree_ = 0;
};

}  // namespace zpack
