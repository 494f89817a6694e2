// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which repository a path names. Functions without state; any thread.

#pragma once

#include <string>

#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Paths are absolute, without links and without a slash at the end.
struct RepositoryLocation {
  std::string name;  // what messages call the repository
  std::string git_directory;
  // Differs from `git_directory` in a linked work tree.
  std::string common_directory;
  std::string work_tree;  // the directory whose '.git' was found, or empty
};

// The repository that `path` is: a git directory, a directory that holds one or
// a file as '.git', or such a file. With Discovery::kUpwards, if it is none,
// the nearest directory above it that is one, as far up as Git looks
// (GIT_CEILING_DIRECTORIES, GIT_DISCOVERY_ACROSS_FILESYSTEM).
//
// kNotFound when there is none; kGit when it belongs to somebody else and is
// not listed as safe, or when a file '.git' is malformed; kIo for a path that
// cannot be looked at.
Result<RepositoryLocation> FindRepository(const std::string& path,
                                          Discovery discovery);

// The same repository as its main work tree has it.
RepositoryLocation MainLocation(const RepositoryLocation& location);

}  // namespace zpack
