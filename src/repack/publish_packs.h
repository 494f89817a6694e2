// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Gives new packs their final names while other processes may be removing
// packs. The function has no state; one call at a time.

#pragma once

#include <string>
#include <vector>

#include "repack/pack_series.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Publishes `built`, which are finished and verified packs, in the repository,
// and returns their names. `packs` are the packs that existed when the repack
// began, and `going` are those among them that it will remove.
//
// An earlier repack may still remove a pack by name, after this repack has
// written a pack with the same name. Therefore a new pack never gets a name of
// `packs`, but a derived one. If an existing pack is identical to the new pack
// and younger than all other packs of `going`, the existing pack is kept
// instead.
Result<std::vector<std::string>> PublishPacks(
    const RepackJob& job, const PackSets& packs,
    const std::vector<PackFiles>& going, const std::vector<BuiltPack>& built);

}  // namespace zpack
