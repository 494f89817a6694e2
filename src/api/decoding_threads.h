// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How many threads may decode blocks at the same time.

#pragma once

#include "base/memory.h"

namespace zpack {

// As many as RunOptions::memory has room for: a decoded block with its objects
// takes some 20 MiB, and seldom more than 64.
inline unsigned DecodingThreads(const RunOptions& run) {
  constexpr uint64_t kShared = uint64_t{32} << 20;
  constexpr uint64_t kPerThread = uint64_t{64} << 20;
  return FittingThreads(run, kShared, kPerThread);
}

}  // namespace zpack
