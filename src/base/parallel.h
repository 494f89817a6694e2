// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The two shapes of parallel work in this project. Built on std::jthread and
// not on oneTBB: ThreadSanitizer cannot see the synchronisation inside the
// distribution's libtbb and reports every hand-over of an item as a race.

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "zpack/result.h"

namespace zpack {

// `requested`, or the number of processors this process may run on when that
// is 0; at least 1.
unsigned ResolveThreads(unsigned requested);

// Calls `work` once on each of `threads` threads and waits for all. Where the
// system gives fewer threads, fewer do the work; where it gives none, or one is
// enough, the calling thread does. REQUIRES: `work` throws nothing.
void RunOnThreads(unsigned threads, const std::function<void()>& work);

// Runs produce -> transform -> consume over a sequence of items:
//   Result<bool> produce(Item&)       serial; false ends the sequence
//   Status       transform(Item&, W&) parallel, with one W per worker
//   Status       consume(Item&)       serial, in the order of production
// `make_worker()` makes one W for each of `threads` workers. Produce and
// consume run on the calling thread and on workers, but each one call at a
// time. At most `threads * items_per_thread` items exist at once, which bounds
// memory; with few, workers wait for one item that takes long.
//
// Returns the error of the earliest item that failed, so that the outcome does
// not depend on timing; kInterrupted when `stop` was requested first.
template <typename Item, typename MakeWorker, typename Produce,
          typename Transform, typename Consume>
Status RunOrderedPipeline(unsigned threads, const std::stop_token& stop,
                          MakeWorker make_worker, Produce produce,
                          Transform transform, Consume consume,
                          size_t items_per_thread = 2) {
  struct Slot {
    Item item;
    Status status;
    bool done = false;
  };
  std::mutex mutex;  // guards everything down to `failed`
  std::condition_variable wake;
  std::deque<std::unique_ptr<Slot>> in_flight;  // in order of production
  bool producing = false;
  bool exhausted = false;
  bool consuming = false;
  Status outcome;
  bool failed = false;

  // Consumes finished items from the front, as long as nobody else does.
  // REQUIRES: `lock` is held; it is released around consume().
  const auto drain = [&](std::unique_lock<std::mutex>& lock) {
    if (consuming) return;
    consuming = true;
    while (!failed && !in_flight.empty() && in_flight.front()->done) {
      std::unique_ptr<Slot> slot = std::move(in_flight.front());
      in_flight.pop_front();
      lock.unlock();
      Status status = std::move(slot->status);
      if (status) status = Guarded([&] { return consume(slot->item); });
      slot.reset();
      lock.lock();
      if (!status) {
        outcome = std::move(status);
        failed = true;
      }
      wake.notify_all();
    }
    consuming = false;
  };

  const auto work = [&]() -> Status {
    auto worker = make_worker();
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      wake.wait(lock, [&] {
        return failed || exhausted ||
               (!producing && in_flight.size() < threads * items_per_thread);
      });
      if (failed || exhausted) return {};
      producing = true;
      auto owned = std::make_unique<Slot>();
      lock.unlock();
      Result<bool> more = false;
      if (Status go_on = CheckStop(stop); go_on) {
        more = Guarded([&] { return produce(owned->item); });
      } else {
        more = std::unexpected(std::move(go_on).error());
      }
      lock.lock();
      producing = false;
      if (more && !*more) {
        exhausted = true;
        wake.notify_all();
        return {};
      }
      // A failure takes its place in the sequence like any item, so that an
      // earlier one is still reported first.
      Slot* const slot = owned.get();
      in_flight.push_back(std::move(owned));
      exhausted = !more;
      wake.notify_all();
      Status status;
      if (more) {
        lock.unlock();
        status = Guarded([&] { return transform(slot->item, worker); });
        lock.lock();
      } else {
        status = std::unexpected(std::move(more).error());
      }
      slot->status = std::move(status);
      slot->done = true;
      drain(lock);
    }
  };

  RunOnThreads(threads, [&] {
    // Of a worker that could not be made, or ran out of memory between steps.
    Status status = Guarded(work);
    if (status) return;
    const std::lock_guard<std::mutex> lock(mutex);
    if (!failed) outcome = std::move(status);
    failed = true;
    wake.notify_all();
  });
  return outcome;
}

// Calls `body(begin, end)` for ranges that cover [0, count), `grain` at a
// time, from `threads` threads. Returns the first error in order of ranges.
Status ParallelFor(unsigned threads, const std::stop_token& stop,
                   uint64_t count, uint64_t grain,
                   const std::function<Status(uint64_t, uint64_t)>& body);

}  // namespace zpack
