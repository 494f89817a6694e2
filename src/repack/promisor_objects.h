// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The objects of promisor packs, which a remote promises to have with
// everything that they link to. They stay in promisor packs, since what they
// link to may be missing. The function has no state; one call at a time.

#pragma once

#include <vector>

#include "object/object_id_table.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// The promisor packs among `packs`.
std::vector<PackFiles> PromisorPacks(std::vector<PackFiles> packs);

struct PromisorObjects {
  ObjectIdTable all;  // of the repository and its alternates
  // Those that go into a new promisor pack: not those that kept promisor packs
  // have, and with Borrowed::kLeave not those that only alternates have.
  ObjectIdTable packed;
};

// `kept` are the objects of kept packs that may be left to these packs. Errors
// as ReadIds, PackStore::OpenAlternates and FindInAlternates.
Result<PromisorObjects> FindPromisorObjects(const RepackJob& job,
                                            const PackSets& packs,
                                            const ObjectIdTable& kept);

}  // namespace zpack
