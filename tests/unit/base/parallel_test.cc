// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <new>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/error.h"

namespace zpack {
namespace {

struct NoState {};
NoState MakeNoState() { return {}; }

struct Item {
  int value = 0;
};

// Counts 0 ... count - 1 through a pipeline and returns what was consumed.
class Pipeline : public ::testing::TestWithParam<unsigned> {
 protected:
  Status Run(int count, int fail_at, std::stop_token stop = {}) {
    int next = 0;
    return RunOrderedPipeline<Item>(
        PipelineThreads{GetParam(), stop}, MakeNoState,
        [&](Item& item) -> Result<bool> {
          const int now = ++in_flight_;
          if (now > max_in_flight_) max_in_flight_ = now;
          item.value = next++;
          return item.value < count;
        },
        [&](Item& item, NoState&) -> Status {
          if (item.value >= fail_at) {
            return MakeError(ErrorCode::kInternal, "item {}", item.value);
          }
          item.value *= 2;
          return {};
        },
        [&](Item& item) -> Status {
          --in_flight_;
          consumed_.push_back(item.value);
          return {};
        });
  }

  std::vector<int> consumed_;
  std::atomic<int> in_flight_ = 0;
  std::atomic<int> max_in_flight_ = 0;
};

TEST_P(Pipeline, ConsumesInOrderOfProduction) {
  ASSERT_TRUE(Run(500, 1000));
  ASSERT_EQ(consumed_.size(), 500U);
  for (int i = 0; i < 500; ++i)
    EXPECT_EQ(consumed_[static_cast<size_t>(i)], 2 * i);
}

TEST_P(Pipeline, HandlesAnEmptySequence) {
  ASSERT_TRUE(Run(0, 1000));
  EXPECT_TRUE(consumed_.empty());
}

TEST_P(Pipeline, ReportsTheEarliestFailureWhateverTheTiming) {
  const Status status = Run(500, 17);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "item 17");
  EXPECT_EQ(consumed_.size(), 17U);
}

TEST_P(Pipeline, BoundsWhatIsInFlight) {
  ASSERT_TRUE(Run(2000, 3000));
  // Two per thread wait, and one more is being consumed or made.
  EXPECT_LE(max_in_flight_, static_cast<int>(GetParam() * 2 + 2));
}

TEST_P(Pipeline, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const Status status = Run(500, 1000, stop.get_token());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInterrupted);
}

TEST_P(Pipeline, PassesOnAFailureToProduce) {
  const Status status = RunOrderedPipeline<Item>(
      PipelineThreads{GetParam(), {}}, MakeNoState,
      [](Item&) -> Result<bool> {
        return MakeError(ErrorCode::kIo, "cannot produce");
      },
      [](Item&, NoState&) { return Status{}; }, [](Item&) { return Status{}; });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kIo);
}

// The second transformation leaves its parts to the worker of the first, which
// waits, because only one item may be in work for each thread.
TEST(PipelineParts, WorkersThatWaitDoThem) {
  constexpr int kParts = 20;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  int done = 0;
  int next = 0;
  bool consumed_early = false;
  const Status status = RunOrderedPipeline<Item>(
      PipelineThreads{2, {}, 1}, MakeNoState,
      [&](Item& item) -> Result<bool> {
        item.value = next++;
        return item.value < 1;
      },
      [&](Item&, NoState&, Parts<NoState>& parts) -> Status {
        for (int i = 0; i < kParts; ++i) {
          while (!parts.IsWanted()) std::this_thread::yield();
          parts.Leave([&](NoState&, Parts<NoState>&) -> Status {
            const std::lock_guard<std::mutex> lock(mutex);
            threads.insert(std::this_thread::get_id());
            ++done;
            return {};
          });
        }
        const std::lock_guard<std::mutex> lock(mutex);
        EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
        return {};
      },
      [&](Item&) -> Status {
        consumed_early = done != kParts;
        return {};
      });
  EXPECT_TRUE(status);
  EXPECT_EQ(done, kParts);
  EXPECT_FALSE(consumed_early);
}

