// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// New stock packs from the objects of a source: choosing what to copy, search,
// order, and writing.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "repack/delta_search.h"
#include "repack/pack_series.h"
#include "zpack/options.h"

namespace zpack {

// Phases "Grouping paths", "Compressing objects" and "Writing objects": writes
// all of `list` into packs in `directory`, under temporary names;
// `max_pack_size` is that of PackSeries. Errors are those of reading and
// writing, kSourceCorrupt when an object changed, and kInterrupted.
Result<std::vector<BuiltPack>> BuildStockPacks(
    ObjectSource& source, const ObjectList& list,
    const DeltaSearchOptions& options, uint64_t max_pack_size,
    const RunOptions& run, FileSystem& file_system,
    const std::string& directory);

}  // namespace zpack
