// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens a repository with libgit2. A function without state; any thread.

#pragma once

#include "git/libgit2.h"
#include "git/repository_format.h"
#include "git/repository_location.h"
#include "zpack/result.h"

namespace zpack {

// A repository with Git's configuration. With SHA-256 objects, libgit2 can read
// the configuration and the attributes of files, but neither objects nor refs.
struct OpenedRepository {
  RepositoryHandle handle;
  RepositoryFormat format;
};

// Opens the repository. kNotFound if it no longer exists; kUnsupported, kIo and
// kGit, with the reason, if it cannot be read.
Result<OpenedRepository> OpenRepositoryHandle(
    const RepositoryLocation& location);

}  // namespace zpack
