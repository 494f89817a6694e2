// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeping the pack that is there when a new one is larger. A function without
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

// A pack that stays, and the bytes of its files.
struct OldPack {
  std::string name;
  uint64_t bytes = 0;
};

// The only pack that would be replaced by `built`, if it takes less and is no
// worse otherwise: it holds the objects of `list` and no others, every delta in
// it is one that would be written now, and every object of it hashes to its id.
// The error is kInterrupted, or that of reading attributes.
Result<std::optional<OldPack>> FindSmallerOldPack(
    const RepackJob& job, const PackSets& packs, ObjectSource& source,
    const ObjectList& list, const std::vector<BuiltPack>& built);

}  // namespace zpack
