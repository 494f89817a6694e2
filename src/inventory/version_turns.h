// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Paths whose versions take turns: a file that differs between two branches,
// for instance, with commits now to one and now to the other. A block has room
// for few large blobs that are stored whole, so versions that are deltas of
// each other must be neighbours.

#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// By blob: the visit in whose place it is stored.
using ChangedVisits = std::unordered_map<ListRank, VisitNumber>;

// Reads the blobs of paths that take turns, each of at most `max_size`
// bytes, and divides them into families. The visits of the blobs of a path are
// given to them anew: those of one family follow each other. Errors of reading.
Result<ChangedVisits> GatherTurns(
    ObjectSource& source, const ObjectList& list,
    const IndexedVector<PathNumber, bool>& takes_turns, uint64_t max_size,
    const RunOptions& run);

}  // namespace zpack
