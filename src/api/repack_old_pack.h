// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Keeping the pack that is there when a new one is larger. A function without
// state; any thread.

#pragma once

#include <optional>
#include <vector>

#include "api/repack_packs.h"
#include "object/object_source.h"
#include "repack/pack_builder.h"

namespace zpack {

// A pack that stays, and the bytes of its files.
struct OldPack {
  std::string name;
  uint64_t bytes = 0;
};

// The only pack that would be replaced by `built`, if it takes less and is no
// worse otherwise. The error is kInterrupted, or that of reading attributes.
Result<std::optional<OldPack>> FindSmallerOldPack(
    FileSystem& file_system, const RepackSettings& settings,
    const RepackOptions& options, const PackSets& packs, ObjectSource& source,
    const ObjectList& list, const DeltaSearchOptions& search,
    const std::vector<BuiltPack>& built);

}  // namespace zpack
