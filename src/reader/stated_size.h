// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that were cut, or that something was appended to, or inserted into.
// Functions without state; any thread.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/file.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// What a file that is damaged is read as. Errors: kIo.
using FileMender = std::function<Result<std::unique_ptr<RandomAccessFile>>(
    std::unique_ptr<RandomAccessFile>)>;

// The bytes from `begin` on are those from `source` on in another file.
struct FilePiece {
  uint64_t begin = 0;
  uint64_t source = 0;
};

// A file of `size` bytes: the pieces of `file`, each up to the next one. What
// is not in `file` reads as zeros. REQUIRES: the first piece begins at 0, and
// the others do in ascending order.
std::unique_ptr<RandomAccessFile> FromPieces(
    std::unique_ptr<RandomAccessFile> file, uint64_t size,
    std::vector<FilePiece> pieces);

// Whether at most an eighth of a file of `stated` bytes is missing.
bool IsMostlyThere(const RandomAccessFile& file, uint64_t stated);

// `file`, with the size that its header states: without what follows, or with
// zeros for what is missing, if that is at most an eighth of it. As it is if
// nothing states a size, or if `options` do not ask for it
// (ReadOptions::size). kIo.
Result<std::unique_ptr<RandomAccessFile>> WithStatedSize(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options);

}  // namespace zpack
