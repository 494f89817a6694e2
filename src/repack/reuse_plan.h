// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What of the packs that are there is copied into a new one as it is stored.

#pragma once

#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/repack.h"

namespace zpack {

// What becomes of one object.
enum class Reuse : uint8_t {
  kNone,     // it is searched and compressed
  kWhole,    // it is searched, and copied if it stays whole
  kSettled,  // the same, but it is only compared with what is new
  kDelta,    // it is copied: a delta whose base is packed, too
};

struct ReusePlan {
  static constexpr ListRank kNoBase{0xffffffff};

  PackReuse rule = PackReuse::kNothing;
  // By rank:
  IndexedVector<ListRank, Reuse> kinds;
  // Objects of the pack that most come from: they were compared with each other
  // when that was written. Empty, as what follows, unless deltas are copied.
  ListMarks known;
  IndexedVector<ListRank, ListRank> bases;  // of copied deltas, else kNoBase
  // Where the chain of copied deltas ends that an object is in, and how many
  // deltas away that is.
  IndexedVector<ListRank, ListRank> roots;
  IndexedVector<ListRank, uint16_t> distances;
  // Of roots: the longest such chain that hangs on them.
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

// `undeltified` is by path, as ObjectSource has it: blobs of these paths take
// no part in deltas. Chains longer than `max_depth`, and circles of deltas from
// several packs, are cut.
ReusePlan PlanReuse(ObjectSource& source, const ObjectList& list,
                    const IndexedVector<PathNumber, bool>& undeltified,
                    PackReuse rule, unsigned max_depth);

}  // namespace zpack
