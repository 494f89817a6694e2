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

// Git multiplies numbers of 32 bits and refuses what would overflow.
TEST(PackGeometryTest, LargeProductsAreRefused) {
  using Refused = std::unexpected<TooLargePack>;
  constexpr int32_t kFactor = std::numeric_limits<int32_t>::max();
  constexpr std::string_view kProgression = "consider in geometric progression";
  EXPECT_EQ(FindSplit(Counts{2, 0xfffffffe}, kFactor), 0U);
  EXPECT_EQ(FindSplit(Counts{1, 1, 5}, kFactor), 3U);
  EXPECT_EQ(FindSplit(Counts{3, 9}, kFactor),
            Refused(TooLargePack{0, kProgression}));
  EXPECT_EQ(FindSplit(Counts{1, 3, 9}, kFactor),
            Refused(TooLargePack{1, kProgression}));
  EXPECT_EQ(FindSplit(Counts{2, 2, 0xffffffff}, kFactor),
            Refused(TooLargePack{2, "roll up"}));
}

TEST(PackGeometryTest, NegativeFactorsAreTooLargeForTwoPacks) {
  EXPECT_EQ(FindSplit(Counts{}, -1), 0U);
  EXPECT_EQ(FindSplit(Counts{7}, -1), 0U);
  EXPECT_EQ(
      FindSplit(Counts{1, 7}, -1),
      std::unexpected(TooLargePack{0, "consider in geometric progression"}));
}

}  // namespace
}  // namespace zpack
