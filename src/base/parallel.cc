// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "zpack/options.h"

namespace zpack {
namespace {

// False if the system provides no more threads, because of RLIMIT_NPROC, the
// limit of a control group or lack of memory.
bool Start(const std::function<void()>& work,
           std::vector<std::jthread>& workers) {
  try {
    workers.emplace_back(work);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

unsigned ResolveThreads(unsigned requested) {
  if (requested != 0) return std::min(requested, RunOptions::kMaxThreads);
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

void RunOnThreads(unsigned threads, const std::function<void()>& work) {
  if (threads <= 1 || !RunBeside(threads, work, [] {})) work();
}

bool RunBeside(unsigned threads, const std::function<void()>& work,
               const std::function<void()>& beside) {
  std::vector<std::jthread> workers;
  workers.reserve(threads);
  while (workers.size() < threads && Start(work, workers)) {
  }
  if (workers.empty()) return false;
  beside();
  return true;
}

Status ParallelFor(unsigned threads, const std::stop_token& stop,
                   uint64_t count, uint64_t grain,
                   const std::function<Status(uint64_t, uint64_t)>& body) {
  const TraceRun run("parallel for", threads, 0);
  std::mutex mutex;  // guards the variables below
  uint64_t next = 0;
  uint64_t failed = count;  // `begin` of the first failed range
  Status outcome;

  const auto work = [&] {
    std::unique_lock<std::mutex> lock(mutex);
    while (outcome && next < count) {
      const uint64_t begin = next;
      const uint64_t end = std::min(count, begin + grain);
      next = end;
      lock.unlock();
      Status status = CheckStop(stop);
      if (status) {
        const TraceSpan span("transform", run, begin);
        status = Guarded([&] { return body(begin, end); });
      }
      lock.lock();
      if (!status && begin < failed) {
        failed = begin;
        outcome = std::move(status);
      }
    }
  };

  const uint64_t ranges = count / grain + (count % grain == 0 ? 0 : 1);
  RunOnThreads(static_cast<unsigned>(std::min<uint64_t>(threads, ranges)),
               work);
  return outcome;
}

}  // namespace zpack
