// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the repository that a path names. Functions without state; any thread.

#pragma once

#include <string>

#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Paths are absolute, without links and without a slash at the end.
struct RepositoryLocation {
  std::string name;  // name of the repository in messages
  std::string git_directory;
  // Differs from `git_directory` in a linked work tree.
  std::string common_directory;
  std::string work_tree;  // the directory in which '.git' was found, or empty
  // The git directory as the user named it: absolute, with its links, from $PWD
  // on if that is the current directory. Empty if the git directory was found
  // in another way, for example through a file '.git'.
  std::string named = {};
};

// Finds the repository at `path`: a git directory, a directory with a git
// directory or a file as '.git', or such a file. If there is none and
// `discovery` is kUpwards, searches the directories above, as far as Git does
// (GIT_CEILING_DIRECTORIES, GIT_DISCOVERY_ACROSS_FILESYSTEM).
//
// Errors: kNotFound if there is no repository; kGit if it belongs to another
// user and is not listed as safe, or if a file '.git' is malformed; kIo if a
// path cannot be examined.
Result<RepositoryLocation> FindRepository(const std::string& path,
                                          Discovery discovery);

// The same repository, as seen from its main work tree.
RepositoryLocation MainLocation(const RepositoryLocation& location);

}  // namespace zpack
