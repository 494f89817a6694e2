// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides whether a repository should get a bitmap after a repack. The function
// has no state and may be called from any thread.

#pragma once

#include "repack/object_choice.h"
#include "repack/repack_job.h"

namespace zpack {

// True if the options or, without one, the settings ask for a bitmap.
bool IsBitmapAskedFor(const RepackJob& job);

// Returns false if objects are left to alternates, because a bitmap needs every
// reachable object. Otherwise decides as 'git repack -a'
// does, except that a bitmap may be requested for several packs. `stats` tells
// how many packs were written, and how many packs will be there.
bool WantsBitmap(const RepackJob& job, const RepackStats& stats,
                 const ObjectChoice& choice);

}  // namespace zpack
