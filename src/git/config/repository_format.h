// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of a repository's configuration that says how the repository is
// stored (gitrepository-layout(5), core.repositoryFormatVersion). Every program
// must check it before using the repository. A function without state; any
// thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "git/repository_location.h"
#include "zpack/object_id.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Whether the repository has a file 'config.worktree' for each of its work
// trees (extensions.worktreeConfig).
enum class WorktreeConfiguration : uint8_t { kNo, kYes };

struct RepositoryFormat {
  ObjectFormat object_format = ObjectFormat::kSha1;
  // extensions.preciousObjects: nothing may be deleted.
  bool precious_objects = false;
  RefStorage ref_storage = RefStorage::kFiles;  // extensions.refStorage
  WorktreeConfiguration worktree = WorktreeConfiguration::kNo;
  // core.bare, and core.worktree, unchanged; may be empty. As in Git, those in
  // 'config' are not of a linked work tree, unless there is `worktree`.
  std::optional<bool> bare;
  std::string work_tree;
};

// Reads the format from 'config' in the common directory only, as Git does, and
// from 'config.worktree', if there may be one, only core.bare and
// core.worktree. Neither file includes others there. kUnsupported, with the
// reason, for a version, an extension, an object format or a ref storage that
// is not supported; other errors as ReadConfigurationFile.
Result<RepositoryFormat> ReadRepositoryFormat(
    const RepositoryLocation& location);

}  // namespace zpack