// The worker that left them, if no other one does.
TEST_P(Pipeline, PartsAreDoneBeforeTheItemIsConsumed) {
  constexpr int kItems = 200;
  std::vector<std::atomic<int>> done(kItems);
  int next = 0;
  int consumed = 0;
  const Status status = RunOrderedPipeline<Item>(
      PipelineThreads{GetParam(), {}}, MakeNoState,
      [&](Item& item) -> Result<bool> {
        item.value = next++;
        return item.value < kItems;
      },
      [&](Item& item, NoState&, Parts<NoState>& parts) -> Status {
        std::atomic<int>& of_item = done[static_cast<size_t>(item.value)];
        for (int i = 0; i < 3; ++i) {
          parts.Leave([&of_item](NoState&, Parts<NoState>&) -> Status {
            ++of_item;
            return {};
          });
        }
        return {};
      },
      [&](Item& item) -> Status {
        EXPECT_EQ(item.value, consumed++);
        EXPECT_EQ(done[static_cast<size_t>(item.value)], 3);
        return {};
      });
  EXPECT_TRUE(status);
  EXPECT_EQ(consumed, kItems);
}

// Each item leaves work by `leave`, which fails from item 17 on.
template <typename Leave>
void ExpectEarliestFailure(unsigned threads, Leave leave) {
  int next = 0;
  std::vector<int> consumed;
  const Status status = RunOrderedPipeline<Item>(
      PipelineThreads{threads, {}}, MakeNoState,
      [&](Item& item) -> Result<bool> {
        item.value = next++;
        return true;
      },
      [&](Item& item, NoState&, Parts<NoState>& parts) -> Status {
        leave(parts, [value = item.value]() -> Status {
          if (value < 17) return {};
          if (value % 2 == 0) throw std::bad_alloc();
          return MakeError(ErrorCode::kInternal, "work of item {}", value);
        });
        return {};
      },
      [&](Item& item) -> Status {
        consumed.push_back(item.value);
        return {};
      });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "work of item 17");
  EXPECT_EQ(consumed.size(), 17U);
}

TEST_P(Pipeline, ReportsTheEarliestItemWithAFailedPart) {
  ExpectEarliestFailure(GetParam(), [](Parts<NoState>& parts, auto work) {
    parts.Leave([work](NoState&, Parts<NoState>&) { return work(); });
  });
}

// Nobody takes the loan back, so it is done.
TEST_P(Pipeline, ReportsTheEarliestItemWithAFailedLoan) {
  ExpectEarliestFailure(
      GetParam(), [](Parts<NoState>& parts, auto work) { parts.Lend(work); });
}

// There is one item, so the other worker waits.
TEST(PipelineLoans, WorkersThatWaitDoThem) {
  int next = 0;
  const Status status = RunOrderedPipeline<Item>(
      PipelineThreads{2, {}, 1}, MakeNoState,
      [&](Item& item) -> Result<bool> {
        item.value = next++;
        return item.value < 1;
      },
      [&](Item&, NoState&, Parts<NoState>& parts) -> Status {
        for (int i = 0; i < 20; ++i) {
          while (!parts.IsWanted()) std::this_thread::yield();
          std::thread::id thread;
          std::atomic<bool> begun = false;
          const uint64_t loan = parts.Lend([&]() -> Status {
            begun = true;
            // The result is there after TakeBack, not before.
            std::this_thread::yield();
            thread = std::this_thread::get_id();
            return {};
          });
          while (!begun) std::this_thread::yield();
          EXPECT_TRUE(parts.TakeBack(loan));
          EXPECT_NE(thread, std::thread::id());
          EXPECT_NE(thread, std::this_thread::get_id());
        }
        return {};
      },
      [&](Item&) { return Status{}; });
  EXPECT_TRUE(status);
}

