// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Gives the repository a multi-pack-index after new packs were written. The
// function has no state; one call at a time.

#pragma once

#include "repack/object_choice.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Writes a multi-pack-index, or lets the caller write one with a bitmap, if one
// is wanted. It lists the packs that will stay and that Git would list, and is
// in place before any pack is removed, as in 'git repack': in between, a reader
// or the next process finds either the old index with all of its packs, or the
// new index with all of its packs. `stats` has the names of the new packs, and
// gets `packs`, `wants_bitmap` and warnings.
Status IndexStayingPacks(const RepackJob& job, const PackSets& packs,
                         const ObjectChoice& choice, RepackStats& stats);

}  // namespace zpack
