// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/begin_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace zpack {
namespace {

using format::BlockKind;
using ::testing::ElementsAre;

PlannedStretch Stretch(BlockKind kind, uint64_t raw_size, uint32_t count) {
  PlannedStretch stretch;
  stretch.kind = kind;
  stretch.raw_size = raw_size;
  stretch.count = count;
  return stretch;
}

PlannedStretch Deltas(uint64_t raw_size) {
  return Stretch(BlockKind::kDeltas, raw_size, 1000);
}

TEST(BeginOrder, WithoutAWindowItIsThatOfTheFile) {
  const std::vector<PlannedStretch> stretches = {Deltas(1), Deltas(3),
                                                 Deltas(2)};
  EXPECT_THAT(BeginOrder(stretches, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(BeginOrder({}, 4), ElementsAre());
}

TEST(BeginOrder, TheLongestOfTheWindowComeFirst) {
  const std::vector<PlannedStretch> stretches = {
      Deltas(100), Deltas(10), Deltas(20), Deltas(20), Deltas(90)};
  EXPECT_THAT(BeginOrder(stretches, 3), ElementsAre(0, 1, 4, 2, 3));
  EXPECT_THAT(BeginOrder(stretches, 100), ElementsAre(0, 4, 1, 2, 3));
  EXPECT_THAT(BeginOrder(std::vector{Deltas(10), Deltas(10), Deltas(10),
                                     Deltas(50), Deltas(60), Deltas(10)},
                         6),
              ElementsAre(4, 3, 0, 1, 2, 5));
}

TEST(BeginOrder, ThoseOfAboutTheSameWorkStayInOrder) {
  EXPECT_THAT(
      BeginOrder(std::vector{Deltas(10), Deltas(12), Deltas(9), Deltas(13)}, 4),
      ElementsAre(0, 1, 2, 3));
}

TEST(BeginOrder, LargeVersionsTakeLongerThanManySmallOnes) {
  constexpr uint64_t kRaw = uint64_t{100} << 20;
  const std::vector<PlannedStretch> stretches = {
      Stretch(BlockKind::kTrees, kRaw, 5000),
      Stretch(BlockKind::kDeltas, kRaw, 5000),
      Stretch(BlockKind::kDeltas, kRaw, 200),
      Stretch(BlockKind::kCommits, kRaw / 2, 100000)};
  EXPECT_THAT(BeginOrder(stretches, 4), ElementsAre(2, 0, 1, 3));
}

// They are read from one stream.
TEST(BeginOrder, SegmentsStayWhereTheyAre) {
  const auto segment = Stretch(BlockKind::kSegment, 5000, 1);
  const std::vector<PlannedStretch> stretches = {
      Deltas(1), segment, segment, Deltas(2), segment, Deltas(30)};
  EXPECT_THAT(BeginOrder(stretches, 6), ElementsAre(5, 1, 2, 0, 4, 3));
}

}  // namespace
}  // namespace zpack
