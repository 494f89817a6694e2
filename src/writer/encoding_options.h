// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The encoder's parameters, resolved from a profile and the options that
// override it.

#pragma once

#include <cstdint>

#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

struct EncodingOptions {
  int level = 0;            // zstd level
  uint64_t block_size = 0;  // bytes of data in a block of deltas
  // Maximum number of blobs that a blob is compared with: the last blobs of its
  // path, and blobs similar to it.
  unsigned same_path_candidates = 0;
  unsigned similar_candidates = 0;
  // As in DeltaPlannerOptions.
  unsigned good_for_path = 0;
  unsigned good_for_all = 0;
  // The blocks of a stretch are groups: their literals or messages continue
  // those of the blocks before.
  bool groups = false;
  // The file has no ids (FORMAT.md, "Derived ids").
  bool derived_ids = false;
  // How often working sets are halved to save memory.
  unsigned halvings = 0;
};

// Bytes of the streams that wait to be compressed for the groups of a stretch.
uint64_t MostWaiting(const EncodingOptions& options);
// Bytes of those that wait for another section, with so many threads.
uint64_t MostUnplaced(const EncodingOptions& options, unsigned threads);

// Bytes of memory that one thread needs for encoding objects of up to
// BlockSizes::max_object bytes.
uint64_t EncodingMemory(const EncodingOptions& options);
// The same, if the largest object that is not divided has `largest` bytes.
uint64_t EncodingMemory(const EncodingOptions& options, uint64_t largest);

// Number of threads that encode, as FittingThreads, if each takes `memory`
// bytes. Where there are several, some compute deltas for others (LookAhead).
unsigned EncodingThreads(const RunOptions& run, uint64_t shared,
                         uint64_t memory);

// Returns kInvalidArgument if the level or the block size is out of range.
Result<EncodingOptions> ResolveEncoding(const ConvertOptions& options);

}  // namespace zpack
