// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/expiry_date.h"

#include <gtest/gtest.h>

#include "support/time_zone.h"

namespace zpack::cli {
namespace {

// Git takes such a day for one with the present time of day.
TEST(ParseExpiryDate, ADayAloneIsNeverLaterThanInGit) {
  const testing::TimeZone zone(testing::kNewYork);
  constexpr int64_t kWinterMidnight = 1768453200;  // 2026-01-15 00:00 -0500
  constexpr int64_t kSummerMidnight = 1784088000;  // 2026-07-15 00:00 -0400
  EXPECT_EQ(ParseExpiryDate("2024-07-01", kWinterMidnight), 1719810000);
  EXPECT_EQ(ParseExpiryDate("2024-01-10", kSummerMidnight), 1704859200);
  for (const int64_t now : {kWinterMidnight, kSummerMidnight}) {
    EXPECT_EQ(ParseExpiryDate("2024-07-01 00:00:00", now), 1719806400);
  }
}

}  // namespace
}  // namespace zpack::cli
