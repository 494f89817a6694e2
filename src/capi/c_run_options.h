// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of long-running operations for the C interface, with its callback for
// progress.

#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>

#include "zpack.h"
#include "zpack/options.h"
#include "zpack/progress.h"

namespace zpack::capi {

// Calls the callback about ten times a second, and requests a stop when it
// returns a value other than 0.
class CallbackProgress final : public ProgressSink {
 public:
  CallbackProgress(zpack_progress_cb callback, void* payload)
      : callback_(callback), payload_(payload) {}

  void Begin(Phase phase, uint64_t total_objects,
             uint64_t total_bytes) override;
  void Advance(uint64_t objects, uint64_t bytes) override;
  void End() override;

  std::stop_token stop() const { return stop_.get_token(); }

 private:
  using Clock = std::chrono::steady_clock;

  // REQUIRES: the mutex is held.
  void Call();

  zpack_progress_cb callback_;
  void* payload_;
  std::stop_source stop_;
  std::mutex mutex_;  // guards everything below
  std::string phase_;
  zpack_progress now_ = {};
  Clock::time_point last_call_;
};

// RunOptions with the callback of `options`. Must outlive the operation.
class RunWithCallback {
 public:
  explicit RunWithCallback(const zpack_run_options& options);
  RunWithCallback(const RunWithCallback&) = delete;
  RunWithCallback& operator=(const RunWithCallback&) = delete;

  const RunOptions& options() const { return run_; }

 private:
  CallbackProgress progress_;
  RunOptions run_;
};

}  // namespace zpack::capi
