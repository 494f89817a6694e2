// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Progress as Git shows it: one line a phase, with counts, percentage, bytes,
// throughput and remaining time. Thread rules are those of ProgressSink.

#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <string>

#include "zpack/progress.h"

namespace zpack::cli {

class ProgressMeter final : public ProgressSink {
 public:
  // `err` outlives the meter.
  explicit ProgressMeter(std::ostream& err) : err_(err) {}

  void Begin(std::string_view title, uint64_t total_objects,
             uint64_t total_bytes) override;
  void Advance(uint64_t objects, uint64_t bytes) override;
  void End() override;

 private:
  using Clock = std::chrono::steady_clock;

  // REQUIRES: `mutex_` is held.
  void Print(bool last);
  std::string Throughput(double seconds) const;
  std::string Remaining(double seconds) const;

  std::ostream& err_;
  std::mutex mutex_;  // guards everything below
  std::string title_;
  uint64_t total_objects_ = 0;
  uint64_t total_bytes_ = 0;
  uint64_t objects_ = 0;
  uint64_t bytes_ = 0;
  Clock::time_point start_;
  Clock::time_point printed_;
  size_t width_ = 0;  // of the line on screen
};

// "1.50 MiB", as Git prints sizes.
std::string HumanSize(uint64_t bytes);

}  // namespace zpack::cli
