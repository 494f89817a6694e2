// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks a repository's history, newest commits first, and gives every object
// it meets a path and a position. Thread-compatible.

#pragma once

#include <cstdint>
#include <queue>
#include <set>
#include <vector>

#include "base/lru_cache.h"
#include "object/object_source.h"
#include "writer/object_list.h"
#include "zpack/options.h"

namespace zpack {

class ObjectWalker {
 public:
  // `list.ids` is set; `paths` and `visits` are filled by the walk, `types`
  // and `sizes` of every object it reads, which is all but blobs. The walk
  // does not go behind the objects that `complete` has, by rank: what they
  // need is known to be there. Empty, it has none.
  ObjectWalker(ObjectSource& source, const std::vector<ObjectId>& shallow,
               ObjectList& list, std::vector<bool> complete,
               const RunOptions& run);

  // Walks everything that `tips` reach. An object that is needed and not there
  // is noted in missing().
  Status Walk(const std::vector<ObjectId>& tips);

  // Sorted.
  const std::set<ObjectId>& missing() const { return missing_; }

 private:
  struct PendingCommit {
    uint64_t time;
    uint32_t rank;
    // Newest first; ties in a fixed order.
    friend bool operator<(const PendingCommit& a, const PendingCommit& b) {
      return a.time != b.time ? a.time < b.time : a.rank > b.rank;
    }
  };

  // Marks an object as reached. True when it was not before, and what it needs
  // is to be walked.
  bool Visit(uint32_t rank, uint32_t path);
  // The rank of an id that is needed; notes it as missing when there is none.
  std::optional<uint32_t> Need(const ObjectId& id);
  Status Read(uint32_t rank, Bytes& content);
  // Follows tags to what they point at, and starts from there.
  Status AddTip(uint32_t rank);
  Status AddCommit(uint32_t rank);
  // Visits `root` and everything below it.
  Status WalkTree(uint32_t root, uint32_t path);

  ObjectSource& source_;
  ObjectList& list_;
  std::vector<bool> complete_;
  const RunOptions& run_;
  std::set<ObjectId> shallow_;
  std::set<ObjectId> missing_;
  ObjectId empty_tree_;
  std::priority_queue<PendingCommit> commits_;
  // Links of the commits that wait in `commits_`, by rank.
  std::unordered_map<uint32_t, std::pair<ObjectId, std::vector<ObjectId>>>
      links_;
  // The last tree of each path: what the next one has in common with it was
  // visited.
  LruCache<uint32_t, Bytes> last_trees_;
  uint32_t next_visit_ = 0;
};

}  // namespace zpack
