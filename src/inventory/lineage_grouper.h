// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Implements Phase::kGroupingPaths: finds paths that hold versions of the same
// content. A lineage is the blobs of one path. Lineages whose newest or oldest
// blobs are similar (renames, copies, vendored files) become neighbours.

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
  // By path number: position of the path in an order that makes similar paths
  // neighbours.
  IndexedVector<PathNumber, PathPosition> positions;
  // By path number: position of the first path in the group of similar paths.
  IndexedVector<PathNumber, PathPosition> groups;
  // By path number: true if the newest and the oldest blob of the path are
  // incompressible, and share nothing with other blobs that were read.
  // Neither deltas nor compression would make such blobs smaller.
  IndexedVector<PathNumber, bool> incompressible;
  // By path number: Lineage::takes_turns.
  IndexedVector<PathNumber, bool> takes_turns;
};

// Reads up to three blobs of each path, and more if they are large or do not
// compress, ignoring blobs larger than `max_size`. Errors are those of
// ObjectSource::Read.
Result<Lineages> GroupLineages(ObjectSource& source, const ObjectList& list,
                               uint64_t max_size, const RunOptions& run);

}  // namespace zpack
