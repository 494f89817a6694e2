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

namespace zpack {

struct DeltaSearchOptions {
  unsigned window = 20;  // candidates tried for an object; 0 for no deltas
  unsigned depth = 50;   // longest chain of deltas
  int level = 9;         // libdeflate's, 1 to 12
  uint64_t window_memory = uint64_t{64} << 20;  // contents kept as candidates
  // What the search takes among objects that are larger than that, one at a
  // time. Those for which it is too little are stored whole.
  uint64_t large_memory = uint64_t{4} << 30;
  // Larger objects are stored whole, and read and written in pieces.
  uint64_t big_file_threshold = uint64_t{512} << 20;
  ReuseRule reuse = ReuseRule::kNothing;
};

// What becomes of one object.
struct PlannedEntry {
  static constexpr uint32_t kNoBase = ReusePlan::kNoBase;

  uint32_t rank = 0;
  uint32_t base = kNoBase;   // rank of the object it is a delta against
  uint64_t raw_size = 0;     // of the object, or of the delta
  uint64_t stored_size = 0;  // of the zlib stream
};

enum class StretchKind : uint8_t {
  kUsual,
  // One object, larger than a window, which gets an entry as a delta only.
  kLarge,
  // The same; it is compared with those of the stretches before, too.
  kNextLarge,
};

// A stretch, and what the search makes of it.
struct SearchStretch {
  StretchKind kind = StretchKind::kUsual;
  std::vector<uint32_t> ranks;  // all of one type
  ObjectType type = ObjectType::kBlob;
  std::vector<PlannedEntry> entries;
  Bytes streams;  // of the entries, one after the other
};

// Puts objects of a type and of alike paths side by side, the largest of these
// first, so that deltas delete, and cuts this into stretches that a thread
// works on by itself. Large objects come one by one, to be searched by one
// thread in this order. An object that is too large for that is in no stretch.
//
// What is not searched, because it is copied, is there only where something is
// searched that lies near it.
struct SearchPlan {
  std::vector<SearchStretch> stretches;
  std::vector<SearchStretch> large;
  std::vector<bool> taking_part;  // by rank: it is in one of them
};
// How large objects are searched.
DeltaSearchOptions LargeSearchOptions(const DeltaSearchOptions& options);
SearchPlan PlanStretches(const ObjectList& list, const Lineages& lineages,
                         const ReusePlan& reuse,
                         const DeltaSearchOptions& options);

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
