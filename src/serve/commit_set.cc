// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/commit_set.h"

#include <unordered_set>

#include "base/error.h"

namespace zpack {

Result<std::vector<ObjectNumber>> CommitsOf(
    const std::vector<ObjectNumber>& objects, History& history) {
  std::vector<ObjectNumber> commits;
  // Each tag leads to the same commit every time, and a chain may be long.
  std::unordered_set<ObjectNumber> tags;
  for (ObjectNumber object : objects) {
    ObjectGraph& graph = history.graph();
    ZPACK_ASSIGN_OR_RETURN(ObjectType type, graph.Type(object));
    while (type == ObjectType::kTag && tags.insert(object).second) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Tag tag, graph.ReadTag(object));
      object = tag.target;
      ZPACK_ASSIGN_OR_RETURN(type, graph.Type(object));
    }
    if (type == ObjectType::kCommit) commits.push_back(object);
  }
  return commits;
}

Result<CommitSet> CommitSet::Closure(const std::vector<ObjectNumber>& starts,
                                     History& history, const Limits& limits) {
  CommitSet set(history);
  ZPACK_ASSIGN_OR_RETURN(std::vector<ObjectNumber> open,
                         CommitsOf(starts, history));
  while (!open.empty()) {
    const ObjectNumber commit = open.back();
    open.pop_back();
    if (set.contains(commit)) continue;
    if (limits.without != nullptr && limits.without->contains(commit)) continue;
    if (limits.since != 0) {
      ZPACK_ASSIGN_OR_RETURN(const uint64_t time, history.Time(commit));
      if (time < limits.since) continue;
    }
    ZPACK_TRY(CheckStop(limits.stop));
    set.Insert(commit);
    ZPACK_ASSIGN_OR_RETURN(const auto* const parents, history.Parents(commit));
    open.insert(open.end(), parents->begin(), parents->end());
  }
  return set;
}

}  // namespace zpack
