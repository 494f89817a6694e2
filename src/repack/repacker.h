// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Rewrites the packs of a repository, step by step. The function has no state;
// one call at a time.

#pragma once

#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// Like Repack, but expects checked options and does not fill in
// RepackStats::phases.
Result<RepackStats> RunRepack(const RepackJob& job);

}  // namespace zpack
