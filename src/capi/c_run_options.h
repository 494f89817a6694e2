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

#include "capi/stop_question.h"
#include "zpack.h"
#include "zpack/options.h"
#include "zpack/progress.h"

namespace zpack::capi {

// Calls the callback about ten times a second, also while nothing goes on, and
// requests a stop when it returns a value other than 0.
class CallbackProgress final : public ProgressSink {
 public:
  // `callback` may be null if nothing is called but stop().
  CallbackProgress(zpack_progress_cb callback, void* payload)
      : callback_(callback),
        payload_(payload),
        repetition_(callback == nullptr ? nullptr : Repeat, this) {}

  void Begin(Phase phase, uint64_t total_objects,
             uint64_t total_bytes) override;
  void Advance(uint64_t objects, uint64_t bytes) override;
  void End() override;

  std::stop_token stop() const { return stop_.get_token(); }

 private:
  using Clock = std::chrono::steady_clock;

  // Calls the callback of the CallbackProgress `self` if that is due. Returns
  // whether a stop is requested.
  static int Repeat(void* self);

  // REQUIRES: the mutex is held.
  void Call();
  void CallIfDue();

  zpack_progress_cb callback_;
  void* payload_;
  std::stop_source stop_;
  std::mutex mutex_;  // guards everything below
  std::string phase_ = "Opening";
  zpack_progress now_ = {phase_.c_str(), 0, 0, 0, 0};
  Clock::time_point last_call_ = Clock::now();
  StopQuestion repetition_;  // last, so that it ends before what it uses
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
