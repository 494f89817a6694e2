// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What each object takes where it is stored, and what reading it costs. The
// functions have no state and may be called from any thread.

#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "reader/archive_file.h"
#include "report/statistics_collector.h"

namespace zpack {

struct StoredObject {
  uint64_t bytes = 0;
  uint64_t read_cost = 0;  // bytes that a reader decodes
  uint32_t chain = 0;      // deltas between the object and a whole object
  bool whole = true;       // not a delta
};

using StoredObjects = IndexedVector<ListRank, StoredObject>;

// Measures the objects of `list` in the packs of `source`. `loose` has the
// sizes of objects in files of their own.
StoredObjects MeasurePacked(
    ObjectSource& source, const ObjectList& list,
    const std::unordered_map<ObjectId, uint64_t>& loose);

// Measures the objects of `list` in a file. Objects other than blobs share the
// bytes of their blocks in proportion to their contents. REQUIRES: `collector`
// has read the blocks.
StoredObjects MeasureArchived(const ArchiveFile& archive,
                              const ObjectList& list,
                              const StatisticsCollector& collector);

}  // namespace zpack
