// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The columns of blocks of trees and commits that hold object numbers
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

// Appends a child that a tree names, `lineage` being what was seen before it.
inline void AddChild(uint32_t name, LinkNumber child,
                     format::TreeChildren& lineage, BlockStreams& streams) {
  const auto code = lineage.Encode(name, child);
  streams.Number(format::StreamKind::kChildren, code.code);
  if (code.code == format::TreeChildren::kOther) {
    streams.Number(format::StreamKind::kChildDifferences,
                   ZigZag(code.difference));
  }
}

// Appends what the commits of one block name.
class CommitLinkColumns {
 public:
  // Commit number `commit` names the others.
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
