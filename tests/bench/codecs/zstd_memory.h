// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts the memory that zstd contexts allocate. Any number of threads.

#pragma once

// For memory that is counted, and for estimates of memory.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace zpack::bench {

// What the contexts made with Functions() have allocated.
class ZstdMemory {
 public:
  // For ZSTD_createCCtx_advanced and ZSTD_createDCtx_advanced. The contexts
  // must be freed before the counter ends.
  ZSTD_customMem Functions() { return {&Allocate, &Free, this}; }

  uint64_t Now() const;
  uint64_t Peak() const;
  // Average over the time since the counter was made.
  double Mean() const;

 private:
  using Clock = std::chrono::steady_clock;

  static void* Allocate(void* self, size_t size);
  static void Free(void* self, void* address);
  void Change(int64_t bytes);

  mutable std::mutex mutex_;
  std::unordered_map<void*, size_t> sizes_;
  uint64_t now_ = 0;
  uint64_t peak_ = 0;
  double byte_seconds_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point changed_ = start_;
};

}  // namespace zpack::bench
