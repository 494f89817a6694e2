// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/guarded.h"

namespace zpack {
namespace {

using Clock = std::chrono::steady_clock;

class Trace {
 public:
  // Null if nothing is recorded.
  static Trace* Get() {
    static const std::unique_ptr<Trace> trace = Open();
    return trace.get();
  }

  uint64_t NextRun() { return ++runs_; }

  void Add(std::string_view name, Clock::time_point start,
           std::string_view arguments) {
    using Microseconds = std::chrono::duration<double, std::micro>;
    const std::string line = fmt::format(
        "{{\"name\": \"{}\", \"ph\": \"X\", \"pid\": {}, \"tid\": {}, "
        "\"ts\": {:.1f}, \"dur\": {:.1f}, \"args\": {{{}}}}},\n",
        name, getpid(), gettid(), Microseconds(start - start_).count(),
        Microseconds(Clock::now() - start).count(), arguments);
    const std::lock_guard<std::mutex> lock(mutex_);
    fwrite(line.data(), 1, line.size(), file_.get());
  }

 private:
  struct Close {
    void operator()(FILE* file) const { fclose(file); }
  };

  static std::unique_ptr<Trace> Open() {
    const char* const path = std::getenv("ZPACK_TRACE");
    if (path == nullptr || *path == '\0') return nullptr;
    std::unique_ptr<Trace> trace(new Trace);
    // Several processes may have the same file, so each appends whole lines.
    trace->file_.reset(fopen(path, "ae"));
    // Nothing depends on a trace, so the command goes on without it.
    if (!trace->file_) return nullptr;
    setvbuf(trace->file_.get(), nullptr, _IOLBF, BUFSIZ);
    fseek(trace->file_.get(), 0, SEEK_END);
    if (ftell(trace->file_.get()) == 0) {
      fputs("[\n", trace->file_.get());  // the format needs no end
    }
    return trace;
  }

  const Clock::time_point start_ = Clock::now();
  std::atomic<uint64_t> runs_ = 0;
  std::mutex mutex_;  // guards file_
  std::unique_ptr<FILE, Close> file_;
};

}  // namespace

TraceRun::TraceRun(const char* kind, uint64_t threads, uint64_t limit)
    : kind_(kind), threads_(threads), limit_(limit) {
  Trace* const trace = Trace::Get();
  if (trace == nullptr) return;
  number_ = trace->NextRun();
  start_ = Clock::now();
}

TraceRun::~TraceRun() {
  if (number_ == 0) return;
  CleanUp([this] {
    Trace::Get()->Add(kind_, start_,
                      fmt::format("\"run\": {}, \"threads\": {}, \"limit\": {}",
                                  number_, threads_, limit_));
  });
}

TraceSpan::TraceSpan(const char* name, const TraceRun& run, uint64_t item)
    : name_(name), run_(run.number()), item_(item) {
  if (run_ != 0) start_ = Clock::now();
}

TraceSpan::~TraceSpan() {
  if (run_ == 0) return;
  CleanUp([this] {
    Trace::Get()->Add(name_, start_,
                      fmt::format("\"run\": {}, \"item\": {}", run_, item_));
  });
}

}  // namespace zpack