TEST_P(Pipeline, LoansAreDoneOrTakenBack) {
  constexpr int kItems = 200;
  constexpr int kLoans = 5;
  std::atomic<int> done = 0;
  std::atomic<int> taken_back = 0;
  int next = 0;
  const Status status = RunOrderedPipeline<Item>(
      PipelineThreads{GetParam(), {}}, MakeNoState,
      [&](Item& item) -> Result<bool> {
        item.value = next++;
        return item.value < kItems;
      },
      [&](Item&, NoState&, Parts<NoState>& parts) -> Status {
        std::vector<int> results(kLoans);
        std::vector<uint64_t> loans;
        for (int& result : results) {
          loans.push_back(parts.Lend([&]() -> Status {
            ++result;
            ++done;
            return {};
          }));
        }
        for (size_t i = 0; i < kLoans; ++i) {
          const bool is_done = parts.TakeBack(loans[i]);
          EXPECT_EQ(results[i], is_done ? 1 : 0);
          taken_back += is_done ? 0 : 1;
        }
        return {};
      },
      [&](Item&) { return Status{}; });
  EXPECT_TRUE(status);
  EXPECT_EQ(done + taken_back, kItems * kLoans);
}

// Sets `gone` when it ends after a failure.
struct FailingWorker {
  ~FailingWorker() {
    if (failed) *gone = true;
  }
  std::atomic<bool>* gone;
  bool failed = false;
};

TEST(PipelineWorker, IsNotUsedAgainAfterAnException) {
  std::atomic<bool> gone = false;
  std::atomic<bool> used_again = false;
  int next = 0;
  const Status status = RunOrderedPipeline<Item>(
      PipelineThreads{2, {}}, [&] { return FailingWorker{&gone}; },
      [&](Item& item) -> Result<bool> {
        item.value = next++;
        return true;
      },
      [&](Item& item, FailingWorker& worker) -> Status {
        if (worker.failed) {
          used_again = true;
        } else if (item.value == 0) {
          // Until it is finished, the failure of item 1 is not reported.
          while (!gone && !used_again) std::this_thread::yield();
        } else if (item.value == 1) {
          worker.failed = true;
          throw std::bad_alloc();
        }
        return {};
      },
      [](Item&) -> Status { return {}; });
  EXPECT_FALSE(used_again);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kOutOfMemory);
}

INSTANTIATE_TEST_SUITE_P(Threads, Pipeline, ::testing::Values(1U, 2U, 5U));

TEST(ParallelFor, CoversEveryIndexOnce) {
  std::vector<std::atomic<int>> hits(1000);
  const Status status =
      ParallelFor(4, {}, hits.size(), 7, [&](uint64_t begin, uint64_t end) {
        for (uint64_t i = begin; i < end; ++i) ++hits[i];
        return Status{};
      });
  ASSERT_TRUE(status);
  for (const auto& hit : hits) EXPECT_EQ(hit, 1);
}

TEST(ParallelFor, ReturnsTheFirstErrorInOrder) {
  for (int round = 0; round < 50; ++round) {
    const Status status =
        ParallelFor(4, {}, 100, 1, [&](uint64_t begin, uint64_t) -> Status {
          if (begin < 40) return {};
          return MakeError(ErrorCode::kCorrupt, "{}", begin);
        });
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "40");
  }
}

TEST(ParallelFor, EndsWhenStopped) {
  std::stop_source stop;
  std::atomic<int> calls = 0;
  const Status status = ParallelFor(2, stop.get_token(), 1000, 1,
                                    [&](uint64_t begin, uint64_t) -> Status {
                                      ++calls;
                                      if (begin == 10) stop.request_stop();
                                      return {};
                                    });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInterrupted);
  EXPECT_LT(calls, 1000);
}

TEST(ParallelFor, TurnsAnExceptionIntoAnError) {
  const Status status =
      ParallelFor(2, {}, 10, 1,
                  [](uint64_t, uint64_t) -> Status { throw std::bad_alloc(); });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace zpack
