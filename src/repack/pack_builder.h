// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// New stock packs from the objects of a source: choosing what to copy, search,
// order, and writing.

#pragma once

#include <vector>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "repack/pack_series.h"
#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Phases Phase::kGroupingPaths, Phase::kCompressingObjects and
// Phase::kWritingObjects: writes all of `list` into packs in the directory of
// the job, under temporary names. Errors are those of reading and writing,
// kSourceCorrupt when an object changed, and kInterrupted.
Result<std::vector<BuiltPack>> BuildPacks(const RepackJob& job,
                                          ObjectSource& source,
                                          const ObjectList& list);

}  // namespace zpack
