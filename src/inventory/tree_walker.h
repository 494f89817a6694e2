// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the trees of slices of history, from which other slices may be left
// out, so that several threads can share a history: what others met is met
// again. Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "inventory/history_walker.h"
#include "inventory/last_trees.h"
#include "inventory/object_list.h"
#include "object/object_links.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

class TreeWalker {
 public:
  // Only `list.ids` is used; `complete` is that of HistoryWalker. All outlive
  // this. Keeps the last tree of each directory, up to `memory` bytes.
  TreeWalker(ObjectSource& source, const ObjectList& list,
             const ListMarks& complete, uint64_t memory, std::stop_token stop);

  // Fills in what the trees of `slice` have, group by group: roots first, and
  // what is in them, level by level. Only what is met first, not what a slice
  // before had. Slices come in the order of history.
  Status Walk(HistorySlice& slice);

 private:
  // What a tree has that another one does not have.
  struct NewEntry {
    ObjectId id;
    bool is_tree = false;
    PathNumber directory;   // a path
    size_t name_begin = 0;  // in `names_`
    size_t name_size = 0;
    std::optional<ListRank> rank;
  };

  ListMarks& Known(bool is_tree) { return is_tree ? trees_ : others_; }
  // Notes an object, and in `pending_` that it is to be walked. REQUIRES: not
  // known.
  void Meet(ListRank rank, bool is_tree, PathNumber path, HistorySlice& slice);
  // Walks some of the next trees of `pending_`.
  Status WalkPending(HistorySlice& slice);
  // Reads one, and appends to `entries_`.
  Status ReadTree(const ObjectId& id, MetObject& tree);
  // Looks for `entries_`, and meets those that are not known.
  void MeetEntries(HistorySlice& slice);

  ObjectSource& source_;
  const ObjectList& list_;
  const ListMarks& complete_;
  std::stop_token stop_;
  // By rank, of all slices: met as a tree, and as something else. An odd tree
  // can call a tree a file.
  ListMarks trees_;
  ListMarks others_;
  std::vector<size_t> pending_;  // trees, as positions in the slice's `met`
  size_t walked_ = 0;            // of `pending_`
  PathTable paths_;              // of all slices
  LastTrees last_trees_;  // what the next one has in common with it was met
  Bytes content_;
  // Of trees that are read together.
  std::vector<ObjectId> ids_;
  std::vector<NewEntry> entries_;
  std::string names_;
};

}  // namespace zpack
