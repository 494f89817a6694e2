// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the path of every object, and the commit that brought the object into
// the history. The function has no state and may be called from any thread.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/options.h"
#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

struct ObjectHistory {
  static constexpr uint32_t kNoCommit = std::numeric_limits<uint32_t>::max();

  struct Commit {
    ListRank rank;
    uint64_t time = 0;  // of the committer, in seconds since 1970
    ObjectId tree;
    std::vector<ListRank> parents;
  };

  // `visits` is not filled.
  ObjectList list;
  // Those that refs, HEAD and reflogs reach. Parents come before children;
  // among commits whose parents have come, the oldest is the first.
  std::vector<Commit> commits;
  // By rank: the first commit in that order whose tree has the object; for a
  // commit, the commit itself. kNoCommit for an object that no commit reaches.
  IndexedVector<ListRank, uint32_t> brought_by;
};

// Lists the objects of `source` and walks the history, oldest commits first.
// Reads every commit and tree once for each thread. Objects that do not exist
// are passed over. `fill` may set types and sizes, which are then not read; it
// is called after the walk. Errors are those of ObjectSource.
Result<ObjectHistory> ReadHistory(
    ObjectSource& source, const RefsSnapshot& refs, const RunOptions& run,
    const std::function<void(ObjectList&)>& fill = {});

}  // namespace zpack
