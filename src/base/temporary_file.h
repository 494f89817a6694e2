// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Opens temporary files whose names are known beforehand, in directories where
// others may write, too. A function without state; any thread.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "base/posix_calls.h"
#include "zpack/result.h"

namespace zpack {

// What to do with the content of a file that a killed process left.
enum class LeftoverContent : uint8_t { kKeep, kDrop };

struct LockedFile {
  Descriptor fd;
  uint64_t size = 0;
};

// Creates the file `path` with `mode` and locks it until it is closed. A
// regular file that is already there and that nobody holds is removed first;
// with kKeep it is opened instead, if it is this user's own, has one name and
// nobody else may write it, and gets `mode`.
//
// kExists while another process holds the file, or when that cannot be known;
// kInvalidArgument when it is not a regular file; kIo.
Result<LockedFile> OpenTemporaryFile(const PosixCalls& calls,
                                     const std::string& path, mode_t mode,
                                     LeftoverContent leftover);

}  // namespace zpack
