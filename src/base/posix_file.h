// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Open files of the operating system, as the rest of the library sees them.
// Functions without state; any thread.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/file.h"

namespace zpack {

// `fd` is open for reading; `size` is the size of its file.
std::unique_ptr<RandomAccessFile> MakeRandomAccessFile(Descriptor fd,
                                                       std::string path,
                                                       uint64_t size);

// `fd` is open for writing; the next Append goes to the offset `size`.
std::unique_ptr<WritableFile> MakeWritableFile(Descriptor fd, std::string path,
                                               uint64_t size);

}  // namespace zpack
