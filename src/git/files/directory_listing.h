// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files and directories that may be missing. If one does not exist, the result
// is empty; if one cannot be read, the result is an error. Functions without
// state; any thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

// The names in the directory `path`, sorted. Empty if nothing has that name.
// kIo if the directory cannot be read completely, or if `path` is a dangling
// symbolic link.
Result<std::vector<std::string>> ListNames(const std::string& path);

// The content of the file `path`. Nothing if nothing has that name. Errors as
// ReadWholeFile; also kNotFound if `path` is a dangling symbolic link.
Result<std::optional<Bytes>> ReadIfThere(const std::string& path,
                                         uint64_t limit);

// Whether `path` is a symbolic link to nothing, or to itself.
bool LeadsNowhere(const std::string& path);

// Why Git passes over something that has the name `path` of a file: a phrase
// such as "is not a regular file". Empty for a regular file, if nothing has
// that name, and if it cannot be examined.
std::string_view WhyNoFile(const std::string& path);

// As WhyNoFile, and also if the file may not be read.
std::string_view WhyUnreadable(const std::string& path);

// What becomes of a loose object, ref or reflog that is no file, of a loose
// object or reflog that may not be read, and of refs of a worktree, such as its
// HEAD, that are none. Git passes over them, and so does what changes nothing.
// `repack` does not: they may keep objects alive, for example those on a disk
// that is away.
enum class UnreadableFiles : uint8_t { kFail, kPassOver };

// Checks that `path` is a regular file or does not exist, before libgit2 or Git
// opens it: either would wait for a pipe. kInvalidArgument.
Status CheckRegular(const std::string& path);

// Removes the file `path`. If nothing has that name, or another process removes
// the file first, the call succeeds.
Status RemoveIfThere(FileSystem& file_system, const std::string& path);

}  // namespace zpack
