// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files and directories that may be missing, but must not be overlooked: one
// that cannot be read is an error, one that is not there is empty. Functions
// without state; any thread.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

// The names in the directory `path`, sorted; none when nothing has that name.
// kIo when the directory cannot be read to its end, and for a symbolic link
// that leads nowhere.
Result<std::vector<std::string>> ListNames(const std::string& path);

// The content of the file `path`; nothing when nothing has that name. Errors
// are those of ReadWholeFile, and kIo for a symbolic link that leads nowhere.
Result<std::optional<Bytes>> ReadIfThere(const std::string& path,
                                         uint64_t limit);

// Removes the file `path`, unless nothing has that name; someone else may be
// faster.
Status RemoveIfThere(FileSystem& file_system, const std::string& path);

}  // namespace zpack
