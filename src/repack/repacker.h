// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Rewriting the packs of a repository, step by step. A function without state;
// one call at a time.

#pragma once

#include "repack/repack_job.h"
#include "zpack/result.h"

namespace zpack {

// As Repack, for options that go together; but for the phases and their times.
Result<RepackStats> RunRepack(const RepackJob& job);

}  // namespace zpack
