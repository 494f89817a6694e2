// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks tags and commits, newest commits first, and divides the steps of the
// walk into slices of history. Does not read trees: a TreeWalker walks the
// trees of each slice. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// An object that the walk met.
struct MetObject {
  ListRank rank;
  PathNumber path = PathTable::kRoot;  // in the path table of the slice
  // `kUnknownType` until the object has been read.
  ObjectType type = ObjectList::kUnknownType;
  uint64_t size = 0;
};

// A step of the walk: a tag, a commit, a blob or, if `is_tree`, a whole tree.
struct WalkStep {
  MetObject object;
  bool is_tree = false;
};

// Consecutive steps of the walk, and the objects in the trees of these steps.
struct HistorySlice {
  // A group is a run of steps whose trees are walked together. Its steps end at
  // `steps_end` in `steps`, and the objects in its trees end at `met_end` in
  // `met`.
  struct Group {
    size_t steps_end = 0;
    size_t met_end = 0;
  };

  std::vector<WalkStep> steps;
  // Objects that the TreeWalker met for the first time. An object occurs twice
  // if a malformed tree lists a tree as a file.
  std::vector<MetObject> met;
  std::vector<Group> groups;
  PathTable paths;
  std::set<ObjectId> missing;
  // Objects of another type than the commit or tree that links to them says.
  // What they link to is not followed.
  std::map<ObjectId, ObjectType> wrong;  // with the type that they should have
};

// Returns the rank of `id`, which another object or a ref needs. If `list` does
// not have `id`, returns nullopt and adds `id` to `missing`. The empty tree is
// not added, because Git knows it without storing it.
std::optional<ListRank> FindNeeded(const ObjectList& list, const ObjectId& id,
                                   std::set<ObjectId>& missing);

// A commit, when the walk follows its links.
struct FollowedCommit {
  ListRank rank;
  uint64_t time = 0;  // of the committer, in seconds since 1970
  const ObjectId& tree;
  std::span<const ObjectId> parents;  // none at a shallow boundary
};

class HistoryWalker {
 public:
  using VisitCommit = std::function<void(const FollowedCommit&)>;

  // Reads only the ids of `list`. `complete`, by rank, marks objects whose
  // links the walk does not follow; if empty, it marks none. `threads` is the
  // number of threads that walk slices. All references except `shallow` must
  // outlive this object.
  HistoryWalker(ObjectSource& source, const std::vector<ObjectId>& shallow,
                const ObjectList& list, const ListMarks& complete,
                unsigned threads);

  // Calls `visit` with each commit that is not complete.
  void OnCommit(VisitCommit visit) { visit_commit_ = std::move(visit); }

  // Adds `tips` as starting points. The first steps go into `slice`.
  Status Add(const std::vector<ObjectId>& tips, HistorySlice& slice);
  // Appends the steps of the next slice to `slice`, in groups. Returns false if
  // no step is left. The ends of slices depend only on the history and on
  // `threads`. They do not change the order in which objects are met. The ends
  // of groups depend only on the history.
  Result<bool> Next(HistorySlice& slice);

 private:
  struct PendingCommit {
    uint64_t time;
    ListRank rank;
    // Newest first. Equal times are ordered by rank.
    friend bool operator<(const PendingCommit& a, const PendingCommit& b) {
      return a.time != b.time ? a.time < b.time : a.rank > b.rank;
    }
  };

  // Follows the links of the newest commit in `commits_`.
  Status FollowNewest(HistorySlice& slice);
  // If the object has not been met, marks it as met and appends a step for it.
  // Returns true if the caller has to follow the links of the object.
  bool Meet(ListRank rank, HistorySlice& slice);
  // Reads the object of the last step of `slice`.
  Status Read(HistorySlice& slice);
  // Follows a chain of tags to an object of another type and starts there.
  Status AddTip(ListRank rank, HistorySlice& slice);
  Status AddCommit(ListRank rank, HistorySlice& slice);

  ObjectSource& source_;
  const ObjectList& list_;
  const ListMarks& complete_;
  // A slice has at least 1 / `slices_before_` of the steps of all slices before
  // it.
  uint64_t slices_before_;
  std::set<ObjectId> shallow_;
  ListMarks met_;  // by rank
  std::priority_queue<PendingCommit> commits_;
  // Links of the commits in `commits_`, by rank.
  std::unordered_map<ListRank, std::pair<ObjectId, std::vector<ObjectId>>>
      links_;
  uint64_t steps_ = 0;  // of all slices
  VisitCommit visit_commit_;
  Bytes content_;
};

}  // namespace zpack
