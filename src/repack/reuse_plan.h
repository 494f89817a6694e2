// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans which entries of existing packs are copied into a new pack.

#pragma once

#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "repack/delta_islands.h"
#include "zpack/repack.h"

namespace zpack {

// How an object is stored in the new pack.
enum class Reuse : uint8_t {
  kNone,     // searched and compressed
  kWhole,    // searched; copied if it stays whole
  kSettled,  // like kWhole, but compared only with new objects
  kDelta,    // copied as a delta, whose base is packed as well
};

struct ReuseRules {
  PackReuse reuse = PackReuse::kNothing;
  unsigned max_depth = 0;
  const DeltaIslands* islands = nullptr;  // null: every object may be a base
};

struct ReusePlan {
  static constexpr ListRank kNoBase{0xffffffff};

  PackReuse rule = PackReuse::kNothing;
  // By rank:
  IndexedVector<ListRank, Reuse> kinds;
  // Objects of the pack that holds most of the objects. They were compared with
  // each other when that pack was written. This vector and the following ones
  // are empty unless deltas are copied.
  ListMarks known;
  IndexedVector<ListRank, ListRank>
      bases;  // base of a copied delta, else kNoBase
  // The object in which the object's chain of copied deltas ends, and the
  // number of deltas up to there.
  IndexedVector<ListRank, ListRank> roots;
  IndexedVector<ListRank, uint16_t> distances;
  // By root: length of the longest chain of copied deltas that ends in it.
  IndexedVector<ListRank, uint16_t> heights;

  bool IsSearched(ListRank rank) const {
    return kinds[rank] == Reuse::kNone || kinds[rank] == Reuse::kWhole;
  }
  bool IsKnown(ListRank rank) const { return !known.empty() && known[rank]; }
  ListRank Base(ListRank rank) const {
    return bases.empty() ? kNoBase : bases[rank];
  }
  uint32_t Height(ListRank rank) const {
    return heights.empty() ? 0 : heights[rank];
  }
};

// `undeltified` is by path, as ObjectSource::FindUndeltified returns it: blobs
// of these paths are neither deltas nor bases. The plan breaks chains longer
// than the maximum, and cycles of deltas from several packs.
ReusePlan PlanReuse(ObjectSource& source, const ObjectList& list,
                    const IndexedVector<PathNumber, bool>& undeltified,
                    const ReuseRules& rules);

}  // namespace zpack
