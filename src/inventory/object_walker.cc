// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/object_walker.h"

#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "inventory/walk_slices.h"

namespace zpack {
ObjectWalker::ObjectWalker(ObjectSource& source,
                           const std::vector<ObjectId>& shallow,
                           ObjectList& list, ListMarks complete,
                           const RunOptions& run)
    : source_(source),
      list_(list),
      complete_(std::move(complete)),
      run_(run),
      history_(source, shallow, list, complete_, ResolveThreads(run.threads)),
      next_visit_(list.reached_end == ObjectList::kUnmet ? VisitNumber()
                                                         : list.reached_end) {}

Status ObjectWalker::Walk(const std::vector<ObjectId>& tips) {
  HistorySlice first;
  ZPACK_TRY(history_.Add(tips, first));
  return WalkSlices(
      {source_, list_, complete_, run_},
      [&](HistorySlice& slice) {
        slice = std::exchange(first, {});
        return history_.Next(slice);
      },
      [&](const HistorySlice& slice) { Merge(slice); });
}

void ObjectWalker::Merge(const HistorySlice& slice) {
  missing_.insert(slice.missing.begin(), slice.missing.end());
  wrong_.insert(slice.wrong.begin(), slice.wrong.end());
  const VisitNumber visited = next_visit_;
  PathTranslation to_list(slice.paths, list_.path_table);
  size_t step = 0;
  size_t met = 0;
  for (const HistorySlice::Group& group : slice.groups) {
    for (; step < group.steps_end; ++step) {
      if (!slice.steps[step].is_tree) Visit(slice.steps[step].object, to_list);
    }
    for (; met < group.met_end; ++met) Visit(slice.met[met], to_list);
  }
  if (run_.progress != nullptr) {
    run_.progress->Advance(next_visit_ - visited, 0);
  }
}

void ObjectWalker::Visit(const MetObject& object, PathTranslation& to_list) {
  const ListRank rank = object.rank;
  if (object.type != ObjectList::kUnknownType) {
    list_.types[rank] = object.type;
    list_.sizes.Set(rank, object.size);
  }
  if (list_.met(rank)) return;
  list_.visits[rank] = next_visit_++;
  list_.paths[rank] = to_list(object.path);
}

}  // namespace zpack
