// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Questions about the ancestors of commits. Each takes one visit of each
// ancestor. One thread at a time for each graph.

#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "base/index_spaces.h"
#include "history/object_graph.h"
#include "reader/archive_file.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// Calls `enter` with `start`, and then with the parents of each commit for
// which `enter` returned true. `enter` must return false for a commit that it
// has seen before. Errors: kCorrupt and kNotFound as in ObjectGraph;
// kInterrupted.
Status VisitAncestors(ObjectGraph& graph, ObjectNumber start,
                      const std::stop_token& stop,
                      const std::function<bool(ObjectNumber)>& enter);

// The commits that both commits reach and that no other such commit reaches, in
// ascending order of their numbers in the file. A commit reaches itself.
// Errors are those of VisitAncestors; kNotFound if a commit is missing.
Result<std::vector<ObjectId>> FindMergeBases(const ArchiveFile& archive,
                                             const ObjectId& a,
                                             const ObjectId& b);

}  // namespace zpack
