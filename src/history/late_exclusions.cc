// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/late_exclusions.h"

#include <cstdint>
#include <optional>
#include <queue>

#include "base/error.h"
#include "history/commit_ancestry.h"
#include "history/queued_commit.h"

namespace zpack {
namespace {

class GitWalk {
 public:
  GitWalk(ObjectGraph& graph, size_t objects)
      : graph_(graph), states_(objects) {}

  Status Begin(std::span<const WalkTip> tips, const std::stop_token& stop) {
    for (const WalkTip& tip : tips) {
      if (tip.only_read) ZPACK_TRY(ReadAncestors(tip.commit, stop));
      states_[tip.commit] |= kRead;
      if (tip.excluded) states_[tip.commit] |= kExcluded;
    }
    for (const WalkTip& tip : tips) {
      if (tip.excluded) ZPACK_TRY(ExcludeParents(tip.commit));
    }
    for (const WalkTip& tip : tips) {
      if (!tip.only_read) ZPACK_TRY(Queue(tip.commit));
    }
    return {};
  }

  // Whether a commit is left that is not known to be excluded.
  bool wants_more() const { return wanted_ > 0; }

  // Walks on. Returns the next commit if it is not known to be excluded.
  Result<std::optional<ObjectNumber>> Next() {
    const ObjectNumber commit = queue_.top().number;
    queue_.pop();
    states_[commit] |= kLeft;
    const bool excluded = Has(commit, kExcluded);
    if (!excluded) --wanted_;
    ZPACK_ASSIGN_OR_RETURN(const std::vector<ObjectNumber> parents,
                           graph_.ReadParents(commit));
    for (const ObjectNumber parent : parents) {
      states_[parent] |= kRead;
      if (excluded) {
        Exclude(parent);
        ZPACK_TRY(ExcludeParents(parent));
      }
      ZPACK_TRY(Queue(parent));
    }
    if (excluded) return std::nullopt;
    return commit;
  }

 private:
  static constexpr uint8_t kRead = 1;      // Git knows the parents
  static constexpr uint8_t kExcluded = 2;  // Git knows that
  static constexpr uint8_t kQueued = 4;
  static constexpr uint8_t kLeft = 8;  // the queue

  bool Has(ObjectNumber commit, uint8_t state) const {
    return (states_[commit] & state) != 0;
  }

  void Exclude(ObjectNumber commit) {
    if (Has(commit, kExcluded)) return;
    states_[commit] |= kExcluded;
    if (Has(commit, kQueued) && !Has(commit, kLeft)) --wanted_;
  }

  // Git may have read fewer of them, and then leaves out more.
  Status ReadAncestors(ObjectNumber commit, const std::stop_token& stop) {
    return VisitAncestors(graph_, commit, stop, [&](ObjectNumber ancestor) {
      if (Has(ancestor, kRead)) return false;
      states_[ancestor] |= kRead;
      return true;
    });
  }

  // Excludes what the commit reaches over commits that have been read.
  Status ExcludeParents(ObjectNumber commit) {
    std::vector<ObjectNumber> waiting = {commit};
    while (!waiting.empty()) {
      ZPACK_ASSIGN_OR_RETURN(const std::vector<ObjectNumber> parents,
                             graph_.ReadParents(waiting.back()));
      waiting.pop_back();
      for (const ObjectNumber parent : parents) {
        if (Has(parent, kExcluded)) continue;
        Exclude(parent);
        if (Has(parent, kRead)) waiting.push_back(parent);
      }
    }
    return {};
  }

  Status Queue(ObjectNumber commit) {
    if (Has(commit, kQueued)) return {};
    states_[commit] |= kQueued;
    if (!Has(commit, kExcluded)) ++wanted_;
    ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Commit read,
                           graph_.ReadCommit(commit));
    queue_.push({read.time, next_order_++, commit});
    return {};
  }

  ObjectGraph& graph_;
  IndexedVector<ObjectNumber, uint8_t> states_;
  std::priority_queue<QueuedCommit> queue_;
  uint64_t next_order_ = 0;
  size_t wanted_ = 0;  // in the queue, and not known to be excluded
};

}  // namespace

Result<std::vector<ObjectNumber>> FindLateExclusions(
    ObjectGraph& graph, size_t objects, const ObjectMarks& marks,
    std::span<const WalkTip> tips, const std::stop_token& stop) {
  std::vector<ObjectNumber> late;
  GitWalk walk(graph, objects);
  ZPACK_TRY(walk.Begin(tips, stop));
  while (walk.wants_more()) {
    ZPACK_TRY(CheckStop(stop));
    ZPACK_ASSIGN_OR_RETURN(const std::optional<ObjectNumber> commit,
                           walk.Next());
    if (commit && marks.excluded(*commit)) late.push_back(*commit);
  }
  return late;
}

}  // namespace zpack
