// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the objects that a repack leaves to the alternates of a repository. The
// function has no state; one call at a time.

#pragma once

#include "object/object_id_table.h"
#include "repack/pack_geometry.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// The ids in these packs of alternates. Errors as AlternateObjects::ListPacks.
Result<ObjectIdTable> ReadPackedIds(const RepackJob& job,
                                    AlternateObjects& alternates,
                                    AlternatePacks which);

struct BorrowedObjects {
  ObjectIdTable all;
  ObjectIdTable packed;  // the part of `all` in packs of alternates
};

// Returns the objects of `needed` that alternates have. If an object may be
// removed from the repository itself, it counts only if the copy in the
// alternate was read and has the right id. Alternates with links into the
// repository's own objects do not count. Errors are those of OpenRepository,
// and kInterrupted.
Result<BorrowedObjects> FindInAlternates(const RepackJob& job,
                                         const PackSets& packs,
                                         const ObjectIdTable& needed);

// The same if the options of `job` ask for it, otherwise none.
Result<BorrowedObjects> FindBorrowed(const RepackJob& job,
                                     const PackSets& packs,
                                     const ObjectIdTable& needed);

// The same in a geometric repack, for the packs of `geometry`: also the objects
// in packs of alternates that are left alone.
Result<BorrowedObjects> FindBorrowed(const RepackJob& job,
                                     const PackSets& packs,
                                     const PackGeometry& geometry,
                                     const ObjectIdTable& needed);

}  // namespace zpack
