// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns stretches of objects into the zlib streams of pack entries: each object
// whole, or as a delta against one before it in the stretch. Thread-compatible:
// one search per worker.

#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"
#include "base/progress_phase.h"
#include "codec/deflate.h"
#include "delta/delta_planner.h"
#include "inventory/lineage_grouper.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "repack/reuse_plan.h"
#include "repack/search_plan.h"
#include "zpack/result.h"

namespace zpack {

// What is searched. All of it outlives the search.
struct SearchInput {
  ObjectSource& source;
  const ObjectList& list;
  const Lineages& lineages;
  // By path: blobs are stored whole, and are no bases.
  const IndexedVector<PathNumber, bool>& undeltified;
  const ReusePlan& reuse;
  const ListMarks& taking_part;
};

class DeltaSearch {
 public:
  // `input` is copied.
  DeltaSearch(const SearchInput& input, const DeltaSearchOptions& options,
              const ProgressPhase& phase, std::stop_token stop);

  // Fills entries and streams; what is to be copied, and stays as it is, gets
  // no entry. Errors are those of ObjectSource::Read, and kInterrupted.
  Status Run(SearchStretch& stretch);

 private:
  // Searches one object, or makes it a candidate.
  Status Add(ListRank rank, SearchStretch& stretch);
  // The same for one that is copied.
  Status AddStored(ListRank rank, SearchStretch& stretch);
  // Looks for a delta of an object, which is `content`.
  void SearchDelta(ListRank rank, Bytes content, SearchStretch& stretch);
  // Appends the entry of an object that is stored whole, unless it is large.
  Status AddWhole(ListRank rank, SearchStretch& stretch);
  // The same by copying it; false when that is not possible.
  bool CopyWhole(ListRank rank, const Deflater& deflater,
                 SearchStretch& stretch);
  // Appends the entry of an object, and `raw`, its content or a delta,
  // deflated.
  static void AddEntry(ListRank rank, ByteView raw, Deflater& deflater,
                       SearchStretch& stretch);
  DeltaPlanner& Planner(ObjectType type);
  Deflater& WholeDeflater(ListRank rank);
  bool IsIncompressible(ListRank rank) const;
  // True for an object that is stored whole whatever others look like.
  bool IsAlone(ListRank rank) const;
  // How many deltas a copied one is away from an object that is stored whole;
  // nothing while that is not known.
  std::optional<uint32_t> StoredDepth(ListRank rank) const;

  SearchInput input_;
  const ProgressPhase& phase_;
  std::stop_token stop_;
  bool any_deltas_;
  DeltaPlanner commit_planner_;  // and tags
  DeltaPlanner tree_planner_;
  DeltaPlanner blob_planner_;
  Deflater deflater_;
  Deflater fast_deflater_;  // for what does not deflate
  Bytes delta_;
  Bytes content_;
  // Of the stretch: what the planner has, and how many deltas an object is away
  // from one that is stored whole.
  IndexedVector<CandidateNumber, ListRank> planned_;
  std::unordered_map<ListRank, uint32_t> depths_;
};

}  // namespace zpack
