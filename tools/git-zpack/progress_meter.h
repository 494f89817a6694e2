// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Shows progress as Git does: one line per phase, with counts, percentage,
// bytes, throughput and remaining time. If the time shares of the phases are
// known, also shows the remaining time of the whole operation. Thread rules are
// those of ProgressSink.

#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <vector>

#include "remaining_time.h"
#include "zpack/progress.h"

namespace zpack::cli {

class ProgressMeter final : public ProgressSink {
 public:
  // Seconds since a fixed time; never decreases.
  using Clock = std::function<double()>;

  // `err` must outlive the meter. `phases` are as for RemainingTime.
  ProgressMeter(std::ostream& err, std::vector<PhaseShare> phases,
                Clock clock = SteadySeconds);

  void Begin(Phase phase, uint64_t total_objects,
             uint64_t total_bytes) override;
  void Advance(uint64_t objects, uint64_t bytes) override;
  void End() override;

 private:
  static double SteadySeconds();
  static uint64_t Work(uint64_t objects, uint64_t bytes);

  // REQUIRES for these functions: `mutex_` is held.
  void Print(double now);
  void PrintLast(double now);
  std::string Counts() const;
  void WriteLine(const std::string& line, char end);

  std::ostream& err_;
  Clock clock_;
  std::mutex mutex_;  // guards everything below
  RemainingTime remaining_;
  SmoothedRate byte_rate_;
  std::string title_;
  uint64_t total_objects_ = 0;
  uint64_t total_bytes_ = 0;
  uint64_t objects_ = 0;
  uint64_t bytes_ = 0;
  double start_ = 0;
  double printed_ = 0;
  size_t width_ = 0;  // of the line on screen
};

// Formats sizes as Git does: "1.50 MiB".
std::string HumanSize(uint64_t bytes);

// Formats a time in seconds: "0:42", "12:05" or "1:00:00".
std::string HumanTime(double seconds);

}  // namespace zpack::cli
