// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files in which bytes were inserted, or from which bytes were removed. A
// function without state; any thread.

#pragma once

#include <memory>

#include "base/file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// `file`, with each undamaged part at the offset that the file states for it.
// Damaged bytes follow the part before them. As it is if it has the size that
// its header states; as WithStatedSize returns it if too little is left to tell
// the offsets: no header, no table of contents, or less than seven eighths.
// Errors: kIo, kInterrupted.
Result<std::unique_ptr<RandomAccessFile>> WithPartsInPlace(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options,
    const RunOptions& run);

}  // namespace zpack
