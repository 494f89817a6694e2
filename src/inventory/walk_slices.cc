// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/walk_slices.h"

#include "base/parallel.h"
#include "inventory/tree_walker.h"

namespace zpack {
namespace {

// Bytes of tree content that all threads together keep.
constexpr uint64_t kLastTreesSize = uint64_t{64} << 20;

}  // namespace

Status WalkSlices(const SliceWalk& walk,
                  const std::function<Result<bool>(HistorySlice&)>& next,
                  const std::function<void(const HistorySlice&)>& take) {
  const unsigned threads = ResolveThreads(walk.run.threads);
  return RunOrderedPipeline<HistorySlice>(
      PipelineThreads{threads, walk.run.stop},
      [&] {
        return TreeWalker(walk.source, walk.list, walk.complete,
                          kLastTreesSize / threads, walk.run.stop);
      },
      [&](HistorySlice& slice) {
        slice = HistorySlice();
        return next(slice);
      },
      [](HistorySlice& slice, TreeWalker& trees) { return trees.Walk(slice); },
      [&](const HistorySlice& slice) -> Status {
        take(slice);
        return {};
      });
}

}  // namespace zpack
