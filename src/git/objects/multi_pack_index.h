// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Indexes of several packs (gitformat-pack(5)): a multi-pack-index, or a chain
// of them in 'multi-pack-index.d', with their bitmaps. Functions without state;
// any thread.

#pragma once

#include <optional>
#include <set>
#include <string>

#include "git/files/lock_file.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// Locks the multi-pack-index in the pack directory `directory`, so that no
// other process writes it. Errors as LockFile::Take.
Result<LockFile> LockMultiPackIndex(FileSystem& file_system,
                                    const std::string& directory);

// The names, without extension, of the packs that the multi-pack-index of
// `directory` lists, or else its chain. Nothing if there is neither, or if it
// cannot be read.
std::optional<std::set<std::string>> ReadMultiPackIndex(
    FileSystem& file_system, const std::string& directory);

// What a multi-pack-index should be.
struct ExpectedMultiPackIndex {
  ObjectFormat format = ObjectFormat::kSha1;
  unsigned version = 1;
  std::set<std::string> packs;  // names without extension
};

// True if `directory` has a multi-pack-index, not a chain, that is undamaged
// and as expected.
bool IsMultiPackIndexOf(FileSystem& file_system, const std::string& directory,
                        const ExpectedMultiPackIndex& expected);

// The next functions require that LockMultiPackIndex has succeeded.

// Removes the bitmaps of the multi-pack-index. Errors: kIo.
Status RemoveMultiPackIndexBitmaps(FileSystem& file_system,
                                   const std::string& directory);

// Renames the file `path`, which is synced, to be the multi-pack-index of
// `directory`. Once that is on disk, removes the bitmaps and reverse indexes of
// an earlier one, and a chain, which Git no longer reads. Errors: kIo.
Status PlaceMultiPackIndex(FileSystem& file_system,
                           const std::string& directory,
                           const std::string& path);

// Removes the multi-pack-index or the chain of `directory` if it lists one of
// `packs` (names without extension) or cannot be read. Errors: kIo.
Status RemoveMultiPackIndexes(FileSystem& file_system,
                              const std::string& directory,
                              const std::set<std::string>& packs);

}  // namespace zpack
