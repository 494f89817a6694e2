// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses a new base for orphans, which are deltas whose base is in an earlier
// pack of the series. The new base is another orphan of the same pack; without
// one, the orphan is stored whole. Thread-compatible.

#pragma once

#include <cstdint>
#include <vector>

#include "base/index_spaces.h"
#include "codec/deflate.h"
#include "delta/delta_planner.h"
#include "inventory/object_list.h"
#include "repack/delta_search.h"

namespace zpack {

class OrphanDeltas {
 public:
  // `list` must outlive this object.
  OrphanDeltas(const ObjectList& list, const DeltaSearchOptions& options);

  // Fills `stream` with the entry of an orphan with this content: a delta
  // against an orphan of this pack that is stored whole, or the object itself.
  // Delta chains that end in the orphan do not get longer.
  PlannedEntry Plan(ListRank rank, ByteView content, Bytes& stream);
  // Makes the object of the last Plan a candidate. REQUIRES: the object was
  // written to the pack as planned.
  void Add(ListRank rank, Bytes content);
  // Begins another pack and drops all candidates.
  void Clear();

 private:
  DeltaPlanner& Planner() {
    return type_ == ObjectType::kTree ? tree_planner_ : text_planner_;
  }

  const ObjectList& list_;
  const DeltaIslands* islands_;
  DeltaPlanner text_planner_;
  DeltaPlanner tree_planner_;
  Deflater deflater_;
  ObjectType type_ = ObjectType::kCommit;  // type of all candidates
  IndexedVector<CandidateNumber, ListRank> planned_;
  Bytes delta_;
};

}  // namespace zpack
