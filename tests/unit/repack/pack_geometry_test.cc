// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/pack_geometry.h"

#include <gtest/gtest.h>

#include <limits>

namespace zpack {
namespace {

using Counts = std::vector<uint64_t>;

TEST(PackGeometryTest, ProgressionStays) {
  EXPECT_EQ(FindSplit(Counts{}, 2), 0U);
  EXPECT_EQ(FindSplit(Counts{7}, 2), 0U);
  EXPECT_EQ(FindSplit(Counts{3, 6, 12}, 2), 0U);
  EXPECT_EQ(FindSplit(Counts{3, 6, 12}, 1), 0U);
}

TEST(PackGeometryTest, PacksBelowAGapAreRolledUp) {
  EXPECT_EQ(FindSplit(Counts{3, 3, 12, 24}, 2), 2U);
  EXPECT_EQ(FindSplit(Counts{3, 6, 12}, 3), 3U);
  EXPECT_EQ(FindSplit(Counts{1, 2, 3, 100}, 2), 3U);
}

// The new pack of 6 objects is too large for the pack of 7.
TEST(PackGeometryTest, NewPackTakesLargerOnesWithIt) {
  EXPECT_EQ(FindSplit(Counts{3, 3, 7, 27}, 2), 3U);
  EXPECT_EQ(FindSplit(Counts{3, 3, 7, 20}, 2), 4U);
}

TEST(PackGeometryTest, LargestFactorDoesNotOverflow) {
  constexpr uint64_t kFactor = std::numeric_limits<int32_t>::max();
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  EXPECT_EQ(FindSplit(Counts{kMost, kMost, kMost}, kFactor), 3U);
}

}  // namespace
}  // namespace zpack
