// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns stretches of objects into the zlib streams of pack entries. Each object
// becomes whole, or a delta against an earlier object of the stretch.
// Thread-compatible: one search per worker.

#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"
#include "base/progress_phase.h"
#include "codec/deflate.h"
#include "delta/delta_planner.h"
#include "delta/look_ahead.h"
#include "inventory/lineage_grouper.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "repack/reuse_plan.h"
#include "repack/search_plan.h"
#include "zpack/result.h"

namespace zpack {

// The objects to search. All references must outlive the search.
struct SearchInput {
  ObjectSource& source;
  const ObjectList& list;
  const Lineages& lineages;
  // By path: true if blobs of the path are stored whole and are never bases.
  const IndexedVector<PathNumber, bool>& undeltified;
  const ReusePlan& reuse;
  const ListMarks& taking_part;
};

class DeltaSearch {
 public:
  // Copies `input`.
  DeltaSearch(const SearchInput& input, const DeltaSearchOptions& options,
              const ProgressPhase& phase, std::stop_token stop);

  // Fills `stretch.entries` and `stretch.streams`. An object gets no entry if
  // its existing entry is copied without a change, or if it is large and no
  // delta was found. Threads of `helpers`, which may be null, compute some
  // deltas. Errors are those of ObjectSource::Read, and kInterrupted.
  Status Run(SearchStretch& stretch, Helpers* helpers);

 private:
  // True if a delta of the object is searched.
  bool IsSearched(ListRank rank) const;
  // Stores an object without a search, or makes its delta a candidate.
  Status AddUnsearched(ListRank rank, SearchStretch& stretch);
  // Makes a delta that is copied a candidate.
  Status AddStored(ListRank rank, SearchStretch& stretch);
  void SearchDelta(ListRank rank, const LookAhead::Object& object,
                   SearchStretch& stretch);
  // Appends the entry of an object that is stored whole. Does nothing for an
  // object of a large stretch.
  Status AddWhole(ListRank rank, SearchStretch& stretch);
  // Appends the entry of an object by copying its stored stream. Returns false
  // if that is not possible or if the stream is compressed too weakly.
  bool CopyWhole(ListRank rank, const Deflater& deflater,
                 SearchStretch& stretch);
  // Deflates `raw`, which is the object or a delta, and appends an entry for
  // it.
  static void AddEntry(ListRank rank, ByteView raw, Deflater& deflater,
                       SearchStretch& stretch);
  DeltaPlanner& Planner(ObjectType type);
  Deflater& WholeDeflater(ListRank rank);
  bool IsIncompressible(ListRank rank) const;
  // True if the object is stored whole without a search.
  bool IsAlone(ListRank rank) const;
  // Length of the delta chain of an object whose delta is copied; nullopt while
  // it is not known.
  std::optional<uint32_t> StoredDepth(ListRank rank) const;

  SearchInput input_;
  const ProgressPhase& phase_;
  std::stop_token stop_;
  const DeltaIslands* islands_;
  bool any_deltas_;
  DeltaPlanner commit_planner_;  // for commits and tags
  DeltaPlanner tree_planner_;
  DeltaPlanner blob_planner_;
  Deflater deflater_;
  Deflater fast_deflater_;  // for incompressible blobs
  Bytes delta_;
  Bytes content_;
  // For the current stretch: the objects in the planner, and the length of the
  // delta chain of each object.
  IndexedVector<CandidateNumber, ListRank> planned_;
  std::unordered_map<ListRank, uint32_t> depths_;
};

}  // namespace zpack
