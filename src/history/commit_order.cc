// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "history/commit_order.h"

#include <queue>
#include <utility>

#include "base/error.h"
#include "reader/block_types.h"

namespace zpack {
namespace {

struct Ready {
  uint64_t time = 0;
  ObjectNumber commit;

  // The youngest first; of two with the same time, that with the lower number.
  bool operator<(const Ready& other) const {
    return time != other.time ? time < other.time : other.commit < commit;
  }
};

}  // namespace

Result<std::vector<ObjectNumber>> ParentsInFile(ObjectGraph& graph,
                                                ObjectNumber commit) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Commit read,
                         graph.ReadCommit(commit));
  std::vector<ObjectNumber> parents;
  parents.reserve(read.parents.size());
  for (const LinkNumber link : read.parents) {
    const auto parent = graph.ReadParent(commit, link);
    if (parent) {
      parents.push_back(*parent);
    } else if (parent.error().code != ErrorCode::kNotFound) {
      return std::unexpected(parent.error());
    }
  }
  return parents;
}

Result<std::vector<ObjectNumber>> AllCommits(const ArchiveFile& archive,
                                             ObjectGraph& graph,
                                             const std::stop_token& stop) {
  const FileBlocks& blocks = archive.blocks();
  ZPACK_ASSIGN_OR_RETURN(const BlockTypes types, ReadBlockTypes(blocks, stop));
  // By object: how many children are not yet in the order.
  IndexedVector<ObjectNumber, uint32_t> children(archive.object_count());
  size_t count = 0;
  for (size_t block = 0; block < types.size(); ++block) {
    if (types[block] != ObjectType::kCommit) continue;
    ZPACK_TRY(CheckStop(stop));
    for (uint32_t i = 0; i < blocks.block_object_count(block); ++i) {
      const ObjectNumber commit = blocks.first_object(block) + i;
      ++count;
      ZPACK_ASSIGN_OR_RETURN(const auto parents, ParentsInFile(graph, commit));
      for (const ObjectNumber parent : parents) ++children[parent];
    }
  }
  std::priority_queue<Ready> ready;
  const auto add = [&](ObjectNumber commit) -> Status {
    ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Commit read,
                           graph.ReadCommit(commit));
    ready.push({read.time, commit});
    return {};
  };
  for (size_t block = 0; block < types.size(); ++block) {
    if (types[block] != ObjectType::kCommit) continue;
    for (uint32_t i = 0; i < blocks.block_object_count(block); ++i) {
      const ObjectNumber commit = blocks.first_object(block) + i;
      if (children[commit] == 0) ZPACK_TRY(add(commit));
    }
  }
  std::vector<ObjectNumber> order;
  order.reserve(count);
  while (!ready.empty()) {
    const ObjectNumber commit = ready.top().commit;
    ready.pop();
    order.push_back(commit);
    ZPACK_ASSIGN_OR_RETURN(const auto parents, ParentsInFile(graph, commit));
    for (const ObjectNumber parent : parents) {
      if (--children[parent] == 0) ZPACK_TRY(add(parent));
    }
  }
  return order;
}

}  // namespace zpack
