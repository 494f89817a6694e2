// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens a repository with libgit2. A function without state; any thread.

#pragma once

#include "git/config/configuration.h"
#include "git/config/repository_format.h"
#include "git/libgit2.h"
#include "git/repository_location.h"
#include "zpack/result.h"

namespace zpack {

// A repository with Git's configuration, of which libgit2 knows only what it
// needs. With SHA-256 objects, libgit2 can read the attributes of files, but
// neither objects nor refs.
struct OpenedRepository {
  RepositoryHandle handle;
  RepositoryFormat format;
  Configuration configuration;
};

// Opens the repository. kNotFound if it no longer exists; Errors of
// ReadRepositoryFormat and ReadConfiguration; kGit, with the reason, if libgit2
// cannot open it.
Result<OpenedRepository> OpenRepositoryHandle(
    const RepositoryLocation& location);

}  // namespace zpack
