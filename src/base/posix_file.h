// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Wraps open file descriptors as RandomAccessFile and WritableFile. Functions
// without state; any thread.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/file.h"

namespace zpack {

// REQUIRES: `fd` is open for reading, and `size` is the size of its file.
std::unique_ptr<RandomAccessFile> MakeRandomAccessFile(Descriptor fd,
                                                       std::string path,
                                                       uint64_t size);

// The first Append writes at the offset `size`. REQUIRES: `fd` is open for
// writing.
std::unique_ptr<WritableFile> MakeWritableFile(Descriptor fd, std::string path,
                                               uint64_t size);

}  // namespace zpack
