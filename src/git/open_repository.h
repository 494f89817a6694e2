// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Opening a repository with libgit2. A function without state; any thread.

#pragma once

#include "git/libgit2.h"
#include "git/repository_location.h"
#include "zpack/result.h"

namespace zpack {

// Opens it with Git's configuration. kNotFound when it is gone meanwhile;
// kUnsupported, kIo and kGit, naming the reason, for a repository that cannot
// be read.
Result<RepositoryHandle> OpenRepositoryHandle(
    const RepositoryLocation& location);

}  // namespace zpack
