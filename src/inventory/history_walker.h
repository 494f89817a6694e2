// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks tags and commits, newest commits first, and cuts what it meets into
// slices of history. Trees are only named: TreeWalkers walk those of a slice.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// An object that a walk met.
struct MetObject {
  ListRank rank;
  PathNumber path = PathTable::kRoot;  // in the table of the slice
  // Unknown, unless it was read.
  ObjectType type = ObjectList::kUnknownType;
  uint64_t size = 0;
};

// A step of the walk: a tag, commit or blob, or everything in a tree.
struct WalkStep {
  MetObject object;
  bool is_tree = false;
};

// A stretch of history, and what is in its trees.
struct HistorySlice {
  // Steps whose trees are walked together, in `steps`, and what these have, in
  // `met`: where both end.
  struct Group {
    size_t steps_end = 0;
    size_t met_end = 0;
  };

  std::vector<WalkStep> steps;
  // Each once of all that one walker met, or twice, where an odd tree calls a
  // tree a file.
  std::vector<MetObject> met;
  std::vector<Group> groups;
  PathTable paths;
  std::set<ObjectId> missing;
};

// The rank of an id that is needed. Notes it in `missing` when there is none,
// except that Git knows the empty tree without storing it.
std::optional<ListRank> FindNeeded(const ObjectList& list, const ObjectId& id,
                                   std::set<ObjectId>& missing);

class HistoryWalker {
 public:
  // Only `list.ids` is used. The walk does not go behind the objects that
  // `complete` has, by rank; empty, it has none. All outlive this. `threads`
  // is how many walk slices at a time.
  HistoryWalker(ObjectSource& source, const std::vector<ObjectId>& shallow,
                const ObjectList& list, const ListMarks& complete,
                unsigned threads);

  // What `tips` reach, too, is to be walked. Its first steps go into `slice`.
  Status Add(const std::vector<ObjectId>& tips, HistorySlice& slice);
  // Appends steps to `slice`, as many as a slice should have, in groups; false
  // when there are none. Where slices end depends on the history and `threads`
  // only, and makes no difference to what is met where first: where groups end
  // does not depend on it.
  Result<bool> Next(HistorySlice& slice);

 private:
  struct PendingCommit {
    uint64_t time;
    ListRank rank;
    // Newest first; ties in a fixed order.
    friend bool operator<(const PendingCommit& a, const PendingCommit& b) {
      return a.time != b.time ? a.time < b.time : a.rank > b.rank;
    }
  };

  // Follows the links of the newest commit that waits.
  Status FollowNewest(HistorySlice& slice);
  // Marks an object as met, and makes a step of it. True when it was not met
  // before, and what it needs is to be walked.
  bool Meet(ListRank rank, HistorySlice& slice);
  // Reads the object of the last step.
  Status Read(HistorySlice& slice);
  // Follows tags to what they point at, and starts from there.
  Status AddTip(ListRank rank, HistorySlice& slice);
  Status AddCommit(ListRank rank, HistorySlice& slice);

  ObjectSource& source_;
  const ObjectList& list_;
  const ListMarks& complete_;
  uint64_t slices_before_;  // their steps to those of the next slice
  std::set<ObjectId> shallow_;
  ListMarks met_;  // by rank
  std::priority_queue<PendingCommit> commits_;
  // Links of the commits that wait in `commits_`, by rank.
  std::unordered_map<ListRank, std::pair<ObjectId, std::vector<ObjectId>>>
      links_;
  uint64_t steps_ = 0;  // of all slices
  Bytes content_;
};

}  // namespace zpack
