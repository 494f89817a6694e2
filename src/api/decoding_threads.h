// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory and the threads with which the operations read files.

#pragma once

#include <algorithm>
#include <cstdint>

#include "reader/decoders.h"
#include "zpack/options.h"

namespace zpack {

// Returns `options` for an operation that runs as `run`, with limits for blocks
// and caches that keep a reader within RunOptions::memory, if that is set. The
// limit for blocks never excludes those that this library's writer produces.
inline ReadOptions BoundedReads(ReadOptions options, const RunOptions& run) {
  constexpr uint64_t kLeast = uint64_t{128} << 20;
  options.derivation = run;
  if (run.memory) {
    options.cache_size = std::min(options.cache_size, *run.memory / 4);
    options.max_block_size =
        std::min(options.max_block_size, std::max(kLeast, *run.memory / 2));
  }
  return options;
}

}  // namespace zpack
