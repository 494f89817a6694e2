// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that were cut, or that something was appended to. Functions without
// state; any thread.

#pragma once

#include <memory>

#include "base/file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// `file`, with the size that its header states: without what follows, or with
// zeros for what is missing, if that is at most an eighth of it. As it is if
// nothing states a size, or if `options` do not ask for it
// (ReadOptions::size). kIo.
Result<std::unique_ptr<RandomAccessFile>> WithStatedSize(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options);

}  // namespace zpack
