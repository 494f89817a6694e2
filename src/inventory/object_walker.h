// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the history of a repository, newest commits first, and assigns a path
// and a visit number to each object it meets. Several threads walk slices of
// the history, and their results are merged in the order of the slices. The
// result therefore does not depend on the number of threads. Thread-compatible.

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
  // REQUIRES: `list.ids` is set, and the other vectors have its size. The walk
  // fills `paths` and `visits`. It also fills `types` and `sizes` of the
  // objects it reads, which are all objects except blobs. `complete`, by rank,
  // marks objects whose links the walk does not follow, because everything they
  // reach is known to exist; if empty, it marks none.
  ObjectWalker(ObjectSource& source, const std::vector<ObjectId>& shallow,
               ObjectList& list, ListMarks complete, const RunOptions& run);

  // Walks everything that `tips` reach. Adds ids that are needed but do not
  // exist to missing().
  Status Walk(const std::vector<ObjectId>& tips);

  // In the order of ids.
  const std::set<ObjectId>& missing() const { return missing_; }
  // As HistorySlice::wrong.
  const std::map<ObjectId, ObjectType>& wrong() const { return wrong_; }
  // The visit number of the next object that a walk meets. The first walker of
  // a list begins at 0, others at `reached_end`.
  VisitNumber next_visit() const { return next_visit_; }

 private:
  // Adds the objects of `slice` to the list.
  void Merge(const HistorySlice& slice);
  void Visit(const MetObject& object, PathTranslation& to_list);

  ObjectSource& source_;
  ObjectList& list_;
  ListMarks complete_;
  const RunOptions& run_;
  HistoryWalker history_;
  std::set<ObjectId> missing_;
  std::map<ObjectId, ObjectType> wrong_;
  VisitNumber next_visit_;
};

}  // namespace zpack
