// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the trees of history, slice by slice, on several threads. The results
// come in the order of the slices, so they do not depend on the number of
// threads. A function without state; any thread.

#pragma once

#include <functional>

#include "inventory/history_walker.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// What all slices of a walk share. `list` and `complete` are those of
// HistoryWalker.
struct SliceWalk {
  ObjectSource& source;
  const ObjectList& list;
  const ListMarks& complete;
  const RunOptions& run;
};

// Calls `next`, which fills an empty slice with steps, until it returns false,
// and then `take` with each slice and the objects that its trees hold.
Status WalkSlices(const SliceWalk& walk,
                  const std::function<Result<bool>(HistorySlice&)>& next,
                  const std::function<void(const HistorySlice&)>& take);

}  // namespace zpack
