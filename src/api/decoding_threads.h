// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How many threads may decode blocks at the same time.

#pragma once

#include <algorithm>

#include "base/memory.h"
#include "reader/decoders.h"
#include "zpack/options.h"

namespace zpack {

// As many as RunOptions::memory has room for: a decoded block with its objects
// takes some 20 MiB, and seldom more than 64. No more than a file of
// `file_size` bytes may have decoded.
inline unsigned DecodingThreads(const RunOptions& run, uint64_t file_size) {
  constexpr uint64_t kShared = uint64_t{32} << 20;
  constexpr uint64_t kPerThread = uint64_t{64} << 20;
  return std::min(FittingThreads(run, kShared, kPerThread),
                  MaxDecoders(file_size));
}

// `options` with limits that a reader keeps within RunOptions::memory if that
// is set; but blocks of this library's own writer can always be read.
inline ReadOptions BoundedReads(ReadOptions options, const RunOptions& run) {
  constexpr uint64_t kLeast = uint64_t{128} << 20;
  if (run.memory) {
    options.max_block_size =
        std::min(options.max_block_size, std::max(kLeast, *run.memory / 2));
  }
  return options;
}

}  // namespace zpack
