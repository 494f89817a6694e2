// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks commits in the order of git-log(1) and leaves out those that change
// nothing that is wanted, as "History Simplification" in git-log(1) says.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"
#include "history/object_graph.h"
#include "history/queued_commit.h"
#include "reader/archive_file.h"
#include "zpack/result.h"
#include "zpack/walk.h"

namespace zpack {

struct CommitWalkOptions {
  // Where to start, and what to leave out; as in WalkOptions.
  WalkRefs refs = WalkRefs::kNone;
  std::vector<ObjectId> starts = {};
  std::vector<ObjectId> excluded = {};
  size_t starts_before_refs = 0;
  bool first_parent = false;
  bool full_history = false;  // does not leave out side branches of merges
  // Commits older than this are left out with what only they reach.
  std::optional<uint64_t> since = std::nullopt;
  std::stop_token stop = {};
};

class CommitWalk {
 public:
  // Whether a commit has all that is wanted from one of its parents; without a
  // parent, whether it has nothing of that.
  using SameAsParent = std::function<Result<bool>(
      ObjectNumber commit, std::optional<ObjectNumber> parent)>;

  // `archive` and `graph` must outlive this object. With `same`, history is
  // simplified.
  CommitWalk(const ArchiveFile& archive, ObjectGraph& graph,
             CommitWalkOptions options, SameAsParent same = {});

  // Must be called once, before Next. Errors: those of ObjectGraph and of
  // `same`; kNotFound for a start that is not in the file; kInterrupted.
  Status Start();
  // The next commit. Errors as for Start.
  Result<std::optional<ObjectNumber>> Next();

 private:
  enum Flag : uint8_t {
    kSeen = 1,
    kParsed = 2,         // its parents are known
    kUninteresting = 4,  // as far as the walk knows
    kBottom = 8,         // named among the excluded
    kExcluded = 16,      // an ancestor of those
    kSame = 32,          // changes nothing that is wanted
    kQueued = 64,
  };
  // The commit that an object leads to, if any.
  Result<std::optional<ObjectNumber>> CommitOf(const ObjectId& id,
                                               std::string_view what);
  // The commits that the options start from, in their order.
  Result<std::vector<ObjectNumber>> Starts();
  Status Exclude(ObjectNumber commit);
  Status Push(ObjectNumber commit);
  // Takes the youngest of the queue.
  Result<ObjectNumber> Pop(uint64_t& time);
  // Its parents, or after simplification, the only one that counts.
  Result<std::vector<ObjectNumber>> Parents(ObjectNumber commit);
  Status MarkParentsUninteresting(ObjectNumber commit);
  void MarkUninteresting(ObjectNumber commit);
  // Queues the parents of a commit that was taken.
  Status FollowParents(ObjectNumber commit);
  Status FollowUninteresting(ObjectNumber commit);
  Status Simplify(ObjectNumber commit);
  // Walks to the end, for Next.
  Status List();
  bool Has(ObjectNumber commit, unsigned flags) const {
    return (flags_[commit.value()] & flags) != 0;
  }
  void Set(ObjectNumber commit, unsigned flags) {
    flags_[commit.value()] |= static_cast<uint8_t>(flags);
  }
  // A dead commit is not part of the result.
  bool IsDead(ObjectNumber commit) const {
    return Has(commit, kUninteresting | kExcluded);
  }
  // Git takes commits that the user named as relevant, too.
  bool IsRelevant(ObjectNumber commit) const {
    return !Has(commit, kUninteresting) || Has(commit, kBottom);
  }

  const ArchiveFile& archive_;
  ObjectGraph& graph_;
  const CommitWalkOptions options_;
  const SameAsParent same_;
  std::vector<uint8_t> flags_;  // by object
  std::unordered_map<ObjectNumber, ObjectNumber> only_parent_;
  std::priority_queue<QueuedCommit> queue_;
  uint64_t next_order_ = 0;
  uint64_t alive_ = 0;  // of the queue
  // With excluded commits, what is wanted is known only at the end.
  std::vector<ObjectNumber> listed_;
  size_t next_listed_ = 0;
};

}  // namespace zpack
