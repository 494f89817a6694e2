// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory zstd contexts take when jobs of several levels run in
// parallel: a context for each job, for each thread, for each thread and level,
// or a pool. The first half of the jobs has mixed levels, the second half only
// the lowest. Prints one line of JSON. What is compressed is decompressed and
// compared.
//
//   pool_benchmark FILE THREADS JOBS    FILE is cut into the inputs of the jobs

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "bench/codecs/bench_run.h"
#include "bench/codecs/context_pool.h"
#include "bench/codecs/zstd_memory.h"

namespace zpack::bench {
namespace {

// A stream of a block of a .zpack file has up to 2 MB.
constexpr std::array kPieceSizes = {size_t{16} << 10, size_t{128} << 10,
                                    size_t{512} << 10, size_t{2} << 20};
// Levels of the profiles fast, balanced and max.
constexpr std::array kLevels = {3, 3, 3, 3, 3, 3, 12, 12, 12, 19};
constexpr auto kIdleTime = std::chrono::milliseconds(500);

struct Job {
  ByteView input;
  int level = 0;
};

std::vector<Job> MakeJobs(ByteView bytes, size_t count) {
  std::mt19937 random(1);  // the same jobs for each way
  std::vector<Job> jobs(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t size =
        std::min(bytes.size(), kPieceSizes[random() % kPieceSizes.size()]);
    jobs[i].input = bytes.subspan(random() % (bytes.size() - size + 1), size);
    const int level = kLevels[random() % kLevels.size()];
    jobs[i].level = i < count / 2 ? level : kLevels.front();
  }
  return jobs;
}

enum class Way : uint8_t { kPerJob, kPerThread, kPerThreadAndLevel, kPool };
constexpr std::array kWays = {
    std::pair{Way::kPerJob, "new for each job"},
    std::pair{Way::kPerThread, "one for each thread"},
    std::pair{Way::kPerThreadAndLevel, "one for each thread and level"},
    std::pair{Way::kPool, "pool"}};

// The contexts of one thread.
class Contexts {
 public:
  Contexts(Way way, ZstdMemory& memory, ContextPool& pool)
      : way_(way), memory_(memory), pool_(pool) {}
  ~Contexts() {
    for (const auto& [level, context] : kept_) ZSTD_freeCCtx(context);
  }
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  // Calls `compress` with a context for the level.
  template <typename Compress>
  size_t With(int level, const Compress& compress) {
    switch (way_) {
      case Way::kPool: {
        const ContextPool::Lease lease = pool_.Take(level);
        const size_t size = compress(lease.context);
        pool_.Return(lease, level);
        return size;
      }
      case Way::kPerJob: {
        ++made_;
        ZSTD_CCtx* const context =
            ZSTD_createCCtx_advanced(memory_.Functions());
        const size_t size = compress(context);
        ZSTD_freeCCtx(context);
        return size;
      }
      case Way::kPerThread:
      case Way::kPerThreadAndLevel:
        break;
    }
    ZSTD_CCtx*& context = kept_[way_ == Way::kPerThread ? 0 : level];
    if (context == nullptr) {
      ++made_;
      context = ZSTD_createCCtx_advanced(memory_.Functions());
    }
    return compress(context);
  }
  uint64_t made() const { return made_; }

 private:
  Way way_;
  ZstdMemory& memory_;
  ContextPool& pool_;
  std::map<int, ZSTD_CCtx*> kept_;
  uint64_t made_ = 0;
};

struct Outcome {
  std::atomic<uint64_t> bytes{0};
  std::atomic<uint64_t> made{0};
  std::atomic<bool> failed{false};
  std::atomic<uint64_t> last_memory{0};
};

// Compresses the jobs that no other thread has taken.
void Work(const std::vector<Job>& jobs, std::atomic<size_t>& next,
          Contexts& contexts, const ZstdMemory& memory, Outcome& outcome) {
  Bytes stored;
  Bytes restored;
  while (true) {
    const size_t i = next++;
    if (i >= jobs.size()) break;
    const Job& job = jobs[i];
    stored.resize(ZSTD_compressBound(job.input.size()));
    const size_t size = contexts.With(job.level, [&](ZSTD_CCtx* context) {
      return ZSTD_compressCCtx(context, stored.data(), stored.size(),
                               job.input.data(), job.input.size(), job.level);
    });
    restored.resize(job.input.size());
    if (ZSTD_isError(size) ||
        ZSTD_decompress(restored.data(), restored.size(), stored.data(),
                        size) != restored.size() ||
        !std::ranges::equal(restored, job.input)) {
      outcome.failed = true;
      return;
    }
    outcome.bytes += size;
    outcome.last_memory = memory.Now();
  }
  outcome.made += contexts.made();
}

Result<nlohmann::json> Measure(Way way, const std::vector<Job>& jobs,
                               size_t threads) {
  ZstdMemory memory;
  Outcome outcome;
  nlohmann::json result;
  {
    ContextPool pool(memory, kIdleTime);
    std::atomic<size_t> next{0};
    const StopWatch watch;
    {
      std::vector<std::jthread> workers;
      for (size_t i = 0; i < threads; ++i) {
        workers.emplace_back([&] {
          Contexts contexts(way, memory, pool);
          Work(jobs, next, contexts, memory, outcome);
        });
      }
    }
    result = watch.Json();
    result["made"] = outcome.made + pool.made();
    result["mean_memory"] = memory.Mean();
  }
  if (outcome.failed) {
    return MakeError(ErrorCode::kMismatch, "a job was not restored");
  }
  result["peak_memory"] = memory.Peak();
  result["last_memory"] = outcome.last_memory.load();
  result["bytes"] = outcome.bytes.load();
  return result;
}

Result<size_t> Number(std::string_view digits) {
  size_t number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      number == 0 || number > 1'000'000) {
    return MakeError(ErrorCode::kInvalidArgument, "'{}' is not a number from 1",
                     digits);
  }
  return number;
}

Result<nlohmann::json> MeasureAll(char** arguments) {
  ZPACK_ASSIGN_OR_RETURN(const Bytes bytes, ReadWholeFile(arguments[0]));
  ZPACK_ASSIGN_OR_RETURN(const size_t threads, Number(arguments[1]));
  ZPACK_ASSIGN_OR_RETURN(const size_t count, Number(arguments[2]));
  const std::vector<Job> jobs = MakeJobs(bytes, count);
  nlohmann::json results;
  for (const auto& [way, name] : kWays) {
    ZPACK_ASSIGN_OR_RETURN(nlohmann::json result, Measure(way, jobs, threads));
    result["way"] = name;
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace
}  // namespace zpack::bench

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: pool_benchmark FILE THREADS JOBS\n";
    return 129;
  }
  return zpack::bench::PrintJson(
      [&] { return zpack::bench::MeasureAll(argv + 1); });
}
