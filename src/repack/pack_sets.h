// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The packs of a repository before a repack, and their objects. The functions
// have no state; one call at a time.

#pragma once

#include <string>
#include <vector>

#include "object/object_id_table.h"
#include "pack/pack_store.h"
#include "repack/pack_geometry.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Existing packs, divided by what the repack does with them.
struct PackSets {
  // Packs that stay. Their objects are not packed again.
  std::vector<PackFiles> kept;
  // Packs that stay, but whose objects are packed again if they are needed.
  std::vector<PackFiles> staying;
  // Packs that the new packs replace.
  std::vector<PackFiles> rewritten;

  // Of a geometric repack, the packs that it may roll up, own ones and those of
  // alternates. Those that it rolls up are in `rewritten` if they may go.
  // Objects of promisor packs stay in promisor packs.
  PackGeometry usual;
  PackGeometry promisor;
};

// Adds a warning for each pack to keep that the options name and that does not
// exist.
Result<PackSets> DividePacks(const RepackJob& job,
                             std::vector<std::string>& warnings);

// Returns the ids in several packs. Ignores a pack that no longer exists:
// another repack removed it and kept the objects that are needed.
Result<ObjectIdTable> ReadIds(PackStore& store,
                              const std::vector<PackFiles>& packs);
// Like ReadIds, but ignores packs that are incomplete or cannot be read,
// because their objects may be needed from elsewhere.
Result<ObjectIdTable> ReadWholeIds(PackStore& store,
                                   const std::vector<PackFiles>& packs);

// Returns the packs that hold an object of `ids`.
Result<std::vector<PackFiles>> PacksWith(PackStore& store,
                                         const std::vector<PackFiles>& packs,
                                         const ObjectIdTable& ids);

// Removes the packs with one of `names` from `packs`.
void RemoveNamed(const std::vector<std::string>& names,
                 std::vector<PackFiles>& packs);

}  // namespace zpack
