// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/group_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace zpack {
namespace {

TEST(SortByGroup, SortsByGroupAndThenInside) {
  for (const uint32_t count : {0U, 1U, 2U, 1000U}) {
    for (const size_t groups : {1, 2, 7, 5000}) {
      std::mt19937 random(count);
      std::vector<std::pair<size_t, uint32_t>> expected(count);
      for (auto& [group, value] : expected) {
        group = random() % groups;
        value = random() % 100;
      }
      const auto given = expected;
      const auto sorted = SortByGroup(
          count, groups, [&](uint32_t i) { return given[i].first; },
          [&](uint32_t i) { return given[i]; });
      std::ranges::sort(expected);
      EXPECT_EQ(sorted, expected) << count << " in " << groups;
    }
  }
}

TEST(SortByGroup, UsesTheGivenOrderInsideOfGroups) {
  const auto sorted = SortByGroup(
      6, 2, [](uint32_t i) { return i % 2; }, [](uint32_t i) { return i; },
      std::greater<>());
  EXPECT_EQ(sorted, (std::vector<uint32_t>{4, 2, 0, 5, 3, 1}));
}

}  // namespace
}  // namespace zpack
