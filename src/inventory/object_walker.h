// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks a repository's history, newest commits first, and gives every object
// it meets a path and a position. Walks slices of history side by side and puts
// them together in their order, so that the outcome does not depend on the
// number of threads. Thread-compatible.

#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "inventory/history_walker.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

class ObjectWalker {
 public:
  // `list.ids` is set; `paths` and `visits` are filled by the walk, `types`
  // and `sizes` of every object it reads, which is all but blobs. The walk
  // does not go behind the objects that `complete` has, by rank: what they
  // need is known to be there. Empty, it has none.
  ObjectWalker(ObjectSource& source, const std::vector<ObjectId>& shallow,
               ObjectList& list, ListMarks complete, const RunOptions& run);

  // Walks everything that `tips` reach. An object that is needed and not there
  // is noted in missing().
  Status Walk(const std::vector<ObjectId>& tips);

  // Sorted.
  const std::set<ObjectId>& missing() const { return missing_; }

 private:
  // Appends what a slice met to the walk.
  void Merge(const HistorySlice& slice);
  void Visit(const MetObject& object, PathTranslation& to_list);

  ObjectSource& source_;
  ObjectList& list_;
  ListMarks complete_;
  const RunOptions& run_;
  HistoryWalker history_;
  std::set<ObjectId> missing_;
  VisitNumber next_visit_;
};

}  // namespace zpack
