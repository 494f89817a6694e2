// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The order in which repacking looks for deltas, divided into stretches. Plain
// values; pure functions.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "inventory/lineage_grouper.h"
#include "inventory/object_list.h"
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
  PackReuse reuse = PackReuse::kNothing;
};

// What becomes of one object.
struct PlannedEntry {
  static constexpr ListRank kNoBase = ReusePlan::kNoBase;

  ListRank rank;
  ListRank base = kNoBase;   // the object it is a delta against
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
  std::vector<ListRank> ranks;  // all of one type
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
  ListMarks taking_part;  // it is in one of them
};
// How large objects are searched.
DeltaSearchOptions LargeSearchOptions(const DeltaSearchOptions& options);
SearchPlan PlanSearch(const ObjectList& list, const Lineages& lineages,
                      const ReusePlan& reuse,
                      const DeltaSearchOptions& options);

}  // namespace zpack
