// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which directories a forced restore may replace. Functions without state; any
// thread.

#pragma once

#include <string>

#include "zpack/result.h"

namespace zpack {

// Succeeds when `path` is a bare repository that holds nothing but what Git
// itself keeps in one, and when all of it can be removed. kExists, saying what
// is in the way, for anything else: linked worktrees, files of others, mount
// points, directories of other users.
Status CheckReplaceable(const std::string& path);

}  // namespace zpack
