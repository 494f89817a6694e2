// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/object_walker.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "object/object_hasher.h"
#include "object/object_links.h"

namespace zpack {
namespace {

// Contents of trees that are kept, in bytes.
constexpr uint64_t kLastTreesSize = uint64_t{64} << 20;

}  // namespace

ObjectWalker::ObjectWalker(ObjectSource& source,
                           const std::vector<ObjectId>& shallow,
                           ObjectList& list, std::vector<bool> complete,
                           const RunOptions& run)
    : source_(source),
      list_(list),
      complete_(std::move(complete)),
      run_(run),
      shallow_(shallow.begin(), shallow.end()),
      empty_tree_(ObjectHasher(source.object_format())
                      .Hash(ObjectType::kTree, ByteView())),
      last_trees_(kLastTreesSize) {}

Status ObjectWalker::Walk(const std::vector<ObjectId>& tips) {
  for (const ObjectId& tip : tips) {
    if (const auto rank = Need(tip)) ZPACK_TRY(AddTip(*rank));
  }
  while (!commits_.empty()) {
    ZPACK_TRY(CheckStop(run_.stop));
    const uint32_t rank = commits_.top().rank;
    commits_.pop();
    const auto links = std::move(links_.extract(rank).mapped());
    if (!links.first.empty()) {
      if (const auto tree = Need(links.first)) {
        ZPACK_TRY(WalkTree(*tree, PathTable::kRoot));
      }
    }
    if (shallow_.contains(list_.ids[rank])) continue;
    for (const ObjectId& parent : links.second) {
      if (const auto parent_rank = Need(parent)) {
        ZPACK_TRY(AddCommit(*parent_rank));
      }
    }
  }
  return {};
}

bool ObjectWalker::Visit(uint32_t rank, uint32_t path) {
  if (list_.reached(rank)) return false;
  list_.visits[rank] = next_visit_++;
  list_.paths[rank] = path;
  if (run_.progress != nullptr) run_.progress->Advance(1, 0);
  return complete_.empty() || !complete_[rank];
}

std::optional<uint32_t> ObjectWalker::Need(const ObjectId& id) {
  const auto rank = list_.ids.Find(id);
  // Git knows the empty tree without storing it.
  if (!rank && id != empty_tree_) missing_.insert(id);
  return rank;
}

Status ObjectWalker::Read(uint32_t rank, Bytes& content) {
  ZPACK_ASSIGN_OR_RETURN(list_.types[rank],
                         source_.Read(list_.ids[rank], content));
  list_.sizes[rank] = content.size();
  return {};
}

Status ObjectWalker::AddTip(uint32_t rank) {
  Bytes content;
  while (!list_.reached(rank)) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectInfo info,
                           source_.ReadInfo(list_.ids[rank]));
    if (info.type == ObjectType::kCommit) return AddCommit(rank);
    if (info.type == ObjectType::kTree) {
      return WalkTree(rank, PathTable::kRoot);
    }
    if (!Visit(rank, PathTable::kRoot)) return {};
    if (info.type == ObjectType::kBlob) return {};
    ZPACK_TRY(Read(rank, content));
    const ObjectId target = ParseTagTarget(content, list_.ids.format());
    if (target.empty()) return {};
    const auto target_rank = Need(target);
    if (!target_rank) return {};
    rank = *target_rank;
  }
  return {};
}

Status ObjectWalker::AddCommit(uint32_t rank) {
  if (!Visit(rank, PathTable::kRoot)) return {};
  Bytes content;
  ZPACK_TRY(Read(rank, content));
  if (list_.types[rank] != ObjectType::kCommit) return {};
  CommitLinks links = ParseCommitLinks(content, list_.ids.format());
  links_.emplace(rank, std::pair(links.tree, std::move(links.parents)));
  commits_.push({ParseCommitTime(content), rank});
  return {};
}

Status ObjectWalker::WalkTree(uint32_t root, uint32_t path) {
  if (!Visit(root, path)) return {};
  std::vector<uint32_t> pending = {root};
  while (!pending.empty()) {
    ZPACK_TRY(CheckStop(run_.stop));
    const uint32_t tree = pending.back();
    pending.pop_back();
    auto content = std::make_shared<Bytes>();
    ZPACK_TRY(Read(tree, *content));
    if (list_.types[tree] != ObjectType::kTree) continue;
    const uint32_t directory = list_.paths[tree];
    const auto last = last_trees_.Find(directory);
    NewTreeEntries entries(*content, last ? ByteView(*last) : ByteView(),
                           list_.ids.format());
    TreeEntry entry;
    while (entries.Next(entry)) {
      if (entry.is_gitlink()) continue;
      const auto child = Need(ObjectId(entry.id));
      if (!child || list_.reached(*child)) continue;
      const bool walk =
          Visit(*child, list_.path_table.Intern(directory, entry.name));
      if (walk && entry.is_tree()) pending.push_back(*child);
    }
    last_trees_.Insert(directory, content, content->size());
  }
  return {};
}

}  // namespace zpack
