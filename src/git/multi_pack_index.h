// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Indexes of several packs (gitformat-pack(5)): a multi-pack-index, or a chain
// of them in 'multi-pack-index.d', with their bitmaps. Functions without state;
// any thread.

#pragma once

#include <set>
#include <string>

#include "git/lock_file.h"
#include "zpack/result.h"

namespace zpack {

// Keeps others from writing a multi-pack-index into the pack directory
// `directory`. Errors as LockFile::Take.
Result<LockFile> LockMultiPackIndex(FileSystem& file_system,
                                    const std::string& directory);

// Removes the multi-pack-index and the chain of `directory` if they list one of
// `packs`, names without extension, or cannot be read. REQUIRES: it is locked.
Status RemoveMultiPackIndexes(FileSystem& file_system,
                              const std::string& directory,
                              const std::set<std::string>& packs);

}  // namespace zpack
