// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks whether a repository of another user may be used. Its configuration
// and attributes name programs and files, so Git requires the consent of its
// user (git-config(1), safe.directory). A function without state; any thread.

#pragma once

#include <string>

#include "zpack/result.h"

namespace zpack {

// The paths that identify a repository. A path that does not apply is empty.
struct RepositoryPaths {
  std::string git_file;   // the file '.git' with the path of the git directory
  std::string work_tree;  // the directory that holds '.git'
  std::string git_directory;
};

// Succeeds if all paths belong to the effective user of this process or, for
// root, to the user who called sudo. Also succeeds if safe.directory in the
// configuration of the system, the user or the command line lists the work tree
// (or the git directory if there is no work tree).
//
// Errors: kGit, with the command that adds the repository to safe.directory;
// kIo and kGit as ReadProtectedConfiguration.
Status CheckOwnership(const RepositoryPaths& paths);

}  // namespace zpack
