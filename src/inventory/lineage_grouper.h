// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Phase Phase::kGroupingPaths: which paths hold versions of the same thing. A
// lineage is the blobs of one path; lineages whose newest or oldest blobs
// resemble each other (renames, copies, vendored files) are put side by side.

#pragma once

#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

struct Lineages {
  // By path number: position of the path when alike ones are side by side.
  IndexedVector<PathNumber, PathPosition> positions;
  // By path number: position of the first path that is alike.
  IndexedVector<PathNumber, PathPosition> groups;
  // By path number: true when its blobs are compressed already and nothing
  // resembles them, so that neither deltas nor compression would gain.
  IndexedVector<PathNumber, bool> incompressible;
};

// Reads the newest and the oldest blob of each path, except those larger than
// `max_size`. Errors are those of ObjectSource::Read.
Result<Lineages> GroupLineages(ObjectSource& source, const ObjectList& list,
                               uint64_t max_size, const RunOptions& run);

}  // namespace zpack
