// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Handles the unreachable objects of a repack. The functions have no state; one
// call at a time.

#pragma once

#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// The unreachable objects that a repack keeps.
struct Leftovers {
  ObjectList list;
  IndexedVector<ListRank, uint32_t> mtimes;  // in seconds since 1970
  // With RepackOptions::expire_to, those that it does not keep.
  ObjectList expired;
  IndexedVector<ListRank, uint32_t> expired_mtimes;
};

// Unreachable objects that need not be in the repository's own new packs.
struct LeftElsewhere {
  ObjectIdTable kept;  // another pack keeps them
  // Of a new cruft pack: packs of alternates have them, and here they are at
  // most loose.
  ObjectIdTable lent;
};

// Returns the objects of `all` that survive (see FindSurvivors), are stored in
// the repository itself, and are not `elsewhere`. For a new cruft pack, also
// returns objects of cruft packs in `packs.kept` that were used again,
// reachable ones too, or that younger ones need, and what surviving objects
// need of alternates, as far as Git packs that.
Result<Leftovers> FindLeftovers(const RepackJob& job, ObjectSource& source,
                                const PackSets& packs, const ObjectList& all,
                                const LeftElsewhere& elsewhere);

// Writes the leftovers that are in `old`, the ids of packs to be removed, as
// loose objects, but not those that packs of alternates have. Returns their
// number.
Result<uint64_t> LoosenObjects(const RepackJob& job, ObjectSource& source,
                               const PackSets& packs,
                               const Leftovers& leftovers,
                               const ObjectIdTable& old);

}  // namespace zpack
