// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/history_walker.h"

#include <algorithm>

#include "base/error.h"
#include "object/object_hasher.h"
#include "object/object_links.h"

namespace zpack {
namespace {

// Each slice re-reads the trees that changed since the thread's previous slice,
// so fewer, longer slices do less work. Slices grow with the number of steps
// walked so far. Several slices per thread keep threads from waiting for the
// last slice.
constexpr uint64_t kMinSteps = 2048;
constexpr uint64_t kSlicesPerThread = 4;
// Number of commits whose trees are walked together, so that ids are known some
// time before they are looked up.
constexpr unsigned kCommitsTogether = 16;

}  // namespace

std::optional<ListRank> FindNeeded(const ObjectList& list, const ObjectId& id,
                                   std::set<ObjectId>& missing) {
  const auto rank = list.ids.Find(id);
  if (!rank && id != EmptyTreeId(list.ids.format())) {
    missing.insert(id);
  }
  return rank;
}

HistoryWalker::HistoryWalker(ObjectSource& source,
                             const std::vector<ObjectId>& shallow,
                             const ObjectList& list, const ListMarks& complete,
                             unsigned threads)
    : source_(source),
      list_(list),
      complete_(complete),
      slices_before_(kSlicesPerThread * threads),
      shallow_(shallow.begin(), shallow.end()),
      met_(list.ids.size()) {}

Status HistoryWalker::Add(const std::vector<ObjectId>& tips,
                          HistorySlice& slice) {
  for (const ObjectId& tip : tips) {
    if (const auto rank = FindNeeded(list_, tip, slice.missing)) {
      ZPACK_TRY(AddTip(*rank, slice));
    }
  }
  return {};
}

Result<bool> HistoryWalker::Next(HistorySlice& slice) {
  const uint64_t enough = std::max(kMinSteps, steps_ / slices_before_);
  do {
    for (unsigned i = 0; i < kCommitsTogether && !commits_.empty(); ++i) {
      ZPACK_TRY(FollowNewest(slice));
    }
    slice.groups.push_back({slice.steps.size()});
  } while (!commits_.empty() && slice.steps.size() < enough);
  steps_ += slice.steps.size();
  return !slice.steps.empty() || !slice.missing.empty();
}

Status HistoryWalker::FollowNewest(HistorySlice& slice) {
  const auto [time, rank] = commits_.top();
  commits_.pop();
  auto links = std::move(links_.extract(rank).mapped());
  if (shallow_.contains(list_.ids[rank])) links.second.clear();
  if (visit_commit_) visit_commit_({rank, time, links.first, links.second});
  if (!links.first.empty()) {
    if (const auto tree = FindNeeded(list_, links.first, slice.missing)) {
      slice.steps.push_back({{.rank = *tree}, true});
    }
  }
  for (const ObjectId& parent : links.second) {
    if (const auto found = FindNeeded(list_, parent, slice.missing)) {
      ZPACK_TRY(AddCommit(*found, slice));
    }
  }
  return {};
}

bool HistoryWalker::Meet(ListRank rank, HistorySlice& slice) {
  if (met_[rank]) return false;
  met_[rank] = true;
  slice.steps.push_back({{.rank = rank}});
  return complete_.empty() || !complete_[rank];
}

Status HistoryWalker::Read(HistorySlice& slice) {
  MetObject& object = slice.steps.back().object;
  ZPACK_ASSIGN_OR_RETURN(object.type,
                         source_.Read(list_.ids[object.rank], content_));
  object.size = content_.size();
  return {};
}

Status HistoryWalker::AddTip(ListRank rank, HistorySlice& slice) {
  while (!met_[rank]) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectInfo info,
                           source_.ReadInfo(list_.ids[rank]));
    if (info.type == ObjectType::kCommit) return AddCommit(rank, slice);
    if (info.type == ObjectType::kTree) {
      slice.steps.push_back({{.rank = rank}, true});
      return {};
    }
    if (!Meet(rank, slice)) return {};
    if (info.type == ObjectType::kBlob) return {};
    ZPACK_TRY(Read(slice));
    const ObjectId target = ParseTagTarget(content_, list_.ids.format());
    if (target.empty()) return {};
    const auto found = FindNeeded(list_, target, slice.missing);
    if (!found) return {};
    rank = *found;
  }
  return {};
}

Status HistoryWalker::AddCommit(ListRank rank, HistorySlice& slice) {
  if (!Meet(rank, slice)) return {};
  ZPACK_TRY(Read(slice));
  if (slice.steps.back().object.type != ObjectType::kCommit) {
    slice.wrong.emplace(list_.ids[rank], ObjectType::kCommit);
    return {};
  }
  CommitLinks links = ParseCommitLinks(content_, list_.ids.format());
  // Prefetch what is going to be looked up soon.
  if (!links.tree.empty()) list_.ids.PrefetchFind(links.tree.bytes());
  for (const ObjectId& parent : links.parents) {
    list_.ids.PrefetchFind(parent.bytes());
  }
  links_.emplace(rank, std::pair(links.tree, std::move(links.parents)));
  commits_.push({ParseCommitTime(content_), rank});
  return {};
}

}  // namespace zpack
