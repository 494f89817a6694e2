// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/shared_text_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace zpack {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kLittle = 1000;
// So large that nothing else is compared with.
constexpr uint64_t kMoreThanCompared = 10'000'000;

// A set with the samples [first, first + count), in each list of `ranges`.
struct Range {
  uint32_t first;
  uint32_t count;
};

TextSet Set(const std::vector<Range>& ranges, uint64_t bytes = kLittle,
            uint32_t kind = 0) {
  TextSet set{{}, bytes, kind};
  for (const auto& [first, count] : ranges) {
    for (uint32_t i = 0; i < count; ++i) {
      // As different as the samples of texts are.
      set.samples.push_back((first + i) * 0x9e3779b1U);
    }
  }
  std::ranges::sort(set.samples);
  return set;
}

TEST(SharedTextOrderTest, WithoutCommonTextTheOrderStays) {
  EXPECT_THAT(OrderBySharedText({}), IsEmpty());
  EXPECT_THAT(
      OrderBySharedText({Set({}), Set({{0, 100}}), Set({}), Set({{200, 100}})}),
      ElementsAre(0, 1, 2, 3));
}

TEST(SharedTextOrderTest, WhatSharesMostIsNext) {
  EXPECT_THAT(OrderBySharedText({Set({{0, 100}}), Set({{1000, 100}}),
                                 Set({{90, 100}}), Set({{20, 100}})}),
              ElementsAre(0, 3, 2, 1));
}

TEST(SharedTextOrderTest, AllOfTheWindowIsCompared) {
  // The third set shares nothing with the second one.
  EXPECT_THAT(OrderBySharedText({Set({{0, 100}, {500, 100}}), Set({{900, 100}}),
                                 Set({{500, 100}}), Set({{0, 90}})}),
              ElementsAre(0, 2, 3, 1));
}

TEST(SharedTextOrderTest, WhatIsFarAwayIsNotCompared) {
  // The second one is so large that the first one is forgotten.
  EXPECT_THAT(OrderBySharedText({Set({{0, 100}, {300, 100}}),
                                 Set({{0, 100}}, kMoreThanCompared),
                                 Set({{2000, 100}}), Set({{300, 100}})}),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(
      OrderBySharedText({Set({{0, 100}, {300, 100}}), Set({{0, 100}}, kLittle),
                         Set({{2000, 100}}), Set({{300, 100}})}),
      ElementsAre(0, 1, 3, 2));
}

TEST(SharedTextOrderTest, LargePartCountsAndLittleTextDoesNot) {
  // All of the small set's 30 samples, or 40 of 1,000.
  EXPECT_THAT(
      OrderBySharedText({Set({{0, 100}}), Set({{60, 1000}}), Set({{0, 30}})}),
      ElementsAre(0, 2, 1));
  // One sample is chance, even if it is all.
  EXPECT_THAT(
      OrderBySharedText({Set({{0, 100}}), Set({{0, 1}}), Set({{60, 100}})}),
      ElementsAre(0, 2, 1));
}

TEST(SharedTextOrderTest, SameExtensionIsPreferred) {
  const auto order = [](uint32_t shared) {
    return OrderBySharedText(
        {Set({{0, 100}}), Set({{0, 40}, {200, 60}}),
         Set({{0, shared}, {400, 100 - shared}}, kLittle, 1)});
  };
  EXPECT_THAT(order(55), ElementsAre(0, 1, 2));
  EXPECT_THAT(order(65), ElementsAre(0, 2, 1));
}

TEST(SharedTextOrderTest, TextOfManySetsIsIgnored) {
  std::vector<TextSet> sets(310, Set({{0, 100}}));
  sets.push_back(Set({{500, 80}}));
  sets.insert(sets.begin() + 1, Set({{500, 100}}));
  sets.insert(sets.begin() + 1, Set({{0, 100}, {500, 95}}));
  std::vector<uint32_t> expected(sets.size());
  std::iota(expected.begin(), expected.end(), 0U);
  // The last set follows those with which it has text that few have.
  std::rotate(expected.begin() + 3, expected.end() - 1, expected.end());
  EXPECT_EQ(OrderBySharedText(sets), expected);
}

TEST(SharedTextOrderTest, EachSetOnceWhateverTheyShare) {
  std::minstd_rand random(1);
  for (const size_t count : {1, 2, 50, 20'000}) {
    std::vector<TextSet> sets;
    std::vector<uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0U);
    for (size_t i = 0; i < count; ++i) {
      sets.push_back(Set({{static_cast<uint32_t>(random() % count), 5}},
                         random() % 100'000, random() % 3));
    }
    std::vector<uint32_t> order = OrderBySharedText(sets);
    std::ranges::sort(order);
    EXPECT_EQ(order, all);
  }
}

}  // namespace
}  // namespace zpack
