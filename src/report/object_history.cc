// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/object_history.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "base/error.h"
#include "base/huge_pages.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "inventory/history_walker.h"
#include "inventory/walk_slices.h"

namespace zpack {
namespace {

// Headers read at a time by one thread.
constexpr uint64_t kHeadersTogether = 1024;
constexpr uint32_t kUnread = std::numeric_limits<uint32_t>::max();

// Reads commits and tags from the tips on.
Status ReadCommits(ObjectSource& source, const RefsSnapshot& refs,
                   const std::vector<ObjectId>& tips, const RunOptions& run,
                   ObjectHistory& history) {
  ObjectList& list = history.list;
  const ListMarks none;
  HistoryWalker walker(source, refs.shallow, list, none, 1);
  walker.OnCommit([&](const FollowedCommit& followed) {
    ObjectHistory::Commit commit{
        followed.rank, followed.time, followed.tree, {}};
    for (const ObjectId& parent : followed.parents) {
      if (const auto found = list.ids.Find(parent)) {
        commit.parents.push_back(*found);
      }
    }
    history.commits.push_back(std::move(commit));
  });
  HistorySlice slice;
  ZPACK_TRY(walker.Add(tips, slice));
  while (true) {
    ZPACK_TRY(CheckStop(run.stop));
    ZPACK_ASSIGN_OR_RETURN(const bool more, walker.Next(slice));
    if (!more) return {};
    for (const WalkStep& step : slice.steps) {
      if (step.object.type == ObjectList::kUnknownType) continue;
      list.types[step.object.rank] = step.object.type;
      list.sizes.Set(step.object.rank, step.object.size);
    }
    slice = {};
  }
}

// Orders the commits, parents first.
void SortCommits(ObjectHistory& history) {
  std::vector<ObjectHistory::Commit>& commits = history.commits;
  const auto count = static_cast<uint32_t>(commits.size());
  IndexedVector<ListRank, uint32_t> places(history.list.ids.size());
  std::ranges::fill(places.raw(), kUnread);
  for (uint32_t i = 0; i < count; ++i) places[commits[i].rank] = i;

  std::vector<uint32_t> waits_for(count);
  std::vector<std::vector<uint32_t>> children(count);
  for (uint32_t i = 0; i < count; ++i) {
    for (const ListRank parent : commits[i].parents) {
      if (places[parent] == kUnread) continue;
      ++waits_for[i];
      children[places[parent]].push_back(i);
    }
  }
  const auto is_later = [&](uint32_t a, uint32_t b) {
    return std::pair(commits[a].time, commits[a].rank) >
           std::pair(commits[b].time, commits[b].rank);
  };
  std::priority_queue<uint32_t, std::vector<uint32_t>, decltype(is_later)>
      ready(is_later);
  for (uint32_t i = 0; i < count; ++i) {
    if (waits_for[i] == 0) ready.push(i);
  }
  std::vector<ObjectHistory::Commit> sorted;
  sorted.reserve(count);
  while (!ready.empty()) {
    const uint32_t next = ready.top();
    ready.pop();
    for (const uint32_t child : children[next]) {
      if (--waits_for[child] == 0) ready.push(child);
    }
    sorted.push_back(std::move(commits[next]));
  }
  commits = std::move(sorted);
}

// Steps for the trees of the commits [begin, end).
void FillSlice(const ObjectHistory& history, size_t begin, size_t end,
               HistorySlice& slice) {
  for (size_t i = begin; i < end; ++i) {
    const auto tree = history.list.ids.Find(history.commits[i].tree);
    if (tree) slice.steps.push_back({{.rank = *tree}, true});
    slice.groups.push_back({slice.steps.size()});
  }
}

// Takes over what a slice met and no earlier slice did.
void Merge(const HistorySlice& slice, size_t first_commit,
           ObjectHistory& history) {
  ObjectList& list = history.list;
  PathTranslation to_list(slice.paths, list.path_table);
  size_t met = 0;
  auto commit = static_cast<uint32_t>(first_commit);
  for (const HistorySlice::Group& group : slice.groups) {
    for (; met < group.met_end; ++met) {
      const MetObject& object = slice.met[met];
      if (object.type != ObjectList::kUnknownType) {
        list.types[object.rank] = object.type;
        list.sizes.Set(object.rank, object.size);
      }
      if (history.brought_by[object.rank] != ObjectHistory::kNoCommit) continue;
      history.brought_by[object.rank] = commit;
      list.paths[object.rank] = to_list(object.path);
    }
    ++commit;
  }
}

Status WalkTrees(ObjectSource& source, const RunOptions& run,
                 ObjectHistory& history) {
  const size_t threads = std::max<size_t>(
      1, std::min<size_t>(ResolveThreads(run.threads), history.commits.size()));
  const auto begin_of = [&](size_t slice) {
    return history.commits.size() * slice / threads;
  };
  size_t next = 0;
  size_t taken = 0;
  const ListMarks none;
  return WalkSlices(
      {source, history.list, none, run},
      [&](HistorySlice& slice) -> Result<bool> {
        if (next == threads) return false;
        FillSlice(history, begin_of(next), begin_of(next + 1), slice);
        ++next;
        return true;
      },
      [&](const HistorySlice& slice) {
        Merge(slice, begin_of(taken), history);
        ++taken;
      });
}

// Fills in types and sizes that the walk did not read.
Status ReadHeaders(ObjectSource& source, const RunOptions& run,
                   ObjectList& list) {
  return ParallelFor(
      ResolveThreads(run.threads), run.stop, list.ids.size(), kHeadersTogether,
      [&](uint64_t begin, uint64_t end) -> Status {
        for (const ListRank rank :
             IndexRange(ListRank(static_cast<uint32_t>(begin)),
                        ListRank(static_cast<uint32_t>(end)))) {
          if (list.types[rank] != ObjectList::kUnknownType) continue;
          ZPACK_ASSIGN_OR_RETURN(const ObjectInfo info,
                                 source.ReadInfo(list.ids[rank]));
          list.types[rank] = info.type;
          list.sizes.Set(rank, info.size);
        }
        return {};
      });
}

}  // namespace

Result<ObjectHistory> ReadHistory(
    ObjectSource& source, const RefsSnapshot& refs, const RunOptions& run,
    const std::function<void(ObjectList&)>& fill) {
  ObjectHistory history;
  ObjectList& list = history.list;
  ZPACK_ASSIGN_OR_RETURN(list.ids, source.ListObjects());
  const uint32_t count = list.ids.size();
  FillTable(list.types.raw(), count, ObjectList::kUnknownType);
  list.sizes.Fill(count);
  FillTable(list.paths.raw(), count, PathTable::kRoot);
  FillTable(history.brought_by.raw(), count, ObjectHistory::kNoCommit);

  const ProgressPhase phase(run.progress, Phase::kCountingObjects, count, 0);
  std::vector<ObjectId> tips;
  if (!refs.head_target.empty()) tips.push_back(refs.head_target);
  for (const Ref& ref : refs.refs) {
    if (!ref.symbolic()) tips.push_back(ref.target);
  }
  ZPACK_ASSIGN_OR_RETURN(const std::vector<TipGroup> other,
                         source.ListOtherTips());
  for (const TipGroup& group : other) {
    tips.insert(tips.end(), group.ids.begin(), group.ids.end());
  }
  ZPACK_TRY(ReadCommits(source, refs, tips, run, history));
  SortCommits(history);
  for (uint32_t i = 0; i < history.commits.size(); ++i) {
    history.brought_by[history.commits[i].rank] = i;
  }
  ZPACK_TRY(WalkTrees(source, run, history));
  if (fill) fill(list);
  ZPACK_TRY(ReadHeaders(source, run, list));
  phase.Advance(count, 0);
  return history;
}

}  // namespace zpack
