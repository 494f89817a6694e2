// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses which objects a repack packs, which it leaves in place, and which
// unreachable objects survive. The function has no state; one call at a time.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "repack/delta_islands.h"
#include "repack/leftovers.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

struct ObjectChoice {
  ObjectList list;  // to be packed
  // To be packed into a promisor pack.
  ObjectList promised;
  Leftovers leftovers;  // unreachable objects that survive
  // All objects that the options ask for: `list`, `promised`, the objects that
  // are packed elsewhere, and objects that are missing and promised.
  ObjectIdTable known;
  // To be packed apart from the rest.
  ObjectList filtered_out;
  // Of `list` and of `filtered_out`, if delta islands are respected.
  std::optional<DeltaIslands> islands;
  std::optional<DeltaIslands> filtered_islands;
  // In packs that stay. If another copy may be removed, the copy in one of
  // these packs is sound (FindKept).
  ObjectIdTable kept;
  // Names of packs that stay and have damaged copies of other objects.
  std::vector<std::string> damaged_packs;
  ObjectIdTable damaged_copies;  // these objects
  ObjectIdTable borrowed;        // in packs of alternates
  // Objects that alternates have, packed or loose.
  uint64_t borrowed_objects = 0;
};

// Enumerates the objects of `source`. Adds unreachable objects that cannot be
// read to `stats.unreadable`, and missing objects to `stats.lost`. Returns
// kSourceCorrupt if one of them is in a pack that is rewritten, because it
// would be lost with that pack, and if an object is missing without which Git
// does not repack (TipRule). Other errors are those of reading.
Result<ObjectChoice> ChooseObjects(const RepackJob& job, ObjectSource& source,
                                   const PackSets& packs, RepackStats& stats);

}  // namespace zpack
