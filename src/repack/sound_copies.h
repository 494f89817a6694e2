// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the objects that a repack may leave to packs that stay. The functions
// have no state; one call at a time.

#pragma once

#include <string>
#include <vector>

#include "object/object_id_table.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/repack.h"
#include "zpack/result.h"

namespace zpack {

// Objects that the repack may remove from the repository itself: none unless
// the options ask for it. Errors of reading.
Result<ObjectIdTable> RemovableObjects(const RepackJob& job,
                                       const PackSets& packs);

struct SoundCopies {
  ObjectIdTable ids;
  std::vector<std::string> damaged_packs;  // names of packs
  ObjectIdTable damaged;  // that one of these packs has a damaged copy of
};

// Returns the ids in `packs`, without packs that are incomplete or cannot be
// read (ReadWholeIds). An object of `removable` counts only if one of the packs
// has a copy that was read and has the right id, because its other copies may
// go. Of each pack with other copies of such objects, adds the name to
// `damaged_packs`, and a warning. Reads only objects of `removable`.
// kInterrupted.
Result<SoundCopies> FindSoundCopies(const RepackJob& job,
                                    const std::vector<PackFiles>& packs,
                                    const ObjectIdTable& removable,
                                    std::vector<std::string>& warnings);

// The same for the objects of kept packs that the repack may remove elsewhere.
// For a new multi-pack-index or bitmap, also for those that several kept packs
// have, because Git reads only the copy that the index names.
Result<SoundCopies> FindKept(const RepackJob& job, const PackSets& packs,
                             std::vector<std::string>& warnings);

}  // namespace zpack
