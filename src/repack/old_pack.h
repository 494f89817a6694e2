// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a pack that is there can stay in place of one that was made to
// replace it. A function without state; any thread.

#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "inventory/object_list.h"
#include "repack/delta_search.h"
#include "zpack/options.h"

namespace zpack {

// True when the pack at `path`, without ".pack", holds the objects of `list`
// and no others, has only deltas that `options` and `undeltified`, by path as
// ObjectSource has it, allow, and every object of it hashes to its id. False,
// too, for a pack that cannot be read. The only error is kInterrupted.
Result<bool> CanStay(FileSystem& file_system, const std::string& path,
                     const ObjectList& list,
                     const std::vector<bool>& undeltified,
                     const DeltaSearchOptions& options, const RunOptions& run);

}  // namespace zpack
