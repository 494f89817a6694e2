// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decides which directories a forced restore may replace. A function without
// state; any thread.

#pragma once

#include <span>
#include <string>

#include "zpack/result.h"

namespace zpack {

// Succeeds if `path` is a bare repository that holds only files that Git itself
// keeps in a repository and the objects of Git LFS in `lfs_objects` (names
// below the git directory, ascending), and all of it can be removed. Otherwise
// kExists, with the obstacle: a linked worktree, another file, a mount point,
// or a directory that this user cannot remove. kIo if a directory cannot be
// examined.
Status CheckReplaceable(const std::string& path,
                        std::span<const std::string> lfs_objects);

}  // namespace zpack
