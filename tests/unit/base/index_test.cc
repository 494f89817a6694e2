// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/index.h"

#include <gtest/gtest.h>

#include <concepts>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/index_spaces.h"

namespace zpack {
namespace {

template <typename A, typename B>
concept Comparable = requires(A a, B b) {
  a == b;
  a < b;
};
template <typename A, typename B>
concept Addable = requires(A a, B b) { a + b; };
template <typename Vector, typename I>
concept IndexedBy = requires(Vector vector, I index) { vector[index]; };

// What one space means is nothing to another one, nor to integers.
static_assert(!std::is_constructible_v<FileRank, ListRank>);
static_assert(!std::is_assignable_v<FileRank&, ListRank>);
static_assert(!std::is_convertible_v<uint32_t, FileRank>);
static_assert(!std::is_convertible_v<FileRank, uint32_t>);
static_assert(Comparable<FileRank, FileRank>);
static_assert(!Comparable<FileRank, ListRank>);
static_assert(!Comparable<FileRank, uint32_t>);
static_assert(Addable<FileRank, uint32_t>);
static_assert(!Addable<FileRank, FileRank>);
static_assert(std::is_same_v<decltype(FileRank() - FileRank()), uint32_t>);

using Marks = IndexedVector<FileRank, bool>;
static_assert(IndexedBy<Marks, FileRank>);
static_assert(!IndexedBy<Marks, ListRank>);
static_assert(!IndexedBy<Marks, uint32_t>);
static_assert(!std::is_convertible_v<Marks&, std::vector<bool>&>);
static_assert(!std::is_convertible_v<Marks, IndexedVector<ListRank, bool>>);

// An index costs what its integer does.
static_assert(sizeof(FileRank) == sizeof(uint32_t));
static_assert(std::is_trivially_copyable_v<FileRank>);
static_assert(std::has_unique_object_representations_v<FileRank>);

TEST(Index, CountsUpAndDown) {
  PathNumber path(5);
  EXPECT_EQ((path++).value(), 5U);
  EXPECT_EQ((++path).value(), 7U);
  EXPECT_EQ((path--).value(), 7U);
  EXPECT_EQ((--path).value(), 5U);
  EXPECT_EQ(path + 3, PathNumber(8));
  EXPECT_EQ(path - 3, PathNumber(2));
  EXPECT_EQ(PathNumber(8) - path, 3U);
  EXPECT_LT(path, PathNumber(6));
}

TEST(Index, HashesLikeItsInteger) {
  EXPECT_EQ(std::hash<ListRank>()(ListRank(77)), std::hash<uint32_t>()(77));
  const std::unordered_set<ListRank> ranks = {ListRank(1), ListRank(2)};
  EXPECT_TRUE(ranks.contains(ListRank(2)));
  EXPECT_FALSE(ranks.contains(ListRank(3)));
}

TEST(IndexRange, GivesEachIndexOnce) {
  std::vector<uint32_t> values;
  for (const ListRank rank : IndexRange(ListRank(3), ListRank(6))) {
    values.push_back(rank.value());
  }
  EXPECT_EQ(values, (std::vector<uint32_t>{3, 4, 5}));
  uint32_t sum = 0;
  for (const uint32_t i : IndexRange<uint32_t>(4)) sum += i;
  EXPECT_EQ(sum, 6U);
  for (const ListRank rank : IndexRange<ListRank>(0)) {
    ADD_FAILURE() << rank.value();
  }
}

TEST(IndexedVector, LooksUpByIndex) {
  IndexedVector<ListRank, uint64_t> sizes(2, 9);
  sizes[ListRank(1)] = 4;
  EXPECT_EQ(sizes.end_index(), ListRank(2));
  sizes.push_back(5);
  EXPECT_EQ(sizes.raw(), (std::vector<uint64_t>{9, 4, 5}));
  const auto same = sizes;
  EXPECT_EQ(same, sizes);
  uint64_t sum = 0;
  for (const ListRank rank : same.indexes()) sum += same[rank];
  EXPECT_EQ(sum, 18U);
}

}  // namespace
}  // namespace zpack
