// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens a repository with libgit2. A function without state; any thread.

#pragma once

#include "git/libgit2.h"
#include "git/repository_location.h"
#include "zpack/result.h"

namespace zpack {

// Opens the repository with Git's configuration. kNotFound if the repository no
// longer exists; kUnsupported, kIo and kGit, with the reason, if it cannot be
// read.
Result<RepositoryHandle> OpenRepositoryHandle(
    const RepositoryLocation& location);

}  // namespace zpack
