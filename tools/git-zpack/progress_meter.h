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
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "remaining_time.h"
#include "zpack/progress.h"

namespace zpack::cli {

class ProgressMeter final : public ProgressSink {
 public:
  // Seconds since a fixed time; never decreases.
  using Clock = std::function<double()>;

  // The columns of the terminal; 0 if no line is too long. Asked before each
  // line, because the user may resize the terminal.
  using Columns = std::function<size_t()>;

  // Where and how the meter writes.
  struct Display {
    std::ostream& err;  // must outlive the meter
    Columns columns = [] { return size_t{0}; };
    // A phase that ends after a stop is requested is not called done.
    std::stop_token stop = {};
    Clock clock = SteadySeconds;
  };

  // `phases` are as for RemainingTime.
  ProgressMeter(Display display, std::vector<PhaseShare> phases);

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
  // "Title: 12% (3/25)".
  std::string Counts() const;
  // Writes `line` and as many of `more` as fit.
  void WriteLine(std::string line, std::span<const std::string> more, char end);

  Display display_;
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

// Returns the columns of the terminal that standard error is, or 80 if the
// terminal does not say. REQUIRES: standard error is a terminal.
size_t ColumnsOfTerminal();

// Formats sizes as Git does: "1.50 MiB".
std::string HumanSize(uint64_t bytes);

// Formats a time in seconds: "0:42", "12:05" or "1:00:00".
std::string HumanTime(double seconds);

}  // namespace zpack::cli
