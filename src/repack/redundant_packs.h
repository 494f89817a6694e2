// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Removing what new packs make redundant. A function without state; one call at
// a time.

#pragma once

#include "object/object_source.h"
#include "repack/object_choice.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Removes the packs that were rewritten, unless something in them that was not
// packed is needed by now, and loose objects that are in new or kept packs, as
// 'git prune-packed' does it. Makes loose objects first of what is to be
// loosened. Fills in what was removed, and why something was not.
Status RemoveRedundant(const RepackJob& job, const PackSets& packs,
                       ObjectSource& source, const ObjectChoice& choice,
                       RepackStats& stats);

}  // namespace zpack
