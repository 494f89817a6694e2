// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Leaves objects that a filter takes out to a pack of their own (git-repack(1),
// --filter). The functions have no state; one call at a time.

#pragma once

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "repack/object_choice.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Returns the objects of `list` that pass the filter of `job`, or that refs and
// other tips name themselves.
Result<ObjectList> FilterObjects(const RepackJob& job, ObjectSource& source,
                                 ObjectList list);

// The objects of the packs that are packed again, reachable or not, that
// `choice` packs nowhere else. As in Git, loose objects stay loose.
Result<ObjectList> ListFilteredOut(const RepackJob& job, ObjectSource& source,
                                   const PackSets& packs,
                                   const ObjectChoice& choice,
                                   RepackStats& stats);

}  // namespace zpack
