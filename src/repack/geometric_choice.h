// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses the objects of a geometric repack: those of the packs that are rolled
// up, reachable or not, and loose objects. The function has no state; one call
// at a time.

#pragma once

#include "object/object_source.h"
#include "repack/object_choice.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Errors as ChooseObjects.
Result<ObjectChoice> ChooseGeometric(const RepackJob& job, ObjectSource& source,
                                     const PackSets& packs, RepackStats& stats);

}  // namespace zpack
