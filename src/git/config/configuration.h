// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Git's configuration, from all places where Git reads it (git-config(1), FILES
// and ENVIRONMENT). Only this code decides which files are read. Functions
// without state; any thread.

#pragma once

#include "git/config/configuration_file.h"
#include "git/config/repository_format.h"
#include "git/repository_location.h"
#include "zpack/result.h"

namespace zpack {

// The configuration that a repository cannot set itself, from the lowest to the
// highest level: system, user, command line. Errors as ReadConfiguration.
Result<Configuration> ReadProtectedConfiguration();

// The configuration of all levels: system, user, repository, work tree, command
// line, with the files that they include.
//
// Errors: kIo if a file exists but cannot be read; as in Git, files of the user
// are skipped if the permission is missing. kInvalidArgument if what should be
// a file is not. kGit if a file or a variable of the environment is malformed,
// or if files include each other in a circle. kLimitExceeded if all files
// together are larger than 64 MiB, or are more than 10,000.
Result<Configuration> ReadConfiguration(const RepositoryLocation& location,
                                        const RepositoryFormat& format);

}  // namespace zpack
