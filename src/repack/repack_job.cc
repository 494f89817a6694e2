// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/repack_job.h"

#include <algorithm>

#include "base/memory.h"

namespace zpack {
namespace {

// Bytes of memory that all threads share, and that each thread needs in
// addition to its window.
constexpr uint64_t kRepackMemory = uint64_t{64} << 20;
constexpr uint64_t kThreadMemory = uint64_t{64} << 20;

// The share of the memory that is the window of a thread, at most.
constexpr uint64_t kWindowShare = 16;

// Bytes of candidates that a thread keeps. Only RunOptions::memory counts, not
// the memory of the machine, so that the packs are the same on every machine.
uint64_t WindowMemory(const RunOptions& run) {
  constexpr uint64_t kMost = uint64_t{64} << 20;
  return run.memory ? std::min(kMost, *run.memory / kWindowShare) : kMost;
}

}  // namespace

DeltaSearchOptions RepackJob::search() const {
  DeltaSearchOptions search;
  search.window = options.window.value_or(settings.window);
  search.depth = options.depth.value_or(settings.depth);
  search.level = options.level;
  search.window_memory = WindowMemory(options.run);
  search.large_memory = ResolveMemory(options.run);
  search.big_file_threshold = settings.big_file_threshold;
  search.reuse = options.reuse;
  return search;
}

DeltaSearchOptions RepackJob::cruft_search() const {
  DeltaSearchOptions cruft = search();
  if (!options.window && settings.cruft_window) {
    cruft.window = *settings.cruft_window;
  }
  if (!options.depth && settings.cruft_depth) {
    cruft.depth = *settings.cruft_depth;
  }
  return cruft;
}

unsigned RepackThreads(const RunOptions& run) {
  return FittingThreads(run, kRepackMemory, kThreadMemory + WindowMemory(run));
}

uint64_t LeastMemoryToRepack() {
  return (kRepackMemory + kThreadMemory) * kWindowShare / (kWindowShare - 1) +
         1;
}

}  // namespace zpack
