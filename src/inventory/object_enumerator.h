// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Phases Phase::kEnumeratingObjects and Phase::kCountingObjects: which objects
// there are, their types and sizes, and where in history and in the tree they
// occur.

#pragma once

#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// Lists the objects of `source` and walks from `refs` (and, for reachability
// alone, from reflogs, worktrees and indexes), reading each commit and tree
// once.
//
// kSourceCorrupt, with the count and the first ids, when something that refs
// or HEAD need is missing and not beyond a shallow boundary; with the id when
// an object cannot be read. But with `unreadable`, ids of those that nothing
// reaches are added there instead.
Result<ObjectList> EnumerateObjects(
    ObjectSource& source, const RefsSnapshot& refs, ObjectSet set,
    const RunOptions& run, std::vector<ObjectId>* unreadable = nullptr);

// Objects that a file holds already.
struct KnownObjects {
  FileIds ids;
  // By rank: everything that the object needs, and what that needs, is known,
  // too.
  FileMarks complete;
};

// What a source has besides.
struct AddedObjects {
  FileIds ids;                 // the known ones that the source has, and `list`
  ObjectList list;             // what is not known
  FileMarks met;               // by rank of the known ones: reached by the walk
  std::vector<ObjectId> gone;  // known ones that the source does not have
};

// The same for what is not known. Goes no further than known objects that are
// complete.
Result<AddedObjects> EnumerateAddedObjects(ObjectSource& source,
                                           const RefsSnapshot& refs,
                                           ObjectSet set,
                                           const KnownObjects& known,
                                           const RunOptions& run);

// The objects of `list` for which `keep`, by rank, is true.
ObjectList KeepObjects(ObjectList list, const ListMarks& keep);
// Those that the walk reached.
ObjectList KeepReached(ObjectList list);

}  // namespace zpack
