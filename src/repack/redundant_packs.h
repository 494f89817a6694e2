// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Removes what new packs make redundant. The function has no state; one call at
// a time.

#pragma once

#include <vector>

#include "object/object_source.h"
#include "repack/object_choice.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// The packs that RemoveRedundant removes, unless something speaks against it:
// those rewritten, but for new packs that are the same as an old one. `stats`
// has the names of the new packs.
std::vector<PackFiles> FindRedundant(const PackSets& packs,
                                     const RepackStats& stats);

// Removes the rewritten packs, and loose objects that are in new or kept packs,
// as 'git prune-packed' does. With Unreachable::kLoosen, first writes the
// leftovers as loose objects. Removes nothing if an object that would be lost
// has become reachable. If an alternate is missing, keeps the packs that hold
// objects that would be lost. Fills in `stats` what was removed, and why
// something was not.
Status RemoveRedundant(const RepackJob& job, const PackSets& packs,
                       ObjectSource& source, const ObjectChoice& choice,
                       RepackStats& stats);

}  // namespace zpack
