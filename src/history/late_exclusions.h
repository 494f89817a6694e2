// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The excluded commits that Git takes for wanted ones until it learns better.
// Git walks by dates, so it may meet a commit before it has come from what is
// excluded to this commit, and remembers it.

#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "base/index_spaces.h"
#include "history/object_graph.h"
#include "history/object_marks.h"
#include "zpack/result.h"

namespace zpack {

// A commit that a walk begins with.
struct WalkTip {
  ObjectNumber commit;
  bool excluded = false;
  // Not a part of the walk: was read before it, perhaps with what it reaches.
  bool only_read = false;
};

// `tips` are in the order in which they were named. `marks` has exclusions for
// all `objects` numbers, which are those of the graph. Errors: those of
// ObjectGraph; kInterrupted.
Result<std::vector<ObjectNumber>> FindLateExclusions(
    ObjectGraph& graph, size_t objects, const ObjectMarks& marks,
    std::span<const WalkTip> tips, const std::stop_token& stop);

}  // namespace zpack
