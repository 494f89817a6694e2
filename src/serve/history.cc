// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/history.h"

#include <memory>

#include "base/error.h"

namespace zpack {

Result<std::unique_ptr<History>> History::Open(const ArchiveFile& archive) {
  ZPACK_TRY(archive.LoadIndex());
  return std::unique_ptr<History>(new History(archive));
}

History::History(const ArchiveFile& archive)
    : archive_(archive), graph_(archive) {}

std::optional<ObjectNumber> History::Find(const ObjectId& id) const {
  if (const auto rank = archive_.ids().Find(id)) return archive_.number(*rank);
  if (id == archive_.empty_tree_id()) return archive_.empty_tree();
  return std::nullopt;
}

Result<bool> History::IsCommit(ObjectNumber number) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectType type, graph_.Type(number));
  return type == ObjectType::kCommit;
}

Result<const std::vector<ObjectNumber>*> History::Parents(ObjectNumber commit) {
  if (ends_.contains(commit)) {
    parents_.clear();
    return &parents_;
  }
  return TrueParents(commit);
}

Result<const std::vector<ObjectNumber>*> History::TrueParents(
    ObjectNumber commit) {
  ZPACK_ASSIGN_OR_RETURN(parents_, graph_.ReadParents(commit));
  return &parents_;
}

Result<uint64_t> History::Time(ObjectNumber commit) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectGraph::Commit read,
                         graph_.ReadCommit(commit));
  return read.time;
}

}  // namespace zpack
