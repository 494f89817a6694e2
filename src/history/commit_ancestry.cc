// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/commit_ancestry.h"

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/index.h"

namespace zpack {

Status VisitAncestors(ObjectGraph& graph, ObjectNumber start,
                      const std::stop_token& stop,
                      const std::function<bool(ObjectNumber)>& enter) {
  std::vector<ObjectNumber> waiting;
  if (enter(start)) waiting.push_back(start);
  while (!waiting.empty()) {
    ZPACK_TRY(CheckStop(stop));
    const ObjectNumber number = waiting.back();
    waiting.pop_back();
    ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Commit commit,
                           graph.ReadCommit(number));
    for (const LinkNumber link : commit.parents) {
      ZPACK_ASSIGN_OR_RETURN(const ObjectNumber parent,
                             graph.ReadParent(number, link));
      if (enter(parent)) waiting.push_back(parent);
    }
  }
  return {};
}

Result<std::vector<ObjectId>> FindMergeBases(const ArchiveFile& archive,
                                             const ObjectId& a,
                                             const ObjectId& b) {
  constexpr uint8_t kOfA = 1;
  constexpr uint8_t kOfB = 2;
  // A common ancestor that another one reaches is the parent of a common
  // ancestor, because all ancestors of a common ancestor are common.
  constexpr uint8_t kReached = 4;
  ObjectGraph graph(archive);
  // With the empty tree.
  IndexedVector<ObjectNumber, uint8_t> marks(size_t{archive.ids().size()} + 1);
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber first,
                         graph.Find(a, "the search for merge bases"));
  ZPACK_ASSIGN_OR_RETURN(const ObjectNumber second,
                         graph.Find(b, "the search for merge bases"));
  std::vector<ObjectNumber> common;
  ZPACK_TRY(VisitAncestors(graph, first, {}, [&](ObjectNumber number) {
    if (marks[number] != 0) return false;
    marks[number] = kOfA;
    return true;
  }));
  ZPACK_TRY(VisitAncestors(graph, second, {}, [&](ObjectNumber number) {
    if ((marks[number] & kOfB) != 0) return false;
    marks[number] |= kOfB;
    if ((marks[number] & kOfA) != 0) common.push_back(number);
    return true;
  }));
  for (const ObjectNumber number : common) {
    ZPACK_ASSIGN_OR_RETURN(const auto parents, graph.ReadParents(number));
    for (const ObjectNumber parent : parents) marks[parent] |= kReached;
  }
  std::vector<ObjectId> bases;
  std::ranges::sort(common);
  for (const ObjectNumber number : common) {
    if ((marks[number] & kReached) == 0) bases.push_back(graph.id(number));
  }
  return bases;
}

}  // namespace zpack
