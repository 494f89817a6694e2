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

// Returns `options` for an operation that runs as `run`, with a block limit
// that keeps a reader within RunOptions::memory, if that is set. The limit
// never excludes blocks that this library's writer produces.
inline ReadOptions BoundedReads(ReadOptions options, const RunOptions& run) {
  constexpr uint64_t kLeast = uint64_t{128} << 20;
  options.derivation = run;
  if (run.memory) {
    options.max_block_size =
        std::min(options.max_block_size, std::max(kLeast, *run.memory / 2));
  }
  return options;
}

}  // namespace zpack
