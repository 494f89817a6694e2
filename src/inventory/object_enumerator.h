// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Implements Phase::kEnumeratingObjects and Phase::kCountingObjects: finds the
// objects of a source, their types and sizes, and the place in history and in
// the tree where each object first occurs.

#pragma once

#include <cstdint>
#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// Which missing objects are an error.
enum class MissingBelow : uint8_t {
  // Objects that refs or HEAD need. What other tips need may be missing, so
  // objects that only a missing object needs seem to be unreachable.
  kOfRefs,
  // Also objects that other tips need, by the rules of 'git repack' (TipRule).
  kOfAllTips,
};

// Which objects to list.
struct EnumerationScope {
  // Implicit, because most callers only choose a set.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr EnumerationScope(ObjectSet objects,
                             AllowPromised allow = AllowPromised::kNo,
                             MissingBelow missing = MissingBelow::kOfRefs,
                             KeepGoing going = KeepGoing::kNo)
      : set(objects),
        promised(allow),
        missing_below(missing),
        keep_going(going) {}

  ObjectSet set;
  // kYes: objects that are missing and promised are listed apart.
  AllowPromised promised;
  MissingBelow missing_below;
  // kYes: missing objects are listed and are no error. In a partial clone,
  // needs AllowPromised::kYes.
  KeepGoing keep_going;
};

// Lists the objects of `source` and walks the history from `refs`. Reachability
// also counts objects that reflogs, worktrees and indexes reach. The walk reads
// each commit and tree once.
//
// Returns kSourceCorrupt, with the number and the first ids, and what needs the
// first of them, if objects that the scope requires are missing, not beyond a
// shallow boundary and not promised (or promised, but the scope does not allow
// that); with kOfAllTips, also if an object has another type than a commit or
// tree says. Returns the error of ObjectSource if an object cannot be read. If
// `unreadable` is not null, the ids of unreachable objects that cannot be read
// are appended there, and only kIo remains an error for unreachable objects.
Result<ObjectList> EnumerateObjects(
    ObjectSource& source, const RefsSnapshot& refs, EnumerationScope scope,
    const RunOptions& run, std::vector<ObjectId>* unreadable = nullptr);

// Lists the objects `ids` of `source`. The walk begins at the commits among
// `tips`, and follows no link to an object that is not listed, so objects that
// none of them reaches have no path. Objects that cannot be read are appended
// to `unreadable`, except those with kIo, which is an error.
Result<ObjectList> EnumerateListed(ObjectSource& source,
                                   const ObjectIdTable& ids,
                                   const ObjectIdTable& tips,
                                   const RunOptions& run,
                                   std::vector<ObjectId>& unreadable);

// Objects that a file already holds.
struct KnownObjects {
  FileIds ids;
  // By rank: true if all objects that the object reaches are known.
  FileMarks complete;
};

// Objects of a source, compared with KnownObjects.
struct AddedObjects {
  FileIds ids;      // known objects that the source has, and `list`
  ObjectList list;  // objects that are not known
  FileMarks met;    // by rank of the known objects: reached by the walk
  std::vector<ObjectId> gone;  // known objects that the source does not have
};

// Like EnumerateObjects, but lists only objects that are not known. The walk
// does not follow the links of known objects that are complete.
Result<AddedObjects> EnumerateAddedObjects(ObjectSource& source,
                                           const RefsSnapshot& refs,
                                           EnumerationScope scope,
                                           const KnownObjects& known,
                                           const RunOptions& run);

// Returns the objects of `list` for which `keep`, by rank, is true.
ObjectList KeepObjects(ObjectList list, const ListMarks& keep);
// Returns the objects of `list` for which `keep(all, rank)` is true, where
// `all` is `list`.
template <typename Predicate>
ObjectList KeepWhere(ObjectList list, const Predicate& keep) {
  ListMarks marks(list.ids.size());
  for (const ListRank rank : list.ids.ranks()) {
    marks[rank] = keep(std::as_const(list), rank);
  }
  return KeepObjects(std::move(list), marks);
}
// Returns the objects of `list` without those of `ids`.
ObjectList WithoutObjects(ObjectList list, const ObjectIdTable& ids);
// Returns the objects of `list` that the walk reached.
ObjectList KeepReached(ObjectList list);

}  // namespace zpack
