// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing what a repack was made for. A function without state; one call at a
// time.

#pragma once

#include "object/object_source.h"
#include "repack/object_choice.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Writes the packs of what is reachable, and a cruft pack, reads them back, and
// publishes them unless that is not wanted. Fills in their names, sizes and
// counts. Errors are those of BuildPacks, VerifyPack and writing.
Status WriteNewPacks(const RepackJob& job, const PackSets& packs,
                     ObjectSource& source, const ObjectChoice& choice,
                     RepackStats& stats);

}  // namespace zpack
