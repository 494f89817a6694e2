// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/object_waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zpack {
namespace {

using ::testing::ElementsAre;

class ObjectWaitsTest : public ::testing::Test {
 protected:
  // Of a file without blocks, in which nothing is proven.
  ObjectWaitsTest() { table_.rows.emplace_back(); }

  format::BlockTable table_;
  ProvenIds ids_{table_, nullptr, ObjectFormat::kSha1};
};

TEST_F(ObjectWaitsTest, AnObjectIsReadyOnceAllItsNumbersAreKnown) {
  ObjectWaits waits(ObjectNumber(0), 3, ids_);
  waits.Add(0, 100);
  waits.Add(2, 100);
  waits.Add(2, 101);
  waits.Begin();
  EXPECT_THAT(waits.Take(), ElementsAre(1));
  waits.Notify(100);
  EXPECT_THAT(waits.Take(), ElementsAre(0));
  EXPECT_TRUE(waits.is_waiting(2));
  waits.Notify(101);
  EXPECT_THAT(waits.Take(), ElementsAre(2));
  EXPECT_EQ(waits.left(), 0U);
}

TEST_F(ObjectWaitsTest, WhatIsLeftForALaterTimeStaysSo) {
  ObjectWaits waits(ObjectNumber(0), 2, ids_);
  waits.Add(0, 100);
  // More than it takes.
  for (uint32_t i = 0; i < (uint32_t{2} << 20); ++i) waits.Add(1, 200);
  waits.Add(0, 101);
  waits.Begin();
  EXPECT_FALSE(waits.is_waiting(0));
  waits.Notify(100);
  EXPECT_FALSE(waits.is_waiting(0));
  EXPECT_FALSE(waits.has_ready());
  EXPECT_EQ(waits.left(), 2U);
}

}  // namespace
}  // namespace zpack
