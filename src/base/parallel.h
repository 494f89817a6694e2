// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Parallel work: over a sequence of items, in order (RunOrderedPipeline), over
// ranges of numbers (ParallelFor), and on plain threads (RunOnThreads,
// RunBeside). All use std::jthread instead of oneTBB: ThreadSanitizer cannot
// see the synchronisation inside the distribution's libtbb and reports every
// transfer of an item as a race.

#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "base/trace.h"
#include "zpack/result.h"

namespace zpack {

// Returns `requested`, at most RunOptions::kMaxThreads, or, if `requested` is
// 0, the number of processors that this process may run on. At least 1.
unsigned ResolveThreads(unsigned requested);

// Calls `work` once on each of `threads` new threads and waits for all of them.
// If the system provides fewer threads, `work` is called on those only. If
// `threads` is at most 1 or the system provides no thread, the calling thread
// calls `work`. REQUIRES: `work` does not throw.
void RunOnThreads(unsigned threads, const std::function<void()>& work);

// Calls `work` once on each of at most `threads` new threads, meanwhile calls
// `beside` on the calling thread, and waits for all of them. Returns false, and
// calls neither, if the system provides no thread. REQUIRES: neither throws.
bool RunBeside(unsigned threads, const std::function<void()>& work,
               const std::function<void()>& beside);

// Threads and limits of a pipeline. At most `threads * items_per_thread` items,
// plus the item that is being consumed, exist at once; this limits memory. With
// a low limit, workers often wait for a slow item. A stop request ends the
// pipeline early.
struct PipelineThreads {
  unsigned threads = 1;
  std::stop_token stop;
  size_t items_per_thread = 2;
};

// The other workers of a pipeline, which may wait for work, as the
// transformation of an item sees them.
class Helpers {
 public:
  // Owns or shares what it needs.
  using Loan = std::function<Status()>;

  virtual ~Helpers() = default;

  // Whether a worker waits for work now. If none does, the transformation is
  // better done at once.
  virtual bool IsWanted() = 0;
  // Lends work whose result the transformation needs later to any worker.
  // Returns the number of the loan. The item fails if the loan fails.
  // REQUIRES: `loan` is not empty.
  virtual uint64_t Lend(Loan loan) = 0;
  // Waits until a loan is done, if a worker has begun it. Otherwise takes it
  // back, so that it is never done, and returns false. REQUIRES: called at most
  // once for each loan, and in their order.
  virtual bool TakeBack(uint64_t loan) = 0;
};

// Parts of the transformation of an item that another worker may do. `Worker`
// is what the workers of the pipeline have.
template <typename Worker>
class Parts : public Helpers {
 public:
  // It may leave other parts of the same item.
  using Part = std::function<Status(Worker&, Parts&)>;

  // Leaves `part` to any worker, which may be this one, later. The item is
  // consumed only after all its parts are done, and fails if one fails; what
  // else is left of it may then not be done. Parts of an item are begun in the
  // order in which they were left. REQUIRES: `part` is not empty.
  virtual void Leave(Part part) = 0;
};

// The implementation of RunOrderedPipeline, below.
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
        consume_(consume),
        run_("pipeline", threads.threads,
             threads.threads * threads.items_per_thread) {}

