// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files whose neighbours are opened in another way than by the system. A
// function without state; any thread.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

// Opens the file `name` as RandomAccessFile::OpenBeside does. May be called
// from several threads.
using NeighbourOpener = std::function<Result<std::unique_ptr<RandomAccessFile>>(
    const std::string& name)>;

// `file`, which opens the files beside it with `open`. It is near.
std::unique_ptr<RandomAccessFile> WithNeighbours(
    std::unique_ptr<RandomAccessFile> file, NeighbourOpener open);

}  // namespace zpack
