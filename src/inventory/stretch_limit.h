// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a stretch of objects may end, within which they are compared.

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/index_spaces.h"
#include "inventory/lineage_grouper.h"
#include "inventory/object_list.h"

namespace zpack {

// Says how many bytes of content a stretch may have. If a stretch ends between
// similar paths, what they have in common is stored twice. Thread-compatible.
class StretchLimit {
 public:
  // Both must outlive this object.
  StretchLimit(const ObjectList& list, const Lineages& lineages)
      : list_(list), lineages_(lineages) {}

  // The most that a stretch may have with `rank`, which must be the next object
  // in the order: `usual`, or after a similar path half as much again, and at
  // least `versions` objects of this size.
  uint64_t With(ListRank rank, uint64_t usual, uint64_t versions = 0) {
    const PathPosition group = lineages_.groups[list_.paths[rank]];
    if (std::exchange(last_, group) != group) return usual;
    return std::max(usual + usual / 2, versions * list_.sizes[rank]);
  }

 private:
  const ObjectList& list_;
  const Lineages& lineages_;
  PathPosition last_;
};

}  // namespace zpack
