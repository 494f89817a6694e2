// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds new packs from the objects of a source: decides what to copy, searches
// deltas, orders the entries and writes them.

#pragma once

#include <string>
#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "repack/delta_search.h"
#include "repack/pack_series.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Implements Phase::kGroupingPaths, Phase::kCompressingObjects and
// Phase::kWritingObjects. Writes all objects of `list` into packs with
// temporary names in `directory`. Errors are those of reading and writing,
// kSourceCorrupt if an object differs from `list`, and kInterrupted.
Result<std::vector<BuiltPack>> BuildPacks(const RepackJob& job,
                                          ObjectSource& source,
                                          const ObjectList& list,
                                          const DeltaSearchOptions& search,
                                          const std::string& directory);

}  // namespace zpack
