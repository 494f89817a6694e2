// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which objects a repack packs, which it leaves where they are, and which of
// the unreachable ones survive. A function without state; one call at a time.

#pragma once

#include <cstdint>
#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "repack/leftovers.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

struct ObjectChoice {
  ObjectList list;      // is packed
  Leftovers leftovers;  // survive besides
  // What was asked for, packed or not: `list` and what follows.
  ObjectIdTable known;
  ObjectIdTable kept;             // in packs that stay and are whole
  ObjectIdTable borrowed;         // in packs of alternates, which have it
  uint64_t borrowed_objects = 0;  // that alternates have, packed there or not
};

// Enumerates the objects of `source`. Those that nothing reaches and that
// cannot be read go to `unreadable`. kSourceCorrupt when one of these is in a
// pack that is rewritten: it would go with that. Else errors are those of
// reading.
Result<ObjectChoice> ChooseObjects(const RepackJob& job, ObjectSource& source,
                                   const PackSets& packs,
                                   std::vector<ObjectId>& unreadable);

}  // namespace zpack
