// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The unit of reading whole files: a block of objects, or all segments of one
// large object.

#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "base/visitor.h"
#include "reader/block_decoder.h"
#include "reader/file_blocks.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// The blocks [first, last) of a file.
struct BlockRun {
  size_t first = 0;
  size_t last = 0;

  size_t size() const { return last - first; }
};

// Returns the run that starts at `first`. REQUIRES: `first` is a block that
// does not continue the previous block.
BlockRun RunAt(const FileBlocks& file, size_t first);

// True if the run holds one object in segments.
bool IsSegmented(const BlockRun& run, const DecodedBlock& first_block);

// Returns the error kCorrupt: object `expected`, stored in `run`, hashes to
// `actual`.
Error HashMismatch(const FileBlocks& file, const BlockRun& run,
                   const ObjectId& expected, const ObjectId& actual);

// Decodes the segments of `run` in order and passes each to `sink`. Keeps at
// most one decoded block in memory, in addition to `first_block`, which is the
// first segment. Returns kCorrupt unless the segments form exactly one object.
// Returns Visit::kStop as soon as `sink` does.
Result<Visit> StreamSegments(const FileBlocks& file, const BlockRun& run,
                             const DecodedBlock& first_block,
                             BlockDecoder& decoder,
                             const Visitor<ByteView>& sink);

// Decodes the segment in `block`, which follows the first `position` bytes of
// an object. Returns kCorrupt unless it continues the object `info`.
Result<DecodedBlock> DecodeSegment(const FileBlocks& file, size_t block,
                                   const ObjectInfo& info, uint64_t position,
                                   BlockDecoder& decoder);

// Returns the whole object in segments. Returns kLimitExceeded if the object
// exceeds ReadOptions::max_object_size or max_block_size; other errors are
// those of StreamSegments.
Result<Bytes> ReadSegments(const FileBlocks& file, const BlockRun& run,
                           const DecodedBlock& first_block,
                           BlockDecoder& decoder);

}  // namespace zpack
