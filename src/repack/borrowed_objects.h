// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a repack leaves to the alternates of a repository. A function without
// state; one call at a time.

#pragma once

#include "object/object_id_table.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

struct BorrowedObjects {
  ObjectIdTable all;
  ObjectIdTable packed;  // those in packs of alternates
};

// Those of `needed` that alternates have; none unless `options` ask for it. An
// object whose copy here is to be removed counts only if the one of an
// alternate was read and has its id. Objects of an alternate with a link to the
// repository's own objects do not count. Errors as OpenRepository, and
// kInterrupted.
Result<BorrowedObjects> FindBorrowed(const RepackJob& job,
                                     const PackSets& packs,
                                     const ObjectIdTable& needed);

}  // namespace zpack
