// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Passes progress on and measures the time of each phase. The thread rules are
// those of ProgressSink.

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "zpack/progress.h"

namespace zpack {

class PhaseTimer final : public ProgressSink {
 public:
  // `next` may be null.
  explicit PhaseTimer(ProgressSink* next) : next_(next) {}

  void Begin(Phase phase, uint64_t total_objects,
             uint64_t total_bytes) override {
    phases_.push_back({phase, 0});
    start_ = Clock::now();
    if (next_ != nullptr) next_->Begin(phase, total_objects, total_bytes);
  }
  void Advance(uint64_t objects, uint64_t bytes) override {
    if (next_ != nullptr) next_->Advance(objects, bytes);
  }
  void End() override {
    phases_.back().seconds =
        std::chrono::duration<double>(Clock::now() - start_).count();
    if (next_ != nullptr) next_->End();
  }

  bool wants_totals() const override {
    return next_ != nullptr && next_->wants_totals();
  }

  const std::vector<PhaseTime>& phases() const { return phases_; }

 private:
  using Clock = std::chrono::steady_clock;

  ProgressSink* next_;
  Clock::time_point start_;
  std::vector<PhaseTime> phases_;
};

}  // namespace zpack
