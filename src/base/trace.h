// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Records what threads work on. If the environment has ZPACK_TRACE=FILE, each
// span is appended to FILE as a line, in the Trace Event Format, which
// chrome://tracing and Perfetto show:
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
// tools/bench/schedule computes from it what more threads would gain. Any
// thread.

#pragma once

#include <chrono>
#include <cstdint>

namespace zpack {

// A run is one loop over items by several threads. Its spans have its number,
// so that a reader of the trace finds those that belong together.
class TraceRun {
 public:
  // `threads` is the number of threads that work on the items, and `limit` the
  // number of items that may be in work at once, or 0.
  TraceRun(const char* kind, uint64_t threads, uint64_t limit);
  ~TraceRun();
  TraceRun(const TraceRun&) = delete;
  TraceRun& operator=(const TraceRun&) = delete;

  uint64_t number() const { return number_; }

 private:
  const char* kind_;
  uint64_t threads_;
  uint64_t limit_;
  uint64_t number_ = 0;
  std::chrono::steady_clock::time_point start_;
};

// The work of one thread on one item, from construction to destruction.
class TraceSpan {
 public:
  TraceSpan(const char* name, const TraceRun& run, uint64_t item);
  ~TraceSpan();
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  const char* name_;
  uint64_t run_;
  uint64_t item_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace zpack
