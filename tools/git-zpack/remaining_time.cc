// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "remaining_time.h"

#include <algorithm>
#include <cmath>

namespace zpack::cli {
namespace {

// Seconds after which the weight of work falls to about a third. Blocks take up
// to a second, and kinds of objects differ in speed: with less, estimates would
// jump; with more, they would lag.
constexpr double kMemory = 10;
constexpr double kMinSecondsForRate = 0.5;
constexpr double kMinSecondsForEstimate = 2;
constexpr double kMinShare = 0.5;

}  // namespace

void SmoothedRate::Begin(double now) {
  *this = SmoothedRate();
  start_ = now_ = now;
}

void SmoothedRate::Update(uint64_t done, double now) {
  const double elapsed = now - now_;
  const double fading = std::exp(-elapsed / kMemory);
  recent_done_ = recent_done_ * fading + static_cast<double>(done - done_);
  recent_seconds_ = recent_seconds_ * fading + elapsed;
  done_ = done;
  now_ = now;
}

std::optional<double> SmoothedRate::PerSecond() const {
  if (seconds() < kMinSecondsForRate || recent_done_ <= 0) return std::nullopt;
  return recent_done_ / recent_seconds_;
}

void RemainingTime::BeginPhase(Phase phase, uint64_t total, double now) {
  if (!start_) start_ = now;
  now_ = now;
  total_ = total;
  done_ = 0;
  rate_.Begin(now);
  share_so_far_ = share_left_ = 0;
  const auto known = std::ranges::find(phases_, phase, &PhaseShare::phase);
  if (known == phases_.end()) return;
  for (auto i = phases_.begin(); i != phases_.end(); ++i) {
    (i <= known ? share_so_far_ : share_left_) += i->share;
  }
}

void RemainingTime::Update(uint64_t done, double now) {
  rate_.Update(done, now);
  done_ = done;
  now_ = now;
}

std::optional<double> RemainingTime::InPhase() const {
  const std::optional<double> rate = rate_.PerSecond();
  if (!rate || done_ >= total_ || rate_.seconds() < kMinSecondsForEstimate) {
    return std::nullopt;
  }
  return static_cast<double>(total_ - done_) / *rate;
}

std::optional<double> RemainingTime::InAll() const {
  const std::optional<double> in_phase = InPhase();
  if (!in_phase || share_left_ <= 0 ||
      share_so_far_ < kMinShare * (share_so_far_ + share_left_)) {
    return std::nullopt;
  }
  const double until_phase_ends = now_ - *start_ + *in_phase;
  return *in_phase + until_phase_ends * share_left_ / share_so_far_;
}

}  // namespace zpack::cli
