// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Determines the order in which repack searches for deltas, and divides it into
// stretches. Plain values and pure functions.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "inventory/lineage_grouper.h"
#include "inventory/object_list.h"
#include "repack/delta_islands.h"
#include "repack/reuse_plan.h"

namespace zpack {

struct DeltaSearchOptions {
  unsigned window = 20;  // maximum candidates per object; 0: no deltas
  unsigned depth = 50;   // maximum length of a delta chain
  int level = 9;         // libdeflate level, 1 to 12
  uint64_t window_memory = uint64_t{64} << 20;  // bytes kept as candidates
  // Maximum bytes of memory for searching objects larger than `window_memory`,
  // one at a time. Objects for which this is too little are stored whole.
  uint64_t large_memory = uint64_t{4} << 30;
  // Larger objects are stored whole, and read and written in pieces.
  uint64_t big_file_threshold = uint64_t{512} << 20;
  PackReuse reuse = PackReuse::kNothing;
  const DeltaIslands* islands = nullptr;  // null: every object may be a base

  bool MayBeBase(ListRank delta, ListRank base) const {
    return islands == nullptr || islands->MayBeBase(delta, base);
  }
};

// The planned entry of one object.
struct PlannedEntry {
  static constexpr ListRank kNoBase = ReusePlan::kNoBase;

  ListRank rank;
  ListRank base = kNoBase;   // the base, if the entry is a delta
  uint64_t raw_size = 0;     // of the object or the delta
  uint64_t stored_size = 0;  // of the zlib stream
};

enum class StretchKind : uint8_t {
  kUsual,
  // One object larger than `window_memory`. It gets an entry only if a delta is
  // found.
  kLarge,
  // Like kLarge, and also compared with the objects of the stretches before it.
  kNextLarge,
};

// A stretch of objects, and the entries that the search makes for them.
struct SearchStretch {
  StretchKind kind = StretchKind::kUsual;
  std::vector<ListRank> ranks;  // all of one type
  ObjectType type = ObjectType::kBlob;
  std::vector<PlannedEntry> entries;
  Bytes streams;  // streams of the entries, in order
};

// Orders objects by type, then by group of similar paths, then by size, largest
// first, so that deltas mostly delete. Commits and tags are ordered by recency.
// Each stretch of this order can be searched by a thread of its own. Large
// objects are searched one by one, by one thread, in order. Objects too large
// to be searched are in no stretch.
//
// Copied objects are part of a stretch only if a searched object lies within
// one window of them.
struct SearchPlan {
  std::vector<SearchStretch> stretches;
  std::vector<SearchStretch> large;
  ListMarks taking_part;  // by rank: true if the object is in a stretch
};
// Returns the options for searching large objects.
DeltaSearchOptions LargeSearchOptions(const DeltaSearchOptions& options);
SearchPlan PlanSearch(const ObjectList& list, const Lineages& lineages,
                      const ReusePlan& reuse,
                      const DeltaSearchOptions& options);

}  // namespace zpack
