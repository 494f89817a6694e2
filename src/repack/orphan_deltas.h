// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Second choices for objects whose base is in an earlier pack of several: a
// delta against another such object of the same pack, or the object whole.
// Thread-compatible.

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
  // `list` outlives this.
  OrphanDeltas(const ObjectList& list, const DeltaSearchOptions& options);

  // Fills `stream` for an object with this content, which was a delta: against
  // an orphan of this pack that is stored whole, or whole itself. What hangs on
  // it stays as deep as it was, or becomes less deep.
  PlannedEntry Plan(ListRank rank, ByteView content, Bytes& stream);
  // Makes the object of the last Plan a candidate for those after it.
  // REQUIRES: it was written to the pack as planned.
  void Add(ListRank rank, Bytes content);
  // Begins another pack, without candidates.
  void Clear();

 private:
  DeltaPlanner& Planner() {
    return type_ == ObjectType::kTree ? tree_planner_ : text_planner_;
  }

  const ObjectList& list_;
  DeltaPlanner text_planner_;
  DeltaPlanner tree_planner_;
  Deflater deflater_;
  ObjectType type_ = ObjectType::kCommit;  // of all candidates
  IndexedVector<CandidateNumber, ListRank> planned_;
  Bytes delta_;
};

}  // namespace zpack
