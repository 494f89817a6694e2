// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Updates 'info/refs' and 'objects/info/packs', which clients of the dumb HTTP
// protocol read, after a repack. The functions have no state; one call at a
// time.

#pragma once

#include "repack/later_source.h"
#include "repack/repack_job.h"

namespace zpack {

// Returns whether the options and the configuration ask for the update.
bool UpdatesInfoFiles(const RepackJob& job);

// Updates both files with the refs of `now`. As with 'git repack', a failure is
// not an error: it becomes a warning in `stats`.
void UpdateInfoFiles(PackStore& store, LaterSource& now, RepackStats& stats);

}  // namespace zpack
