// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a repository may be used although somebody else owns it. Its
// configuration and attributes name programs and files, so Git asks its user
// first (git-config(1), safe.directory). A function without state; any thread.

#pragma once

#include <string>

#include "zpack/result.h"

namespace zpack {

// What identifies a repository; empty for what there is not.
struct RepositoryPaths {
  std::string git_file;   // the file '.git' that names the git directory
  std::string work_tree;  // the directory that holds '.git'
  std::string git_directory;
};

// Success when all of them belong to the user that this process runs as, or, as
// root, to the one who called sudo; or when safe.directory in the configuration
// of system, user or command line lists the work tree, or the git directory if
// there is none. Else kGit with the command that lists it; kIo and kGit as
// ReadProtectedConfiguration.
Status CheckOwnership(const RepositoryPaths& paths);

}  // namespace zpack
