// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/commit_walk.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "history/commit_ancestry.h"

namespace zpack {

CommitWalk::CommitWalk(const ArchiveFile& archive, ObjectGraph& graph,
                       CommitWalkOptions options, SameAsParent same)
    : archive_(archive),
      graph_(graph),
      options_(std::move(options)),
      same_(std::move(same)),
      flags_(archive.object_count()) {}

Result<std::optional<ObjectNumber>> CommitWalk::CommitOf(
    const ObjectId& id, std::string_view what) {
  ZPACK_ASSIGN_OR_RETURN(ObjectNumber number, graph_.Find(id, what));
  ZPACK_ASSIGN_OR_RETURN(number, graph_.PeelTags(number));
  ZPACK_ASSIGN_OR_RETURN(const ObjectType type, graph_.Type(number));
  if (type != ObjectType::kCommit) return std::nullopt;
  return number;
}

Status CommitWalk::Push(ObjectNumber commit) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Commit read,
                         graph_.ReadCommit(commit));
  Set(commit, kSeen | kParsed | kQueued);
  if (!IsDead(commit)) ++alive_;
  queue_.push({read.time, next_order_++, commit});
  return {};
}

Result<ObjectNumber> CommitWalk::Pop(uint64_t& time) {
  ZPACK_TRY(CheckStop(options_.stop));
  const ObjectNumber commit = queue_.top().number;
  time = queue_.top().time;
  queue_.pop();
  flags_[commit.value()] &= static_cast<uint8_t>(~kQueued);
  if (!IsDead(commit)) --alive_;
  return commit;
}

Result<std::vector<ObjectNumber>> CommitWalk::Starts() {
  std::vector<ObjectNumber> starts;
  const auto add = [&](const ObjectId& id, std::string_view what) -> Status {
    if (id.empty()) return {};
    ZPACK_ASSIGN_OR_RETURN(const auto commit, CommitOf(id, what));
    if (commit) starts.push_back(*commit);
    return {};
  };
  const auto add_refs = [&]() -> Status {
    if (options_.refs == WalkRefs::kNone) return {};
    const RefsSnapshot& refs = archive_.refs();
    for (const Ref& ref : refs.refs) {
      ZPACK_TRY(add(refs.Resolve(ref.name), ref.name));
    }
    return add(refs.Resolve("HEAD"), "HEAD");
  };
  const size_t refs_at =
      std::min(options_.starts_before_refs, options_.starts.size());
  for (size_t i = 0; i <= options_.starts.size(); ++i) {
    if (i == refs_at) ZPACK_TRY(add_refs());
    if (i == options_.starts.size()) break;
    ZPACK_TRY(add(options_.starts[i], "the walk"));
  }
  return starts;
}

Status CommitWalk::Exclude(ObjectNumber commit) {
  ZPACK_TRY(
      VisitAncestors(graph_, commit, options_.stop, [&](ObjectNumber ancestor) {
        if (Has(ancestor, kExcluded)) return false;
        Set(ancestor, kExcluded);
        return true;
      }));
  Set(commit, kUninteresting | kBottom);
  if (Has(commit, kSeen)) return {};
  ZPACK_TRY(Push(commit));
  return MarkParentsUninteresting(commit);
}

Status CommitWalk::Start() {
  ZPACK_ASSIGN_OR_RETURN(const auto starts, Starts());
  std::vector<ObjectNumber> excluded;
  for (const ObjectId& id : options_.excluded) {
    ZPACK_ASSIGN_OR_RETURN(const auto commit, CommitOf(id, "the walk"));
    if (commit) excluded.push_back(*commit);
  }
  // Git has read all of them before it excludes some.
  for (const ObjectNumber commit : starts) Set(commit, kParsed);
  for (const ObjectNumber commit : excluded) Set(commit, kParsed);
  for (const ObjectNumber commit : excluded) ZPACK_TRY(Exclude(commit));
  for (const ObjectNumber commit : starts) {
    if (!Has(commit, kSeen)) ZPACK_TRY(Push(commit));
  }
  return options_.excluded.empty() ? Status{} : List();
}

Result<std::vector<ObjectNumber>> CommitWalk::Parents(ObjectNumber commit) {
  const auto only = only_parent_.find(commit);
  if (only != only_parent_.end()) return std::vector{only->second};
  return graph_.ReadParents(commit);
}

