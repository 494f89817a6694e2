// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/expansion_meter.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/matchers.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsOk;

TEST(ExpansionMeter, ABlockThatIsReadAgainCountsOnce) {
  const format::Expansion half{.content = 50, .decoded = 60, .chains = 70};
  ExpansionMeter meter(2, {.content = 100, .decoded = 120, .chains = 140});
  for (int i = 0; i < 3; ++i) EXPECT_THAT(meter.Note(0, half), IsOk());
  EXPECT_EQ(meter.Of(0).content, 50U);
  EXPECT_EQ(meter.Of(0).decoded, 60U);
  EXPECT_EQ(meter.Of(0).chains, 70U);
  EXPECT_THAT(meter.Note(1, half), IsOk());
  EXPECT_THAT(meter.Note(1, half), IsOk());
}

TEST(ExpansionMeter, WhatWouldBeTooMuchIsNotRecorded) {
  const format::Expansion limit{.content = 10, .decoded = 10, .chains = 10};
  for (const format::Expansion& more :
       {format::Expansion{.content = 11, .decoded = 0, .chains = 0},
        format::Expansion{.content = 0, .decoded = 11, .chains = 0},
        format::Expansion{.content = 0, .decoded = 0, .chains = 11}}) {
    ExpansionMeter meter(1, limit);
    EXPECT_THAT(meter.Note(0, more), HasCode(ErrorCode::kLimitExceeded));
    EXPECT_EQ(meter.Of(0).content, 0U);
    EXPECT_EQ(meter.Of(0).decoded, 0U);
    EXPECT_EQ(meter.Of(0).chains, 0U);
    EXPECT_THAT(meter.Note(0, limit), IsOk());
  }
}

}  // namespace
}  // namespace zpack
