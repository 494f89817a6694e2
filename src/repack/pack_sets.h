// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The packs of a repository before a repack, and what is in them. Functions
// without state; one call at a time.

#pragma once

#include <string>
#include <vector>

#include "object/object_id_table.h"
#include "pack/pack_store.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// By what is to become of them.
struct PackSets {
  std::vector<PackFiles> kept;
  // Stay, but do not count: what is in them, and needed, is packed, too.
  std::vector<PackFiles> staying;
  std::vector<PackFiles> rewritten;
};

// kNotFound for a pack to keep that is not there.
Result<PackSets> DividePacks(const RepackJob& job);

// The ids of several packs. One that is gone by now was removed by another
// repack, which keeps what is needed.
Result<ObjectIdTable> ReadIds(PackStore& store,
                              const std::vector<PackFiles>& packs);
// The same, but of those that are whole: what others name may be nowhere else.
Result<ObjectIdTable> ReadWholeIds(PackStore& store,
                                   const std::vector<PackFiles>& packs);

// Those of `packs` that have an object of `ids`.
Result<std::vector<PackFiles>> PacksWith(PackStore& store,
                                         const std::vector<PackFiles>& packs,
                                         const ObjectIdTable& ids);

// Takes the packs with one of `names` out of `packs`.
void RemoveNamed(const std::vector<std::string>& names,
                 std::vector<PackFiles>& packs);

}  // namespace zpack
