// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/listed_sizes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace zpack {
namespace {

constexpr uint64_t kEdge = 0xffffffff;

TEST(ListedSizesTest, AnySizeIsKept) {
  const std::vector<uint64_t> all = {0,         1,          kEdge - 1, kEdge,
                                     kEdge + 1, UINT64_MAX, 7};
  ListedSizes sizes;
  for (const uint64_t size : all) sizes.Append(size);
  for (uint32_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(sizes[ListRank(i)], all[i]) << i;
  }
  const ListedSizes moved = std::move(sizes);
  for (uint32_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(moved[ListRank(i)], all[i]) << i;
  }
}

TEST(ListedSizesTest, TheLastSizeCounts) {
  ListedSizes sizes;
  sizes.Fill(2);
  EXPECT_EQ(sizes[ListRank(1)], 0U);
  for (const uint64_t size : {kEdge + 5, uint64_t{3}, kEdge, uint64_t{0}}) {
    sizes.Set(ListRank(1), size);
    EXPECT_EQ(sizes[ListRank(1)], size);
    EXPECT_EQ(sizes[ListRank(0)], 0U);
  }
}

TEST(ListedSizesTest, ThreadsSetSizesOfDifferentObjects) {
  constexpr uint32_t kEach = 1000;
  ListedSizes sizes;
  sizes.Fill(4 * kEach);
  std::vector<std::jthread> threads;
  for (uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&sizes, thread] {
      for (uint32_t i = thread; i < 4 * kEach; i += 4) {
        sizes.Set(ListRank(i), kEdge * (i % 3));
        EXPECT_EQ(sizes[ListRank(i)], kEdge * (i % 3));
      }
    });
  }
  threads.clear();
  for (uint32_t i = 0; i < 4 * kEach; ++i) {
    EXPECT_EQ(sizes[ListRank(i)], kEdge * (i % 3));
  }
}

}  // namespace
}  // namespace zpack
