// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens temporary files with predictable names in directories where other users
// may write. A function without state; any thread.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "base/posix_calls.h"
#include "base/posix_file.h"
#include "zpack/result.h"

namespace zpack {

// What to do with the content of a file that a killed process left.
enum class LeftoverContent : uint8_t { kKeep, kDrop };

// Creates the file `path` with `mode` and locks it until it is closed. An
// existing regular file that no process has locked is removed first. With
// kKeep, an existing file is opened instead and gets `mode`, if it belongs to
// this user, has one name, and no other user may write it.
//
// Errors: kExists if another process has locked the file, or if that cannot be
// determined; kInvalidArgument if `path` is not a regular file; kIo.
Result<OpenedFile> OpenTemporaryFile(const PosixCalls& calls,
                                     const std::string& path, mode_t mode,
                                     LeftoverContent leftover);

}  // namespace zpack
