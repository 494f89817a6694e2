// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Git's configuration, from all places where Git reads it (git-config(1), FILES
// and ENVIRONMENT). Only this code decides which files are read. Functions
// without state; any thread.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "git/libgit2.h"
#include "zpack/result.h"

namespace zpack {

// Whether the repository has a file 'config.worktree' for each of its work
// trees (extensions.worktreeConfig).
enum class WorktreeConfiguration : uint8_t { kNo, kYes };

// The configuration in one file. Empty if the file does not exist. Errors as
// ReadConfiguration.
Result<ConfigHandle> ReadConfigurationFile(const std::string& path);

// The configuration that a repository cannot set itself, from the lowest to the
// highest level: system, user, command line. Errors as ReadConfiguration.
Result<ConfigHandle> ReadProtectedConfiguration();

// The configuration of all levels: system, user, repository, work tree, command
// line. `repository` decides conditional includes. The result does not change
// when files change.
//
// Errors: kIo if a file exists but cannot be read; as in Git, files of the user
// are skipped if the permission is missing. kGit if a file is malformed.
Result<ConfigHandle> ReadConfiguration(git_repository* repository,
                                       const std::string& common_directory,
                                       const std::string& git_directory,
                                       WorktreeConfiguration worktree);

// Calls `visit` with each entry, from the lowest to the highest level. An error
// of `visit` ends the call. kGit if the entries cannot be listed.
Status ForEachConfigEntry(
    const git_config* config,
    const std::function<Status(const git_config_entry&)>& visit);

}  // namespace zpack
