// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of entries in a stock pack. Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/object_list.h"

namespace zpack {

enum class PackLayout : uint8_t {
  kBlobFamilies,  // blobs that hang on one whole object lie together
  kAllFamilies,   // trees, too
};

// Ranks in the order of the pack, as Git likes to read it: commits, tags,
// trees, blobs, each type by recency, families by their most recent object, and
// each base before what needs it. Who reads blobs one after the other finds
// their bases in memory then; walks read trees by recency. With kAllFamilies,
// few bases are in another pack than what needs them when the order is cut into
// several packs. `bases` has the base of each rank, or
// PlannedEntry::kNoBase.
std::vector<ListRank> PackOrder(const ObjectList& list,
                                const IndexedVector<ListRank, ListRank>& bases,
                                PackLayout layout);

}  // namespace zpack
