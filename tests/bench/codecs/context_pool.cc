// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/codecs/context_pool.h"

#include <algorithm>

namespace zpack::bench {

ContextPool::~ContextPool() {
  for (const Idle& idle : free_) ZSTD_freeCCtx(idle.lease.context);
}

ContextPool::Lease ContextPool::Take(int level) {
  const std::lock_guard lock(mutex_);
  auto best = free_.end();
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    if (at->lease.level < level) continue;
    if (best == free_.end() || at->lease.level < best->lease.level) best = at;
  }
  if (best != free_.end()) {
    leased_.splice(leased_.begin(), free_, best);
  } else {
    ++made_;
    leased_.push_front(
        {{ZSTD_createCCtx_advanced(memory_.Functions()), level}, Clock::now()});
  }
  return leased_.front().lease;
}

void ContextPool::Return(const Lease& lease, int level) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const auto at = std::ranges::find_if(leased_, [&](const Idle& idle) {
    return idle.lease.context == lease.context;
  });
  if (level == lease.level) at->used = now;
  const auto place = std::ranges::find_if(
      free_, [&](const Idle& idle) { return idle.used <= at->used; });
  free_.splice(place, leased_, at);
  while (!free_.empty() && now - free_.back().used > idle_) {
    ZSTD_freeCCtx(free_.back().lease.context);
    free_.pop_back();
  }
}

}  // namespace zpack::bench
