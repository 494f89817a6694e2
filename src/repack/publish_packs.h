// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Gives new packs their names beside packs that others may be about to remove.
// A function without state; one call at a time.

#pragma once

#include <string>
#include <vector>

#include "repack/pack_series.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Publishes `built`, finished and verified packs, in the repository, and
// returns their names. `packs` are those that were there when the repack began,
// `going` those among them that it will remove.
//
// A repack that began earlier may still be about to remove a pack, by its name,
// that it has written anew into a pack of `going`. So a name of `packs` is
// never given to a new pack: it gets another. But a pack that is there already,
// byte for byte, is kept in the place of the new one when no pack of `going` is
// younger.
Result<std::vector<std::string>> PublishPacks(
    const RepackJob& job, const PackSets& packs,
    const std::vector<PackFiles>& going, const std::vector<BuiltPack>& built);

}  // namespace zpack
