// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Progress as Git shows it: one line a phase, with counts, percentage, bytes,
// throughput and remaining time; with the shares of an operation's phases also
// the time that all of it will take. Thread rules are those of ProgressSink.

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
  // Seconds since any moment; never goes back.
  using Clock = std::function<double()>;

  // `err` outlives the meter; `phases` are as RemainingTime has them.
  ProgressMeter(std::ostream& err, std::vector<PhaseShare> phases,
                Clock clock = SteadySeconds);

  void Begin(Phase phase, uint64_t total_objects,
             uint64_t total_bytes) override;
  void Advance(uint64_t objects, uint64_t bytes) override;
  void End() override;

 private:
  static double SteadySeconds();
  static uint64_t Work(uint64_t objects, uint64_t bytes);

  // REQUIRES, for these: `mutex_` is held.
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

// "1.50 MiB", as Git prints sizes.
std::string HumanSize(uint64_t bytes);

// "0:42", "12:05" or "1:00:00", to the second.
std::string HumanTime(double seconds);

}  // namespace zpack::cli