  Status Run() {
    RunOnThreads(threads_.threads, [&] {
      // An error here means that memory ran out between two steps.
      Status status = Guarded([&] { return Work(); });
      if (status) return;
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!failed_) Fail(std::move(status));
    });
    return std::move(outcome_);
  }

 private:
  using Worker = std::invoke_result_t<MakeWorker&>;
  using Part = typename Parts<Worker>::Part;
  struct Slot {
    Item item;
    uint64_t number = 0;
    Status status;
    size_t undone = 1;  // the transformation itself, and parts of it

    bool done() const { return undone == 0; }
  };
  using Lock = std::unique_lock<std::mutex>;

  // What a transformation leaves of a slot.
  class SlotParts final : public Parts<Worker> {
   public:
    SlotParts(OrderedPipeline& pipeline, Slot& slot, Worker& worker)
        : pipeline_(pipeline), slot_(slot), worker_(worker) {}

    bool IsWanted() override {
      if (IsTraceOfOneThread()) return true;
      const std::lock_guard<std::mutex> lock(pipeline_.mutex_);
      return pipeline_.idle_ > pipeline_.parts_.size();
    }
    void Leave(Part part) override {
      if (IsTraceOfOneThread()) {
        DoAtOnce("part", part);
        return;
      }
      const std::lock_guard<std::mutex> lock(pipeline_.mutex_);
      pipeline_.Put(slot_, std::move(part), kNoLoan);
    }
    uint64_t Lend(Helpers::Loan loan) override {
      Part part = [loan = std::move(loan)](Worker&, Parts<Worker>&) {
        return loan();
      };
      if (IsTraceOfOneThread()) {
        DoAtOnce("loan", part);
        return kNoLoan;
      }
      const std::lock_guard<std::mutex> lock(pipeline_.mutex_);
      pipeline_.Put(slot_, std::move(part), ++pipeline_.loans_);
      return pipeline_.loans_;
    }
    bool TakeBack(uint64_t loan) override {
      if (IsTraceOfOneThread()) {
        const TraceSpan span("take back", pipeline_.run_, slot_.number);
        return true;
      }
      Lock lock(pipeline_.mutex_);
      return pipeline_.TakeBack(loan, lock);
    }

   private:
    // It shows the parts, which are done at once.
    bool IsTraceOfOneThread() const {
      return pipeline_.threads_.threads <= 1 && pipeline_.run_.number() != 0;
    }
    void DoAtOnce(const char* name, Part& part) {
      if (!slot_.status) return;
      slot_.status = pipeline_.DoPart(name, slot_, part, worker_);
    }

    OrderedPipeline& pipeline_;
    Slot& slot_;
    Worker& worker_;
  };

  static constexpr uint64_t kNoLoan = 0;
  struct LeftPart {
    Slot* slot = nullptr;
    Part part;
    uint64_t loan = kNoLoan;
  };

  // Leaves a part of the transformation of `slot`. May throw: then there is no
  // such part.
  void Put(Slot& slot, Part part, uint64_t loan) {
    parts_.push_back({&slot, std::move(part), loan});
    ++slot.undone;
    wake_.notify_one();
  }

  // As Helpers.
  bool TakeBack(uint64_t loan, Lock& lock) {
    const auto left = std::ranges::find(parts_, loan, &LeftPart::loan);
    if (left != parts_.end()) {
      --left->slot->undone;
      parts_.erase(left);
      return false;
    }
    loan_done_.wait(lock, [&] { return !begun_loans_.contains(loan); });
    return true;
  }

  // Runs one worker until no work is left. After a failure the worker may be
  // in any state, so another one is made for what is left.
  Status Work() {
    std::unique_ptr<Worker> worker;  // it may not be movable
    Lock lock(mutex_);
    while (true) {
      ++idle_;
      wake_.wait(lock,
                 [&] { return !parts_.empty() || MayProduce() || HasEnded(); });
      --idle_;
      if (failed_ || (parts_.empty() && HasEnded())) return {};
      LeftPart work;
      if (parts_.empty()) {
        work.slot = ProduceNext(lock);
        if (work.slot == nullptr) continue;
      } else {
        work = std::move(parts_.front());
        parts_.pop_front();
        if (work.loan != kNoLoan) begun_loans_.insert(work.loan);
      }
      Slot* const slot = work.slot;
      const bool failed = !slot->status;
      lock.unlock();
      Status status;
      if (!failed) {
        status = Guarded([&]() -> Status {
          if (!worker) worker.reset(new Worker(make_worker_()));
          return work.part ? DoPart(work.loan != kNoLoan ? "loan" : "part",
                                    *slot, work.part, *worker)
                           : DoTransform(*slot, *worker);
        });
        if (!status) worker.reset();
      }
      // What the part holds is released before the item is consumed.
      work.part = nullptr;
      lock.lock();
      if (begun_loans_.erase(work.loan) != 0) loan_done_.notify_all();
      if (!status && slot->status) slot->status = std::move(status);
      Finish(*slot, lock);
    }
  }

  Status DoTransform(Slot& slot, Worker& worker) {
    const TraceSpan span("transform", run_, slot.number);
    if constexpr (std::is_invocable_v<Transform&, Item&, Worker&,
                                      Parts<Worker>&>) {
      SlotParts parts(*this, slot, worker);
      return transform_(slot.item, worker, parts);
    } else {
      return transform_(slot.item, worker);
    }
  }

  Status DoPart(const char* name, Slot& slot, Part& part, Worker& worker) {
    const TraceSpan span(name, run_, slot.number);
    SlotParts parts(*this, slot, worker);
    return part(worker, parts);
  }

  // The transformation of a slot, or a part of it, is done or has failed.
  void Finish(Slot& slot, Lock& lock) {
    --slot.undone;
    // Later items would not be consumed.
    if (!slot.status) exhausted_ = true;
    if (slot.done()) --active_;
    Drain(lock);
    if (HasEnded()) wake_.notify_all();
  }

  // Appends the next item to the sequence and returns it; null at the end of
  // the sequence. A failed produce is appended like an item, so that the errors
  // of earlier items are still reported first.
  Slot* ProduceNext(Lock& lock) {
    producing_ = true;
    ++active_;
    auto owned = std::make_unique<Slot>();
    owned->number = next_++;
    lock.unlock();
    Result<bool> more = false;
    if (Status go_on = CheckStop(threads_.stop); go_on) {
      const TraceSpan span("produce", run_, owned->number);
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
    } else {
      --active_;
    }
    exhausted_ = exhausted_ || !more || !*more;
    if (!more) slot->status = std::unexpected(std::move(more).error());
    wake_.notify_all();
    return slot;
  }

  // Consumes finished items from the front, unless another thread does. The
  // lock is released during consume().
  void Drain(Lock& lock) {
    if (consuming_) return;
    consuming_ = true;
    while (!failed_ && !in_flight_.empty() && in_flight_.front()->done()) {
      std::unique_ptr<Slot> slot = std::move(in_flight_.front());
      in_flight_.pop_front();
      lock.unlock();
      Status status = std::move(slot->status);
      if (status) {
        const TraceSpan span("consume", run_, slot->number);
        status = Guarded([&] { return consume_(slot->item); });
      }
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

  // No more work comes: nothing more is produced, and no transformation runs
  // that could leave a part of it.
  bool HasEnded() const { return failed_ || (exhausted_ && active_ == 0); }
  bool MayProduce() const {
    return !producing_ && !exhausted_ &&
           in_flight_.size() < threads_.threads * threads_.items_per_thread;
  }

  const PipelineThreads& threads_;
  MakeWorker& make_worker_;
  Produce& produce_;
  Transform& transform_;
  Consume& consume_;
  const TraceRun run_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable wake_;
  std::condition_variable loan_done_;
  std::deque<std::unique_ptr<Slot>> in_flight_;  // in order of production
  std::deque<LeftPart> parts_;
  std::set<uint64_t> begun_loans_;  // that are not done
  uint64_t loans_ = kNoLoan;        // number of the last loan
  size_t idle_ = 0;                 // workers that wait
  size_t active_ = 0;               // slots that are produced or not done
  uint64_t next_ = 0;               // number of the next slot
  bool producing_ = false;
  bool exhausted_ = false;  // nothing more is to be produced
  bool consuming_ = false;
  Status outcome_;
  bool failed_ = false;
};

// Runs produce -> transform -> consume over a sequence of items:
//   Result<bool> produce(Item&)       serial; false ends the sequence
//   Status       transform(Item&, W&) parallel, with one W for each worker
//   Status       consume(Item&)       serial, in the order of production
// `make_worker()` makes the W of a worker when it begins to work, and another
// one after an error or an exception in transform, whose W is not used again.
// All functions run on the worker threads; if there is one worker only, it may
// be the calling thread.
//
// A transformation that takes a Parts<W>& as well can leave parts of its work
// to workers that would wait, or to all, and lend work to them.
//
// Returns the error of the earliest item that failed, so that the result does
// not depend on timing; of several errors of one item, any. A stop request
// counts as a failure of the item that would be produced next, with
// kInterrupted.
template <typename Item, typename MakeWorker, typename Produce,
          typename Transform, typename Consume>
Status RunOrderedPipeline(const PipelineThreads& threads,
                          MakeWorker make_worker, Produce produce,
                          Transform transform, Consume consume) {
  return Guarded([&] {
    return OrderedPipeline<Item, MakeWorker, Produce, Transform, Consume>(
               threads, make_worker, produce, transform, consume)
        .Run();
  });
}

// Calls `body(begin, end)` for ranges of at most `grain` elements that together
// cover [0, count), on at most `threads` threads. Returns the error of the
// failed range with the lowest `begin`. After a stop request, the ranges that
// are not started yet fail with kInterrupted. REQUIRES: grain > 0.
Status ParallelFor(unsigned threads, const std::stop_token& stop,
                   uint64_t count, uint64_t grain,
                   const std::function<Status(uint64_t, uint64_t)>& body);

}  // namespace zpack
