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

// How many threads a pipeline has, when it ends early, and how many items exist
// at once, at most `threads * items_per_thread`. That bounds memory; with few,
// workers wait for one item that takes long.
struct PipelineThreads {
  unsigned threads = 1;
  std::stop_token stop;
  size_t items_per_thread = 2;
};

// What RunOrderedPipeline, below, does with its steps.
template <typename Item, typename MakeWorker, typename Produce,
          typename Transform, typename Consume>
class OrderedPipeline {
 public:
  OrderedPipeline(const PipelineThreads& threads, MakeWorker& make_worker,
                  Produce& produce, Transform& transform, Consume& consume)
      : threads_(threads),
        make_worker_(make_worker),
        produce_(produce),
        transform_(transform),
        consume_(consume) {}

  Status Run() {
    RunOnThreads(threads_.threads, [&] {
      // Of a worker that could not be made, or ran out of memory between steps.
      Status status = Guarded([&] { return Work(); });
      if (status) return;
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!failed_) Fail(std::move(status));
    });
    return std::move(outcome_);
  }

 private:
  struct Slot {
    Item item;
    Status status;
    bool done = false;
  };
  using Lock = std::unique_lock<std::mutex>;

  // One worker, until there is nothing more to do.
  Status Work() {
    auto worker = make_worker_();
    Lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return ended() || MayProduce(); });
      if (ended()) return {};
      Slot* const slot = ProduceNext(lock);
      if (slot == nullptr) return {};
      if (slot->status) {
        lock.unlock();
        Status status = Guarded([&] { return transform_(slot->item, worker); });
        lock.lock();
        slot->status = std::move(status);
      }
      slot->done = true;
      Drain(lock);
    }
  }

  // Puts the next item into the sequence; null when there is none. A failure
  // takes its place in the sequence like any item, so that an earlier one is
  // still reported first.
  Slot* ProduceNext(Lock& lock) {
    producing_ = true;
    auto owned = std::make_unique<Slot>();
    lock.unlock();
    Result<bool> more = false;
    if (Status go_on = CheckStop(threads_.stop); go_on) {
      more = Guarded([&] { return produce_(owned->item); });
    } else {
      more = std::unexpected(std::move(go_on).error());
    }
    lock.lock();
    producing_ = false;
    Slot* slot = nullptr;
    if (!more || *more) {
      slot = owned.get();
      in_flight_.push_back(std::move(owned));
    }
    exhausted_ = !more || !*more;
    if (!more) slot->status = std::unexpected(std::move(more).error());
    wake_.notify_all();
    return slot;
  }

  // Consumes finished items from the front, as long as nobody else does. The
  // lock is released around consume().
  void Drain(Lock& lock) {
    if (consuming_) return;
    consuming_ = true;
    while (!failed_ && !in_flight_.empty() && in_flight_.front()->done) {
      std::unique_ptr<Slot> slot = std::move(in_flight_.front());
      in_flight_.pop_front();
      lock.unlock();
      Status status = std::move(slot->status);
      if (status) status = Guarded([&] { return consume_(slot->item); });
      slot.reset();
      lock.lock();
      if (!status) Fail(std::move(status));
      wake_.notify_all();
    }
    consuming_ = false;
  }

  void Fail(Status status) {
    outcome_ = std::move(status);
    failed_ = true;
    wake_.notify_all();
  }

  bool ended() const { return failed_ || exhausted_; }
  bool MayProduce() const {
    return !producing_ &&
           in_flight_.size() < threads_.threads * threads_.items_per_thread;
  }

  const PipelineThreads& threads_;
  MakeWorker& make_worker_;
  Produce& produce_;
  Transform& transform_;
  Consume& consume_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable wake_;
  std::deque<std::unique_ptr<Slot>> in_flight_;  // in order of production
  bool producing_ = false;
  bool exhausted_ = false;
  bool consuming_ = false;
  Status outcome_;
  bool failed_ = false;
};

// Runs produce -> transform -> consume over a sequence of items:
//   Result<bool> produce(Item&)       serial; false ends the sequence
//   Status       transform(Item&, W&) parallel, with one W per worker
//   Status       consume(Item&)       serial, in the order of production
// `make_worker()` makes one W for each of the threads. Produce and consume run
// on the calling thread and on workers, but each one call at a time.
//
// Returns the error of the earliest item that failed, so that the outcome does
// not depend on timing; kInterrupted when a stop was requested first.
template <typename Item, typename MakeWorker, typename Produce,
          typename Transform, typename Consume>
Status RunOrderedPipeline(const PipelineThreads& threads,
                          MakeWorker make_worker, Produce produce,
                          Transform transform, Consume consume) {
  return OrderedPipeline<Item, MakeWorker, Produce, Transform, Consume>(
             threads, make_worker, produce, transform, consume)
      .Run();
}

// Calls `body(begin, end)` for ranges that cover [0, count), `grain` at a
// time, from `threads` threads. Returns the first error in order of ranges.
Status ParallelFor(unsigned threads, const std::stop_token& stop,
                   uint64_t count, uint64_t grain,
                   const std::function<Status(uint64_t, uint64_t)>& body);

}  // namespace zpack
