// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a repository's own configuration says about how it is stored
// (gitrepository-layout(5), core.repositoryFormatVersion): what every program
// has to understand before it touches anything. A function without state; any
// thread.

#pragma once

#include <optional>
#include <string>

#include "git/configuration.h"
#include "zpack/result.h"

namespace zpack {

struct RepositoryFormat {
  // extensions.preciousObjects: nothing may be deleted.
  bool precious_objects = false;
  WorktreeConfiguration worktree = WorktreeConfiguration::kNo;
  std::optional<bool> bare;  // core.bare
  std::string work_tree;     // core.worktree, as it is written; may be empty
};

// Reads it from 'config' in `common_directory`, and from nowhere else, as Git
// does. kUnsupported, naming it, for a version, an extension, an object format
// or a ref storage that is not supported; kIo and kGit as ReadConfiguration.
Result<RepositoryFormat> ReadRepositoryFormat(
    const std::string& common_directory);

}  // namespace zpack
