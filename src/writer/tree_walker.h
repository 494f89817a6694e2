// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the trees of slices of history, from which other slices may be left
// out, so that several threads can share a history: what others met is met
// again. Thread-compatible.

#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "base/bytes.h"
#include "base/content_ring.h"
#include "object/object_links.h"
#include "object/object_source.h"
#include "writer/history_walker.h"
#include "writer/object_list.h"

namespace zpack {

class TreeWalker {
 public:
  // Only `list.ids` is used; `complete` is that of HistoryWalker. All outlive
  // this. Keeps the last tree of each directory, up to `memory` bytes.
  TreeWalker(ObjectSource& source, const ObjectList& list,
             const std::vector<bool>& complete, uint64_t memory,
             std::stop_token stop);

  // Fills in what the trees of `slice` have, each in the order of the steps,
  // and everything that is met first; not again what a slice before had. Slices
  // come in the order of history.
  Status Walk(HistorySlice& slice);

 private:
  // Notes an object. True when it is a tree that is to be walked.
  bool Meet(uint32_t rank, bool is_tree, uint32_t path, HistorySlice& slice);
  // Walks a tree and everything below it.
  Status WalkTree(uint32_t root, HistorySlice& slice);
  // Walks one, and appends the trees in it to `pending_`.
  Status ReadTree(size_t position, HistorySlice& slice);

  ObjectSource& source_;
  const ObjectList& list_;
  const std::vector<bool>& complete_;
  std::stop_token stop_;
  // By rank, of all slices: met as a tree, and as something else. An odd tree
  // can call a tree a file.
  std::vector<bool> trees_;
  std::vector<bool> others_;
  std::vector<size_t> pending_;  // positions in the slice's `met`
  PathTable paths_;              // of all slices
  // The last tree of each path: what the next one has in common with it was
  // met.
  ContentRing last_trees_;
  Bytes content_;
  std::vector<TreeEntry> new_entries_;  // of `content_`
};

}  // namespace zpack
