// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Limits the number of threads that decode blocks at the same time.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/memory.h"
#include "format/file_header.h"
#include "format/limits.h"
#include "reader/decoders.h"
#include "zpack/options.h"

namespace zpack {

// Returns the number of threads for which RunOptions::memory is sufficient, at
// most MaxDecoders(file_size). A decoded block with its objects takes about 20
// MiB, rarely more than 64 MiB; `features`, those of the file, say whether a
// thread also keeps the text of a group.
inline unsigned DecodingThreads(const RunOptions& run, uint64_t file_size,
                                const std::vector<std::string>& features) {
  constexpr uint64_t kShared = uint64_t{32} << 20;
  constexpr uint64_t kPerThread = uint64_t{64} << 20;
  const bool groups =
      std::ranges::find(features, format::kGroupsFeature) != features.end();
  return std::min(
      FittingThreads(run, kShared,
                     kPerThread + (groups ? format::kMaxGroupSize : 0)),
      MaxDecoders(file_size));
}

// Returns `options` with a block limit that keeps a reader within
// RunOptions::memory, if that is set. The limit never excludes blocks that this
// library's writer produces.
inline ReadOptions BoundedReads(ReadOptions options, const RunOptions& run) {
  constexpr uint64_t kLeast = uint64_t{128} << 20;
  if (run.memory) {
    options.max_block_size =
        std::min(options.max_block_size, std::max(kLeast, *run.memory / 2));
  }
  return options;
}

}  // namespace zpack
