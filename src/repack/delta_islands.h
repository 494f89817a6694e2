// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Delta islands (git-pack-objects(1)): an object must not be a delta against an
// object that is missing in one of its islands, so that Git can copy the delta
// to everybody who fetches one island. Immutable; any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "pack/repack_settings.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

class DeltaIslands {
 public:
  // Finds the islands of the refs of `source`, and which objects of `list` they
  // reach. `list` must be complete. Errors: kGit if a regular expression of the
  // settings is malformed; those of reading; kInterrupted.
  static Result<DeltaIslands> Find(ObjectSource& source,
                                   const RepackSettings& settings,
                                   const ObjectList& list,
                                   const RunOptions& run);

  // The same for `part`. Objects that are not in `whole` are in no island.
  DeltaIslands Of(const ListIds& whole, const ListIds& part) const;

  // True if `delta` may be a delta against `base`: if no island has it, or if
  // its islands all have the base.
  bool MayBeBase(ListRank delta, ListRank base) const;
  // The number of islands that have the object.
  uint32_t Count(ListRank rank) const;
  // True if the core island has the object (pack.islandCore).
  bool InCore(ListRank rank) const;

 private:
  friend class IslandMarker;

  // A set of islands, as bits.
  using Set = std::vector<uint64_t>;

  static bool Has(const Set& set, size_t island) {
    return island / 64 < set.size() && (set[island / 64] >> (island % 64) & 1);
  }

  std::vector<Set> sets_ = {{}};
  std::optional<size_t> core_;            // number of the core island
  IndexedVector<ListRank, uint32_t> of_;  // number of the set of each object
};

}  // namespace zpack
