// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the trees of history slices. Several walkers can share one history:
// each walks some of the slices, and may meet objects again that another walker
// has met. Thread-compatible.

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
  // Reads only the ids of `list`. `complete` is that of HistoryWalker. Keeps
  // the last tree of each directory, in about `memory` bytes. All references
  // must outlive this object.
  TreeWalker(ObjectSource& source, const ObjectList& list,
             const ListMarks& complete, uint64_t memory, std::stop_token stop);

  // Fills in the objects that the trees of `slice` hold, group by group: first
  // the root trees, then their entries, level by level. Leaves out objects that
  // this walker met in an earlier slice. REQUIRES: slices come in the order of
  // history.
  Status Walk(HistorySlice& slice);

 private:
  // An entry of a tree that the previous tree of the directory does not have.
  struct NewEntry {
    ObjectId id;
    bool is_tree = false;
    PathNumber directory;   // a path
    size_t name_begin = 0;  // in `names_`
    size_t name_size = 0;
    std::optional<ListRank> rank;
  };

  ListMarks& Known(bool is_tree) { return is_tree ? trees_ : others_; }
  // Appends an object to `slice.met`. If it is a tree to be walked, appends it
  // to `pending_` as well. REQUIRES: the object is not known.
  void Meet(ListRank rank, bool is_tree, PathNumber path, HistorySlice& slice);
  // Walks the next trees of `pending_`, several together.
  Status WalkPending(HistorySlice& slice);
  // Reads a tree and appends its new entries to `entries_`.
  Status ReadTree(const ObjectId& id, MetObject& tree);
  // Looks up `entries_` and calls Meet for each that is not known.
  void MeetEntries(HistorySlice& slice);

  ObjectSource& source_;
  const ObjectList& list_;
  const ListMarks& complete_;
  std::stop_token stop_;
  // By rank, for all slices: objects met as trees, and objects met as anything
  // else. A malformed tree can list a tree as a file.
  ListMarks trees_;
  ListMarks others_;
  std::vector<size_t> pending_;  // positions of trees in the slice's `met`
  size_t walked_ = 0;            // number of `pending_` that have been walked
  PathTable paths_;              // of all slices
  // Entries that a tree shares with the last tree of its directory are not new.
  LastTrees last_trees_;
  Bytes content_;
  // Of the trees that are read together:
  std::vector<ObjectId> ids_;
  std::vector<NewEntry> entries_;
  std::string names_;
};

}  // namespace zpack
