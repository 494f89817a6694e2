// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A pool of zstd contexts by level, as btrfs has for its levels: a job takes a
// free context of its level or of the next higher level that has a free one.
// Contexts that nobody used for some time are freed, the least recently used
// first. May be used from several threads.

#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <mutex>

#include "bench/codecs/zstd_memory.h"

namespace zpack::bench {

class ContextPool {
 public:
  using Clock = std::chrono::steady_clock;

  // Frees contexts that were not used for `idle`, whenever one is returned.
  ContextPool(ZstdMemory& memory, Clock::duration idle)
      : memory_(memory), idle_(idle) {}
  ~ContextPool();
  ContextPool(const ContextPool&) = delete;
  ContextPool& operator=(const ContextPool&) = delete;

  // A context, and the level whose list it belongs to.
  struct Lease {
    ZSTD_CCtx* context = nullptr;
    int level = 0;
  };
  Lease Take(int level);
  // `level` is that of the job. A context that served a lower level than its
  // own does not count as used, so that the pool does not keep it.
  void Return(const Lease& lease, int level);

  uint64_t made() const { return made_; }

 private:
  struct Idle {
    Lease lease;
    Clock::time_point used;
  };

  ZstdMemory& memory_;
  Clock::duration idle_;
  std::mutex mutex_;
  std::list<Idle> free_;  // most recently used first
  // When contexts were last used for their own level, while they are leased.
  std::list<Idle> leased_;
  uint64_t made_ = 0;
};

}  // namespace zpack::bench
