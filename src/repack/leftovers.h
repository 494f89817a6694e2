// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of unreachable objects in a repack. Functions without state; one
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

// What a repack leaves of unreachable objects.
struct Leftovers {
  ObjectList list;
  IndexedVector<ListRank, uint32_t> mtimes;  // in seconds since 1970
};

// Those of `all` that are loose, or in a pack that is rewritten, in the
// repository itself, and that are young enough, but not those in `kept`, the
// ids of packs that stay.
Result<Leftovers> FindLeftovers(const RepackJob& job, ObjectSource& source,
                                const PackSets& packs, const ObjectList& all,
                                const ObjectIdTable& kept);

// Makes loose objects of those that are in `old`, the ids of packs that go.
// Returns how many there were.
Result<uint64_t> LoosenObjects(const RepackJob& job, ObjectSource& source,
                               const Leftovers& leftovers,
                               const ObjectIdTable& old);

}  // namespace zpack
