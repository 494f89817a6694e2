// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How long a phase of an operation, and all of its phases, will still take.
// Reads no clock: times are seconds since any moment, and never go back. Not
// for several threads at once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "zpack/progress.h"

namespace zpack::cli {

// A phase of an operation, and the part of its time that it usually takes. Only
// the proportions matter.
struct PhaseShare {
  Phase phase = Phase::kOpeningRepository;
  double share = 0;
};

// Units a second, of which the last ten seconds count most.
class SmoothedRate {
 public:
  void Begin(double now);
  // `done` units since Begin.
  void Update(uint64_t done, double now);
  // Nothing in the first half second, which says too little, and as long as
  // nothing is done.
  std::optional<double> PerSecond() const;

  double seconds() const { return now_ - start_; }

 private:
  double start_ = 0;
  double now_ = 0;
  uint64_t done_ = 0;
  // Each second counts less the longer ago it is.
  double recent_done_ = 0;
  double recent_seconds_ = 0;
};

class RemainingTime {
 public:
  // `phases` are those of the operation in their order; without them, nothing
  // is said about all of it.
  explicit RemainingTime(std::vector<PhaseShare> phases)
      : phases_(std::move(phases)) {}

  // Starts a phase of `total` units of work, or 0 when that is not known.
  void BeginPhase(Phase phase, uint64_t total, double now);
  // `done` of the units are done by now.
  void Update(uint64_t done, double now);

  // Seconds until the phase ends. Nothing in its first two seconds, which say
  // too little, and when the total is not known.
  std::optional<double> InPhase() const;
  // Seconds until the operation ends, if more phases follow, and if those up to
  // this one usually make up half of its time. A guess from less would be off
  // by its own size.
  std::optional<double> InAll() const;

 private:
  std::vector<PhaseShare> phases_;
  std::optional<double> start_;  // of the first phase
  double now_ = 0;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
  SmoothedRate rate_;  // of the phase
  // Sums over the phases up to this one, and behind it; zero for an unknown
  // one.
  double share_so_far_ = 0;
  double share_left_ = 0;
};

}  // namespace zpack::cli
