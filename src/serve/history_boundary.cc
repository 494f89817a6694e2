// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/history_boundary.h"

#include <cstdint>
#include <functional>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "serve/commit_set.h"

namespace zpack {
namespace {

// Git's INFINITE_DEPTH, which clients send for 'git fetch --unshallow'.
constexpr uint64_t kInfiniteDepth = 0x7fffffff;

// The commits of the future history of the client that the walks met.
struct Extent {
  CommitSet inside;                // the client will have their parents
  std::vector<ObjectNumber> ends;  // the client will not
};

class BoundaryFinder {
 public:
  BoundaryFinder(const FetchRequest& request, History& history,
                 const std::stop_token& stop)
      : request_(request),
        history_(history),
        stop_(stop),
        client_ends_(request.client_shallow.begin(),
                     request.client_shallow.end()) {}

  Result<Extent> Find() {
    const DeepenRequest& deepen = request_.deepen;
    if (deepen.depth > 0 && deepen.by_walk()) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "deepen and deepen-since (or deepen-not) cannot be used "
                       "together");
    }
    if (deepen.by_walk()) return BySet();
    if (deepen.depth >= kInfiniteDepth && !history_.archive_is_shallow()) {
      Extent extent{CommitSet(history_), {}};
      for (const ObjectNumber commit : request_.client_shallow) {
        extent.inside.Insert(commit);
      }
      return extent;
    }
    if (deepen.depth > 0 && deepen.relative) return Relative();
    // A shallow archive limits the history of every client, but a client that
    // does not ask for more keeps its own ends.
    return ByDepth(request_.wants,
                   deepen.depth > 0 ? deepen.depth : kInfiniteDepth);
  }

 private:
  bool asked() const {
    return request_.deepen.depth > 0 || request_.deepen.by_walk();
  }

  // Calls `visit` with each commit that `starts` reach and its depth, which is
  // 1 for the starts and the smallest possible for the others. `visit` returns
  // whether the walk goes on to the parents.
  Status WalkLevels(const std::vector<ObjectNumber>& starts,
                    const std::function<bool(ObjectNumber, uint64_t)>& visit) {
    CommitSet met(history_);
    ZPACK_ASSIGN_OR_RETURN(std::vector<ObjectNumber> level,
                           CommitsOf(starts, history_));
    std::vector<ObjectNumber> next;
    for (uint64_t depth = 1; !level.empty(); ++depth) {
      next.clear();
      for (const ObjectNumber commit : level) {
        ZPACK_TRY(CheckStop(stop_));
        if (!met.Insert(commit) || !visit(commit, depth)) continue;
        ZPACK_ASSIGN_OR_RETURN(const auto* const parents,
                               history_.TrueParents(commit));
        next.insert(next.end(), parents->begin(), parents->end());
      }
      std::swap(level, next);
    }
    return {};
  }

  // The commits at most `depth` - 1 steps away from `starts`.
  Result<Extent> ByDepth(const std::vector<ObjectNumber>& starts,
                         uint64_t depth) {
    Extent extent{CommitSet(history_), {}};
    const auto visit = [&](ObjectNumber commit, uint64_t at) {
      if ((at >= depth && depth < kInfiniteDepth) ||
          history_.EndsInArchive(commit) ||
          (!asked() && client_ends_.contains(commit))) {
        extent.ends.push_back(commit);
        return false;
      }
      extent.inside.Insert(commit);
      return true;
    };
    ZPACK_TRY(WalkLevels(starts, visit));
    return extent;
  }

  // Commits deeper than the client has. As in Git since 2.54, the new depth
  // counts from the first commit at which the history of the client ends. Git
  // before 2.54 counted from each of these commits by itself.
  Result<Extent> Relative() {
    uint64_t first = 0;
    const auto visit = [&](ObjectNumber commit, uint64_t at) {
      if (first == 0 && client_ends_.contains(commit)) first = at;
      return first == 0;
    };
    ZPACK_TRY(WalkLevels(request_.wants, visit));
    if (first == 0) return Extent{CommitSet(history_), {}};
    return ByDepth(request_.wants, first + request_.deepen.depth);
  }

  // The commits that 'deepen-since' and 'deepen-not' leave.
  Result<Extent> BySet() {
    ZPACK_ASSIGN_OR_RETURN(
        const CommitSet left_out,
        CommitSet::Closure(request_.deepen.not_of, history_, {.stop = stop_}));
    ZPACK_ASSIGN_OR_RETURN(
        CommitSet chosen,
        CommitSet::Closure(request_.wants, history_,
                           {.without = &left_out,
                            .since = request_.deepen.since.value_or(0),
                            .stop = stop_}));
    if (chosen.members().empty()) {
      return MakeError(ErrorCode::kInvalidArgument,
                       "no commits selected for shallow requests");
    }
    Extent extent{CommitSet(history_), {}};
    for (const ObjectNumber commit : chosen.members()) {
      ZPACK_ASSIGN_OR_RETURN(const bool ends, IsBorder(commit, chosen));
      if (ends) {
        extent.ends.push_back(commit);
      } else {
        extent.inside.Insert(commit);
      }
    }
    return extent;
  }

  Result<bool> IsBorder(ObjectNumber commit, const CommitSet& chosen) {
    if (history_.EndsInArchive(commit)) return true;
    ZPACK_ASSIGN_OR_RETURN(const auto* const parents,
                           history_.TrueParents(commit));
    for (const ObjectNumber parent : *parents) {
      if (!chosen.contains(parent)) return true;
    }
    return false;
  }

  const FetchRequest& request_;
  History& history_;
  const std::stop_token& stop_;
  std::unordered_set<ObjectNumber> client_ends_;
};

}  // namespace

Result<BoundaryChange> ChangeBoundary(const FetchRequest& request,
                                      History& history,
                                      const std::stop_token& stop) {
  BoundaryChange change;
  CommitSet before(history);
  for (const ObjectNumber commit : request.client_shallow) {
    before.Insert(commit);
  }
  const DeepenRequest& deepen = request.deepen;
  if (deepen.depth > 0 || deepen.by_walk() || history.archive_is_shallow()) {
    ZPACK_ASSIGN_OR_RETURN(const Extent extent,
                           BoundaryFinder(request, history, stop).Find());
    for (const ObjectNumber commit : extent.ends) {
      if (before.contains(commit)) continue;
      change.shallow.push_back(commit);
      history.EndAt(commit);
    }
    for (const ObjectNumber commit : request.client_shallow) {
      if (!extent.inside.contains(commit)) continue;
      change.unshallow.push_back(commit);
      ZPACK_ASSIGN_OR_RETURN(const auto* const parents,
                             history.TrueParents(commit));
      change.also_wanted.insert(change.also_wanted.end(), parents->begin(),
                                parents->end());
    }
  }
  // The client has these commits, but not their parents.
  for (const ObjectNumber commit : request.client_shallow) {
    history.EndAt(commit);
  }
  return change;
}

Status WriteBoundaryChange(const BoundaryChange& change, const History& history,
                           PacketWriter& writer) {
  for (const ObjectNumber commit : change.shallow) {
    ZPACK_TRY(writer.Line("shallow " + history.id(commit).ToHex()));
  }
  for (const ObjectNumber commit : change.unshallow) {
    ZPACK_TRY(writer.Line("unshallow " + history.id(commit).ToHex()));
  }
  return {};
}

}  // namespace zpack
