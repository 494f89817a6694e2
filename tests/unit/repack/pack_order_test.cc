// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/pack_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "repack/delta_search.h"

namespace zpack {
namespace {

constexpr uint32_t kNone = PlannedEntry::kNoBase.value();
constexpr uint32_t kUnmet = ObjectList::kUnmet.value();

struct Object {
  ObjectType type;
  uint32_t visit;
};

// Ids count up, so that ranks are positions in `objects`.
ObjectList List(const std::vector<Object>& objects) {
  ObjectList list;
  Bytes ids;
  for (uint32_t rank = 0; rank < objects.size(); ++rank) {
    Bytes id(20, 0);
    id[18] = static_cast<uint8_t>(rank >> 8);
    id[19] = static_cast<uint8_t>(rank);
    Append(ids, id);
    list.types.push_back(objects[rank].type);
    list.visits.push_back(VisitNumber(objects[rank].visit));
    list.sizes.Append(1);
    list.paths.push_back(PathTable::kRoot);
  }
  list.ids = *ObjectIdTable::FromSorted(ObjectFormat::kSha1, std::move(ids));
  return list;
}

using Order = std::vector<uint32_t>;

// PackOrder in integers.
Order OrderOf(const ObjectList& list, const Order& bases, PackLayout layout) {
  IndexedVector<ListRank, ListRank> ranks;
  for (const uint32_t base : bases) ranks.push_back(ListRank(base));
  Order order;
  for (const ListRank rank : PackOrder(list, ranks, layout)) {
    order.push_back(rank.value());
  }
  return order;
}

TEST(PackOrderTest, NothingHasNoOrder) {
  EXPECT_EQ(OrderOf(List({}), {}, PackLayout::kBlobFamilies), Order{});
}

TEST(PackOrderTest, TypesComeOneAfterTheOther) {
  EXPECT_EQ(OrderOf(List({{ObjectType::kBlob, 0},
                          {ObjectType::kTree, 1},
                          {ObjectType::kTag, 2},
                          {ObjectType::kCommit, 3}}),
                    {kNone, kNone, kNone, kNone}, PackLayout::kBlobFamilies),
            (Order{3, 2, 1, 0}));
}

TEST(PackOrderTest, RecentObjectsComeFirstAndUnreachableOnesLast) {
  EXPECT_EQ(OrderOf(List({{ObjectType::kBlob, kUnmet},
                          {ObjectType::kBlob, 7},
                          {ObjectType::kBlob, kUnmet},
                          {ObjectType::kBlob, 3}}),
                    {kNone, kNone, kNone, kNone}, PackLayout::kBlobFamilies),
            (Order{3, 1, 0, 2}));
}

TEST(PackOrderTest, BasesComeBeforeWhatNeedsThem) {
  // 0 needs 1, which needs 2; 3 needs 1, too.
  EXPECT_EQ(OrderOf(List({{ObjectType::kBlob, 0},
                          {ObjectType::kBlob, 2},
                          {ObjectType::kBlob, 3},
                          {ObjectType::kBlob, 1}}),
                    {1, 2, kNone, 1}, PackLayout::kBlobFamilies),
            (Order{2, 1, 0, 3}));
}

// 1 and 4 hang on 3, 5 on 4; 2 hangs on 0.
Order OrderOfFamilies(ObjectType type, PackLayout layout) {
  std::vector<Object> objects;
  for (uint32_t visit = 0; visit < 6; ++visit) objects.push_back({type, visit});
  return OrderOf(List(objects), {kNone, 3, 0, kNone, 3, 4}, layout);
}

TEST(PackOrderTest, BlobsOfAFamilyLieTogether) {
  const Order families = {0, 2, 3, 1, 4, 5};
  EXPECT_EQ(OrderOfFamilies(ObjectType::kBlob, PackLayout::kBlobFamilies),
            families);
  EXPECT_EQ(OrderOfFamilies(ObjectType::kBlob, PackLayout::kAllFamilies),
            families);
}

TEST(PackOrderTest, TreesComeByRecencyUnlessPacksAreLimited) {
  EXPECT_EQ(OrderOfFamilies(ObjectType::kTree, PackLayout::kBlobFamilies),
            (Order{0, 3, 1, 2, 4, 5}));
  EXPECT_EQ(OrderOfFamilies(ObjectType::kTree, PackLayout::kAllFamilies),
            (Order{0, 2, 3, 1, 4, 5}));
}

TEST(PackOrderTest, CommitsOfAFamilyComeByRecency) {
  EXPECT_EQ(OrderOf(List({{ObjectType::kCommit, 0},
                          {ObjectType::kCommit, 1},
                          {ObjectType::kCommit, 2}}),
                    {kNone, kNone, 0}, PackLayout::kAllFamilies),
            (Order{0, 1, 2}));
}

TEST(PackOrderTest, LongChainsDoNotRecurse) {
  constexpr uint32_t kCount = 60000;
  std::vector<Object> objects;
  std::vector<uint32_t> bases;
  Order expected;
  for (uint32_t i = 0; i < kCount; ++i) {
    objects.push_back({ObjectType::kBlob, i});
    bases.push_back(i + 1 < kCount ? i + 1 : kNone);
    expected.push_back(kCount - 1 - i);
  }
  for (const auto layout :
       {PackLayout::kBlobFamilies, PackLayout::kAllFamilies}) {
    EXPECT_EQ(OrderOf(List(objects), bases, layout), expected);
  }
}

TEST(PackOrderTest, AnyForestIsAPermutationWithBasesFirst) {
  constexpr uint32_t kSeed = 11;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 200; ++round) {
    const auto count = static_cast<uint32_t>(1 + random() % 60);
    std::vector<Object> objects;
    for (uint32_t i = 0; i < count; ++i) {
      objects.push_back({kAllObjectTypes[random() % 4],
                         static_cast<uint32_t>(random() % 20)});
    }
    // Bases come before their objects in a random sequence.
    Order sequence(count);
    for (uint32_t i = 0; i < count; ++i) sequence[i] = i;
    std::ranges::shuffle(sequence, random);
    std::vector<uint32_t> bases(count, kNone);
    for (uint32_t i = 1; i < count; ++i) {
      if (random() % 3 != 0) bases[sequence[i]] = sequence[random() % i];
    }
    const Order order = OrderOf(
        List(objects), bases,
        round % 2 == 0 ? PackLayout::kBlobFamilies : PackLayout::kAllFamilies);
    std::vector<uint32_t> place(count, kNone);
    for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    ASSERT_EQ(order.size(), count);
    for (uint32_t rank = 0; rank < count; ++rank) {
      ASSERT_NE(place[rank], kNone);
      if (bases[rank] != kNone) {
        ASSERT_LT(place[bases[rank]], place[rank]);
      }
    }
  }
}

}  // namespace
}  // namespace zpack
