// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include <sched.h>

#include <algorithm>

namespace zpack {

unsigned ResolveThreads(unsigned requested) {
  if (requested != 0) return requested;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

Status ParallelFor(unsigned threads, const std::stop_token& stop,
                   uint64_t count, uint64_t grain,
                   const std::function<Status(uint64_t, uint64_t)>& body) {
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
  };
  struct NoState {};
  uint64_t next = 0;
  return RunOrderedPipeline<Range>(
      threads, stop, [] { return NoState{}; },
      [&](Range& range) -> Result<bool> {
        if (next >= count) return false;
        range = {next, std::min(count, next + grain)};
        next = range.end;
        return true;
      },
      [&](Range& range, NoState&) { return body(range.begin, range.end); },
      [](Range&) { return Status{}; });
}

}  // namespace zpack
