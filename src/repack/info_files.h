// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What clients that only fetch files go by, after a repack. Functions without
// state; one call at a time.

#pragma once

#include "repack/later_source.h"
#include "repack/repack_job.h"

namespace zpack {

// Whether they are to be brought up to date.
bool UpdatesInfoFiles(const RepackJob& job);

// Brings them up to date with the refs of `now`. As for 'git repack', a failure
// is no reason to fail: it becomes a warning in `stats`.
void UpdateInfoFiles(PackStore& store, LaterSource& now, RepackStats& stats);

}  // namespace zpack
