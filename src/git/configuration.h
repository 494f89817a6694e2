// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Git's configuration, from everywhere Git reads it (git-config(1), FILES and
// ENVIRONMENT). The one place that decides which files count. Functions without
// state; any thread.

#pragma once

#include <cstdint>
#include <string>

#include "git/libgit2.h"
#include "zpack/result.h"

namespace zpack {

// Whether the repository has a file 'config.worktree' for each of its work
// trees (extensions.worktreeConfig).
enum class WorktreeConfiguration : uint8_t { kNo, kYes };

// One file, as ReadConfiguration reads it; empty when there is none.
Result<ConfigHandle> ReadConfigurationFile(const std::string& path);

// What a repository cannot set by itself: the configuration of the system, of
// the user and of the command line, in this order. Errors as
// ReadConfiguration.
Result<ConfigHandle> ReadProtectedConfiguration();

// All levels: the protected configuration, that of the repository before the
// command line's. `repository` decides conditional includes. What is returned
// does not change when files do. kIo for a file that is there and cannot be
// read, except that files of the user may be unreadable for lack of permission,
// as in Git; kGit for one that is malformed.
Result<ConfigHandle> ReadConfiguration(git_repository* repository,
                                       const std::string& common_directory,
                                       const std::string& git_directory,
                                       WorktreeConfiguration worktree);

}  // namespace zpack
