// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The file 'shallow' of a repository, which names the commits whose parents are
// not there (gitrepository-layout(5)). Functions without state; one call at a
// time.

#pragma once

#include <string>

#include "git/lock_file.h"
#include "object/object_source.h"
#include "zpack/result.h"

namespace zpack {

// Keeps others from changing 'shallow' in the directory `common_directory`.
// Errors as LockFile::Take.
Result<LockFile> LockShallow(FileSystem& file_system,
                             const std::string& common_directory);

// Takes the commits out of 'shallow' that `source` does not have: fetches offer
// every commit that it names. Nothing is locked or written when all are there.
Status PruneShallow(FileSystem& file_system,
                    const std::string& common_directory, ObjectSource& source);

}  // namespace zpack
