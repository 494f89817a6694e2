// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tells objects that a partial clone lacks on purpose from lost objects. A
// function without state.

#pragma once

#include <set>

#include "inventory/object_list.h"
#include "object/object_source.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Returns those of `missing` that `source` promises. As in Git, an object is
// promised if an object that came from a promisor remote links to it. `list` is
// what the source has, with the types that the walk found. Reads each commit,
// tree and tag that came from a promisor remote once. Errors are those of
// ObjectSource, and kInterrupted.
Result<ObjectIdTable> FindPromised(ObjectSource& source, const ObjectList& list,
                                   const std::set<ObjectId>& missing,
                                   const RunOptions& run);

}  // namespace zpack
