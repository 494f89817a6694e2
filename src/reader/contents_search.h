// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the table of contents of a file whose header is damaged, and so cannot
// say where the table is (FORMAT.md, "Copies"). A function without state; any
// thread.

#pragma once

#include <cstdint>
#include <optional>

#include "base/file.h"
#include "reader/chunk_reader.h"
#include "zpack/result.h"

namespace zpack {

// The undamaged table of contents that ends at `end`, where the trailer begins,
// or nothing. Looks backwards through `most` bytes at most, however large the
// table can be, in windows of constant size. Errors: kIo; kLimitExceeded if the
// table takes more than `max_chunk_size` bytes.
Result<std::optional<LoadedChunk>> SearchContents(const RandomAccessFile& file,
                                                  uint64_t end, uint64_t most,
                                                  uint64_t max_chunk_size);

}  // namespace zpack
