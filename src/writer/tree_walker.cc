// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/tree_walker.h"

#include <utility>

#include "base/error.h"

namespace zpack {

TreeWalker::TreeWalker(ObjectSource& source, const ObjectList& list,
                       const std::vector<bool>& complete, uint64_t memory,
                       std::stop_token stop)
    : source_(source),
      list_(list),
      complete_(complete),
      stop_(std::move(stop)),
      trees_(list.ids.size()),
      others_(list.ids.size()),
      last_trees_(memory) {}

Status TreeWalker::Walk(HistorySlice& slice) {
  slice.ends.reserve(slice.steps.size());
  for (const WalkStep& step : slice.steps) {
    if (step.is_tree) ZPACK_TRY(WalkTree(step.object.rank, slice));
    slice.ends.push_back(slice.met.size());
  }
  // Until here, paths are those of `paths_`.
  PathTranslation to_slice(paths_, slice.paths);
  for (MetObject& object : slice.met) object.path = to_slice(object.path);
  return {};
}

bool TreeWalker::Meet(uint32_t rank, bool is_tree, uint32_t path,
                      HistorySlice& slice) {
  std::vector<bool>& known = is_tree ? trees_ : others_;
  if (known[rank]) return false;
  known[rank] = true;
  slice.met.push_back({.rank = rank, .path = path});
  return is_tree && (complete_.empty() || !complete_[rank]);
}

Status TreeWalker::WalkTree(uint32_t root, HistorySlice& slice) {
  if (!Meet(root, true, PathTable::kRoot, slice)) return {};
  pending_.assign(1, slice.met.size() - 1);
  while (!pending_.empty()) {
    ZPACK_TRY(CheckStop(stop_));
    const size_t position = pending_.back();
    pending_.pop_back();
    ZPACK_TRY(ReadTree(position, slice));
  }
  return {};
}

Status TreeWalker::ReadTree(size_t position, HistorySlice& slice) {
  const uint32_t path = slice.met[position].path;
  ZPACK_ASSIGN_OR_RETURN(
      const ObjectType type,
      source_.Read(list_.ids[slice.met[position].rank], content_));
  slice.met[position].type = type;
  slice.met[position].size = content_.size();
  if (type != ObjectType::kTree) return {};
  const auto last = last_trees_.Find(path);
  NewTreeEntries entries(content_, last.value_or(ByteView()),
                         list_.ids.format());
  new_entries_.clear();
  TreeEntry next;
  while (entries.Next(next)) {
    if (next.is_gitlink()) continue;
    list_.ids.PrefetchFind(next.id);
    new_entries_.push_back(next);
  }
  last_trees_.Insert(path, content_);
  for (const TreeEntry& entry : new_entries_) {
    const auto child = FindNeeded(list_, ObjectId(entry.id), slice.missing);
    if (!child || (entry.is_tree() ? trees_ : others_)[*child]) continue;
    if (Meet(*child, entry.is_tree(), paths_.Intern(path, entry.name), slice)) {
      pending_.push_back(slice.met.size() - 1);
    }
  }
  return {};
}

}  // namespace zpack
