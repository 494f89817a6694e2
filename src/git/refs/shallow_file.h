// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The file 'shallow' of a repository, with the commits whose parents are
// missing (gitrepository-layout(5)). Functions without state; one call at a
// time.

#pragma once

#include <string>

#include "git/files/lock_file.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// Locks 'shallow' in the directory `common_directory`, so that no other process
// changes it. Errors as LockFile::Take.
Result<LockFile> LockShallow(FileSystem& file_system,
                             const std::string& common_directory);

// Removes the commits that are not in `source` from 'shallow', because fetches
// offer every commit in this file. If all commits exist, nothing is locked or
// written. Errors as ReadShallow and LockShallow.
Status PruneShallow(FileSystem& file_system,
                    const std::string& common_directory, ObjectSource& source);

}  // namespace zpack
