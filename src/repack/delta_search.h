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
  const std::vector<bool>& undeltified;
  const ReusePlan& reuse;
  const std::vector<bool>& taking_part;
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
  Status Add(uint32_t rank, SearchStretch& stretch);
  // The same for one that is copied.
  Status AddStored(uint32_t rank, SearchStretch& stretch);
  // Looks for a delta of an object, which is `content`.
  void SearchDelta(uint32_t rank, Bytes content, SearchStretch& stretch);
  // Appends the entry of an object that is stored whole, unless it is large.
  Status AddWhole(uint32_t rank, SearchStretch& stretch);
  // The same by copying it; false when that is not possible.
  bool CopyWhole(uint32_t rank, const Deflater& deflater,
                 SearchStretch& stretch);
  // Appends the entry of an object, and `raw`, its content or a delta,
  // deflated.
  static void AddEntry(uint32_t rank, ByteView raw, Deflater& deflater,
                       SearchStretch& stretch);
  DeltaPlanner& Planner(ObjectType type);
  Deflater& WholeDeflater(uint32_t rank);
  bool IsIncompressible(uint32_t rank) const;
  // True for an object that is stored whole whatever others look like.
  bool IsAlone(uint32_t rank) const;
  // How many deltas a copied one is away from an object that is stored whole;
  // nothing while that is not known.
  std::optional<uint32_t> StoredDepth(uint32_t rank) const;

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
  // Of the stretch: ranks by the planner's numbers, and by rank how many deltas
  // it is away from an object that is stored whole.
  std::vector<uint32_t> planned_;
  std::unordered_map<uint32_t, uint32_t> depths_;
};

}  // namespace zpack
