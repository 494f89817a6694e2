// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds an existing pack that is smaller than the new ones. The function has no
// state; one call at a time.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "repack/pack_series.h"
#include "repack/pack_sets.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// A pack that stays, and the total size of its files in bytes.
struct OldPack {
  std::string name;
  uint64_t bytes = 0;
};

// Returns the pack that `built` would replace, if it is the only one, is
// smaller, and meets the same requirements: it holds exactly the objects of
// `list`, the options allow every delta in it, and every object in it hashes to
// its id. Otherwise returns nullopt. Errors are kInterrupted and those of
// reading attributes.
Result<std::optional<OldPack>> FindSmallerOldPack(
    const RepackJob& job, const PackSets& packs, ObjectSource& source,
    const ObjectList& list, const std::vector<BuiltPack>& built);

}  // namespace zpack
