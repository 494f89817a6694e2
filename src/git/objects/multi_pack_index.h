// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Indexes of several packs (gitformat-pack(5)): a multi-pack-index, or a chain
// of them in 'multi-pack-index.d', with their bitmaps. Functions without state;
// any thread.

#pragma once

#include <set>
#include <string>

#include "git/files/lock_file.h"
#include "zpack/result.h"

namespace zpack {

// Locks the multi-pack-index in the pack directory `directory`, so that no
// other process writes it. Errors as LockFile::Take.
Result<LockFile> LockMultiPackIndex(FileSystem& file_system,
                                    const std::string& directory);

// Removes the multi-pack-index or the chain of `directory` if it lists one of
// `packs` (names without extension) or cannot be read. REQUIRES:
// LockMultiPackIndex has succeeded. Errors: kIo.
Status RemoveMultiPackIndexes(FileSystem& file_system,
                              const std::string& directory,
                              const std::set<std::string>& packs);

}  // namespace zpack
