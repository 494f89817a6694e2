// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes that a parity set covers, in a file that may be damaged. May be
// used from several threads.

#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/file.h"
#include "parity/parity_shape.h"
#include "zpack/result.h"

namespace zpack {

// Bytes of a file with an embedded set that the set does not cover: the
// checksum after the set, and the hash at the end of the file.
inline constexpr uint64_t kAfterSet = 8;
inline constexpr uint64_t kUncoveredEnd = 32;

// The size of the file that has `shape`.
uint64_t CoveredFileSize(const ParityShape& shape);

// Calls `visit(data_begin, file_offset, size)` for the one or two pieces of
// the file that hold [offset, offset + size) of the data.
void ForEachPiece(
    const ParityShape& shape, uint64_t offset, uint64_t size,
    const std::function<void(uint64_t, uint64_t, uint64_t)>& visit);

// Fills `out` with the bytes at `offset` of `file`. Bytes after the end of
// the file are zeros. kIo.
Status ReadOrZeros(const RandomAccessFile& file, uint64_t offset,
                   std::span<uint8_t> out);

// Fills `out` with bytes at `offset` of the data, each at its place in
// `file`. Bytes after the end of the file or of the data are zeros. kIo.
Status ReadCovered(const RandomAccessFile& file, const ParityShape& shape,
                   uint64_t offset, std::span<uint8_t> out);

}  // namespace zpack
