// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The commits of a file in the order of git-rev-list(1) with --date-order.
// Functions without state.

#pragma once

#include <stop_token>
#include <vector>

#include "base/index_spaces.h"
#include "history/object_graph.h"
#include "reader/archive_file.h"
#include "zpack/result.h"

namespace zpack {

// All commits of the file, whatever reaches them. No commit comes before its
// children; among those that may come next, the youngest does. Parents that are
// not in the file are passed over. Errors are those of ObjectGraph;
// kInterrupted. REQUIRES: the index is loaded.
Result<std::vector<ObjectNumber>> AllCommits(const ArchiveFile& archive,
                                             ObjectGraph& graph,
                                             const std::stop_token& stop);

// The parents of a commit that are in the file.
Result<std::vector<ObjectNumber>> ParentsInFile(ObjectGraph& graph,
                                                ObjectNumber commit);

}  // namespace zpack
