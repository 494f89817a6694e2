// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Opening a repository with libgit2. A function without state; any thread.

#pragma once

#include <string>

#include "git/libgit2.h"
#include "zpack/result.h"

namespace zpack {

// Opens the repository that `path` is in, a directory inside one included.
// kNotFound when there is none; kGit and kUnsupported, naming the reason, for
// one that cannot be read.
Result<RepositoryHandle> OpenRepositoryHandle(const std::string& path);

}  // namespace zpack
