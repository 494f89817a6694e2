// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a repository in the cache is still what this program made: other
// users may have planted one, another one may have taken its name, and a power
// cut may have emptied its files. Any thread.

#pragma once

#include <filesystem>
#include <string>

#include "zpack/result.h"

namespace zpack::cli {

// Makes a directory of the cache, in which only this user may write. kIo if it
// belongs to another user or cannot be made.
Status MakeCacheDirectory(const std::filesystem::path& path);

// Notes in a complete repository which one it is, and the sizes of its packs.
Status SealRepository(const std::filesystem::path& repository,
                      const std::string& name);

// Whether a directory of this user holds the repository that was sealed with
// this name, and no file of it that Git needs was cut off.
bool IsSealed(const std::filesystem::path& repository, const std::string& name);

}  // namespace zpack::cli
