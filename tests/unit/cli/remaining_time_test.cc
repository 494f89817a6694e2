// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "remaining_time.h"

#include <gtest/gtest.h>

#include <vector>

namespace zpack::cli {
namespace {

constexpr Phase kCount = Phase::kCountingObjects;
constexpr Phase kPack = Phase::kCompressingObjects;
constexpr Phase kCheck = Phase::kVerifyingObjects;
constexpr Phase kOther = Phase::kReadingBlocks;

// Works at `rate` units a second from `begin` to `end`, in steps of a fifth of
// a second, and returns what is done then.
uint64_t Work(RemainingTime& remaining, uint64_t done, double begin, double end,
              uint64_t rate) {
  const int steps = static_cast<int>((end - begin) * 5 + 0.5);
  for (int i = 1; i <= steps; ++i) {
    done += rate / 5;
    remaining.Update(done, begin + i / 5.0);
  }
  return done;
}

TEST(SmoothedRate, IsThatOfTheLastSeconds) {
  SmoothedRate rate;
  rate.Begin(70);
  EXPECT_FALSE(rate.PerSecond());
  rate.Update(40, 70.4);
  EXPECT_FALSE(rate.PerSecond());
  rate.Update(100, 71);
  EXPECT_NEAR(rate.PerSecond().value(), 100, 0.001);
  uint64_t done = 100;
  for (int second = 72; second <= 120; ++second) {
    done += 10;
    rate.Update(done, second);
  }
  // The mean is 11.8.
  EXPECT_NEAR(rate.PerSecond().value(), 10, 0.1);
  rate.Begin(200);
  EXPECT_FALSE(rate.PerSecond());
}

TEST(RemainingTime, IsWhatIsLeftAtASteadyRate) {
  RemainingTime remaining({});
  remaining.BeginPhase(kCount, 10000, 50);
  Work(remaining, 0, 50, 54, 100);
  EXPECT_NEAR(remaining.InPhase().value(), 96, 0.001);
  EXPECT_FALSE(remaining.InAll());
}

TEST(RemainingTime, SaysNothingInTheFirstTwoSeconds) {
  RemainingTime remaining({});
  remaining.BeginPhase(kCount, 10000, 0);
  const uint64_t done = Work(remaining, 0, 0, 1.8, 100);
  EXPECT_FALSE(remaining.InPhase());
  Work(remaining, done, 1.8, 2, 100);
  EXPECT_TRUE(remaining.InPhase());
}

TEST(RemainingTime, SaysNothingWithoutATotalOrBeyondIt) {
  RemainingTime remaining({{kCount, 1}, {kPack, 1}});
  remaining.BeginPhase(kCount, 0, 0);
  Work(remaining, 0, 0, 10, 100);
  EXPECT_FALSE(remaining.InPhase());
  EXPECT_FALSE(remaining.InAll());
  remaining.BeginPhase(kCount, 500, 10);
  Work(remaining, 0, 10, 15, 100);
  EXPECT_FALSE(remaining.InPhase());
  remaining.Update(501, 16);
  EXPECT_FALSE(remaining.InPhase());
}

TEST(RemainingTime, FollowsTheRateOfTheLastSeconds) {
  RemainingTime remaining({});
  remaining.BeginPhase(kCount, 1000000, 0);
  const uint64_t fast = Work(remaining, 0, 0, 20, 1000);
  const uint64_t done = Work(remaining, fast, 20, 21, 100);
  // One slow second does not upset it, forty do.
  EXPECT_LT(remaining.InPhase().value(), 980000 / 800.0);
  Work(remaining, done, 21, 60, 100);
  EXPECT_NEAR(remaining.InPhase().value(), 976000 / 100.0, 1800);
}

TEST(RemainingTime, GrowsWhileNothingGetsDone) {
  RemainingTime remaining({});
  remaining.BeginPhase(kCount, 2000, 0);
  Work(remaining, 0, 0, 10, 100);
  const double before = remaining.InPhase().value();
  Work(remaining, 1000, 10, 15, 0);
  EXPECT_GT(remaining.InPhase().value(), before * 1.2);
}

TEST(RemainingTime, StartsAnewWithEachPhase) {
  RemainingTime remaining({});
  remaining.BeginPhase(kOther, 100000, 0);
  Work(remaining, 0, 0, 10, 10000);
  remaining.BeginPhase(kOther, 1000, 10);
  Work(remaining, 0, 10, 15, 100);
  EXPECT_NEAR(remaining.InPhase().value(), 5, 0.001);
}

TEST(RemainingTime, OfAllPhasesFollowsTheirShares) {
  // Takes as long as the shares say: 2 s, 6 s and 2 s.
  RemainingTime remaining({{kCount, 20}, {kPack, 60}, {kCheck, 20}});
  remaining.BeginPhase(kCount, 200, 0);
  Work(remaining, 0, 0, 2, 100);
  remaining.BeginPhase(kPack, 600, 2);
  Work(remaining, 0, 2, 5, 100);
  EXPECT_NEAR(remaining.InPhase().value(), 3, 0.001);
  EXPECT_NEAR(remaining.InAll().value(), 5, 0.001);
}

TEST(RemainingTime, OfAllPhasesScalesWithTheTimeSoFar) {
  // Twice as slow as the shares say, so the rest will be.
  RemainingTime remaining({{kCount, 2}, {kPack, 6}, {kCheck, 2}});
  remaining.BeginPhase(kCount, 100, 0);
  Work(remaining, 0, 0, 4, 20);
  remaining.BeginPhase(kPack, 600, 4);
  Work(remaining, 0, 4, 10, 50);
  EXPECT_NEAR(remaining.InAll().value(), 6 + 4, 0.001);
}

TEST(RemainingTime, OfAllPhasesIsNotGuessedFromASmallShare) {
  RemainingTime remaining({{kCount, 40}, {kPack, 50}, {kCheck, 10}});
  remaining.BeginPhase(kCount, 1000, 0);
  Work(remaining, 0, 0, 5, 100);
  EXPECT_TRUE(remaining.InPhase());
  EXPECT_FALSE(remaining.InAll());
}

TEST(RemainingTime, OfAllPhasesIsNotSaidOfTheLastOrAnUnknownOne) {
  RemainingTime remaining({{kPack, 90}, {kCheck, 10}});
  remaining.BeginPhase(kCheck, 1000, 0);
  Work(remaining, 0, 0, 5, 100);
  EXPECT_TRUE(remaining.InPhase());
  EXPECT_FALSE(remaining.InAll());
  remaining.BeginPhase(kOther, 1000, 5);
  Work(remaining, 0, 5, 10, 100);
  EXPECT_TRUE(remaining.InPhase());
  EXPECT_FALSE(remaining.InAll());
}

}  // namespace
}  // namespace zpack::cli
