// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Determines the order of entries in a pack. Pure functions.

#pragma once

#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "repack/delta_islands.h"

namespace zpack {

enum class PackLayout : uint8_t {
  // Families of blobs are stored together. A family is the objects whose delta
  // chains end in the same whole object.
  kBlobFamilies,
  kAllFamilies,  // families of trees as well
};

// Returns ranks in an order that suits Git's access: commits, tags, trees,
// blobs. Within a type, objects are ordered by recency, families by their most
// recent object, and every base precedes its deltas. A reader of consecutive
// blobs therefore has their bases in its cache, and walks read trees by
// recency. If the order is divided into several packs, kAllFamilies separates
// few deltas from their bases. Objects of a core island of `islands`, which may
// be null, come before all others. `bases` has the base of each rank, or
// PlannedEntry::kNoBase.
std::vector<ListRank> PackOrder(const ObjectList& list,
                                const IndexedVector<ListRank, ListRank>& bases,
                                PackLayout layout,
                                const DeltaIslands* islands = nullptr);

}  // namespace zpack
