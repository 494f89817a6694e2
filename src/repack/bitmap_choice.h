// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides whether a repository should get a bitmap after a repack. The function
// has no state and may be called from any thread.

#pragma once

#include <cstddef>

#include "repack/repack_job.h"

namespace zpack {

// Returns false if some reachable objects are only in alternates, because a
// bitmap needs every reachable object. Otherwise decides as 'git repack -a'
// does, except that a bitmap may be requested for several packs. `reachable` is
// the number of objects that were to be packed or are in packs that stay.
// `stats` tells how many objects were packed, and how many packs will be there.
bool WantsBitmap(const RepackJob& job, const RepackStats& stats,
                 size_t reachable);

}  // namespace zpack
