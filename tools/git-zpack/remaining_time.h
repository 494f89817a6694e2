// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Estimates the remaining time of a phase and of the whole operation. Does not
// read a clock: times are seconds since a fixed time and never decrease. Not
// thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "zpack/progress.h"

namespace zpack::cli {

// A phase of an operation, and the share of time that it usually takes. Only
// the ratios of shares matter.
struct PhaseShare {
  Phase phase = Phase::kOpeningRepository;
  double share = 0;
};

// Units per second, where the last ten seconds count most.
class SmoothedRate {
 public:
  void Begin(double now);
  // Sets the number of units done since Begin.
  void Update(uint64_t done, double now);
  // Returns nullopt in the first half second, which is too short for an
  // estimate, and as long as no unit is done.
  std::optional<double> PerSecond() const;

  double seconds() const { return now_ - start_; }

 private:
  double start_ = 0;
  double now_ = 0;
  uint64_t done_ = 0;
  // The weight of each second decreases with its age.
  double recent_done_ = 0;
  double recent_seconds_ = 0;
};

class RemainingTime {
 public:
  // `phases` are the phases of the operation, in order. If empty, InAll returns
  // nullopt.
  explicit RemainingTime(std::vector<PhaseShare> phases)
      : phases_(std::move(phases)) {}

  // Begins a phase of `total` units; 0 if the total is unknown.
  void BeginPhase(Phase phase, uint64_t total, double now);
  // Sets the number of units done in the phase.
  void Update(uint64_t done, double now);

  // Returns the seconds until the phase ends. Returns nullopt in the first two
  // seconds of the phase, which are too short for an estimate, and if the total
  // is unknown.
  std::optional<double> InPhase() const;
  // Returns the seconds until the operation ends. Returns nullopt in the last
  // phase, and until the phases so far usually take half of the time, because
  // an earlier estimate could be wrong by a factor of two.
  std::optional<double> InAll() const;

 private:
  std::vector<PhaseShare> phases_;
  std::optional<double> start_;  // start of the first phase
  double now_ = 0;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
  SmoothedRate rate_;  // of the phase
  // Sums of the shares of the phases up to this one, and of the phases after
  // it; 0 if the phase is unknown.
  double share_so_far_ = 0;
  double share_left_ = 0;
};

}  // namespace zpack::cli
