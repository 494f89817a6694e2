// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a repository should get a bitmap after a repack. A function without
// state; any thread.

#pragma once

#include <cstddef>

#include "repack/repack_job.h"

namespace zpack {

// A bitmap needs everything that is reachable, so objects that only alternates
// have rule it out. Otherwise this decides as 'git repack -a' does, except that
// several packs do not prevent a bitmap that was asked for. `reachable` is the
// number of objects that were to be packed or are in packs that stay; `stats`
// tells how many were packed, and what packs there are now.
bool WantsBitmap(const RepackJob& job, const RepackStats& stats,
                 size_t reachable);

}  // namespace zpack
