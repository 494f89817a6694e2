// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the new packs of a repack. The function has no state; one call at a
// time.

#pragma once

#include "object/object_source.h"
#include "repack/object_choice.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Writes packs of the chosen objects and, if the options ask for it, a cruft
// pack. Reads the packs back, and publishes them unless Publication::kNo is
// set. Fills in names, sizes and counts in `stats`. Errors are those of
// BuildPacks, VerifyPack and writing.
Status WriteNewPacks(const RepackJob& job, const PackSets& packs,
                     ObjectSource& source, const ObjectChoice& choice,
                     RepackStats& stats);

}  // namespace zpack
