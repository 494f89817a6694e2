// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The unit in which whole files are read: a block of objects, or all segments
// of one large object.

#pragma once

#include <cstddef>
#include <functional>

#include "base/bytes.h"
#include "reader/block_decoder.h"
#include "reader/file_blocks.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// Blocks [first, last) of a file that belong together.
struct BlockRun {
  size_t first = 0;
  size_t last = 0;

  size_t size() const { return last - first; }
};

// The run that starts at `first`. REQUIRES: `first` is a block and does not
// continue the one before it.
BlockRun RunAt(const FileBlocks& file, size_t first);

// True when the run is one object in segments.
bool IsSegmented(const BlockRun& run, const DecodedBlock& first_block);

// kCorrupt: object `expected`, stored in `run`, hashes to `actual`.
Error HashMismatch(const FileBlocks& file, const BlockRun& run,
                   const ObjectId& expected, const ObjectId& actual);

// Decodes the segments of `run` in order and hands each piece to `sink`, at
// most one block in memory at a time. `first_block` is the first of them,
// already decoded. kCorrupt unless they make up exactly one object.
Status StreamSegments(const FileBlocks& file, const BlockRun& run,
                      const DecodedBlock& first_block, BlockDecoder& decoder,
                      const std::function<Status(ByteView)>& sink);

// The whole object, for someone who parses it. kLimitExceeded when it is larger
// than ReadOptions::max_object_size, or than max_block_size; errors as above.
Result<Bytes> ReadSegments(const FileBlocks& file, const BlockRun& run,
                           const DecodedBlock& first_block,
                           BlockDecoder& decoder);

}  // namespace zpack