void CommitWalk::MarkUninteresting(ObjectNumber commit) {
  if (Has(commit, kQueued) && !IsDead(commit)) --alive_;
  Set(commit, kUninteresting);
}

// Like Git, goes on only where the walk has been.
Status CommitWalk::MarkParentsUninteresting(ObjectNumber commit) {
  std::vector<ObjectNumber> pending = {commit};
  while (!pending.empty()) {
    const ObjectNumber child = pending.back();
    pending.pop_back();
    if (!Has(child, kParsed)) continue;
    ZPACK_ASSIGN_OR_RETURN(const auto parents, Parents(child));
    for (const ObjectNumber parent : parents) {
      if (Has(parent, kUninteresting)) continue;
      MarkUninteresting(parent);
      pending.push_back(parent);
    }
  }
  return {};
}

Status CommitWalk::FollowUninteresting(ObjectNumber commit) {
  ZPACK_ASSIGN_OR_RETURN(const auto parents, Parents(commit));
  for (const ObjectNumber parent : parents) {
    MarkUninteresting(parent);
    Set(parent, kParsed);
    ZPACK_TRY(MarkParentsUninteresting(parent));
    if (!Has(parent, kSeen)) ZPACK_TRY(Push(parent));
  }
  return {};
}

// Compares with one parent after the other, as Git does: a parent that has all
// that is wanted is the only one that counts, and the others are not walked.
Status CommitWalk::Simplify(ObjectNumber commit) {
  ZPACK_ASSIGN_OR_RETURN(const auto parents, Parents(commit));
  if (parents.empty()) {
    ZPACK_ASSIGN_OR_RETURN(const bool same, same_(commit, std::nullopt));
    if (same) Set(commit, kSame);
    return {};
  }
  bool any_relevant = false;
  bool relevant_change = false;
  bool other_change = false;
  for (size_t i = 0; i < parents.size(); ++i) {
    const ObjectNumber parent = parents[i];
    const bool relevant = IsRelevant(parent);
    any_relevant = any_relevant || relevant;
    if (i == 1 && options_.first_parent) break;
    ZPACK_ASSIGN_OR_RETURN(const bool same, same_(commit, parent));
    if (same && relevant && !options_.full_history) {
      only_parent_.emplace(commit, parent);
      Set(commit, kSame);
      return {};
    }
    if (!same) (relevant ? relevant_change : other_change) = true;
  }
  if (!(any_relevant ? relevant_change : other_change)) Set(commit, kSame);
  return {};
}

Status CommitWalk::FollowParents(ObjectNumber commit) {
  if (same_) ZPACK_TRY(Simplify(commit));
  ZPACK_ASSIGN_OR_RETURN(auto parents, Parents(commit));
  if (options_.first_parent && parents.size() > 1) parents.resize(1);
  for (const ObjectNumber parent : parents) {
    if (!Has(parent, kSeen)) ZPACK_TRY(Push(parent));
  }
  return {};
}

Status CommitWalk::List() {
  while (alive_ > 0) {
    uint64_t time = 0;
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber commit, Pop(time));
    if (options_.since && time < *options_.since) {
      Set(commit, kUninteresting);
    }
    if (Has(commit, kUninteresting)) {
      ZPACK_TRY(FollowUninteresting(commit));
      continue;
    }
    ZPACK_TRY(FollowParents(commit));
    listed_.push_back(commit);
  }
  return {};
}

Result<std::optional<ObjectNumber>> CommitWalk::Next() {
  while (next_listed_ < listed_.size()) {
    const ObjectNumber commit = listed_[next_listed_++];
    if (!IsDead(commit) && !Has(commit, kSame)) return commit;
  }
  if (!options_.excluded.empty()) return std::nullopt;
  while (!queue_.empty()) {
    uint64_t time = 0;
    ZPACK_ASSIGN_OR_RETURN(const ObjectNumber commit, Pop(time));
    if (options_.since && time < *options_.since) continue;
    ZPACK_TRY(FollowParents(commit));
    if (!Has(commit, kSame)) return commit;
  }
  return std::nullopt;
}

}  // namespace zpack
