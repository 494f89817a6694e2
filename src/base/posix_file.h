// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Wraps open file descriptors as RandomAccessFile and WritableFile. Functions
// without state; any thread.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

// REQUIRES: `fd` is open for reading, and `size` is the size of its file.
std::unique_ptr<RandomAccessFile> MakeRandomAccessFile(Descriptor fd,
                                                       std::string path,
                                                       uint64_t size);

// A file that is open for writing. The first Append writes at the offset
// `size`.
struct OpenedFile {
  Descriptor fd;
  uint64_t size = 0;
};

// The file `path`, which `open` opens or creates. `open` is called after all
// memory is allocated, so that lack of memory does not leave an empty file
// behind. Errors are those of `open`.
Result<std::unique_ptr<WritableFile>> MakeWritableFile(
    const std::string& path, const std::function<Result<OpenedFile>()>& open);

}  // namespace zpack
