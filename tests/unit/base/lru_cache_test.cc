// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/lru_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace zpack {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LruCacheTest : public ::testing::Test {
 protected:
  void Insert(int key, uint64_t bytes, uint32_t cost = 1) {
    cache_.Insert(key, std::make_shared<const int>(key), bytes, cost);
  }
  // Which of the keys 0 to 9 are there. Uses all of them, in this order.
  std::vector<int> Keys() {
    std::vector<int> keys;
    for (int key = 0; key < 10; ++key) {
      const auto value = cache_.Find(key);
      if (value == nullptr) continue;
      EXPECT_EQ(*value, key);
      keys.push_back(key);
    }
    return keys;
  }

  LruCache<int, int> cache_{100};
};

TEST_F(LruCacheTest, TheLeastRecentlyUsedIsDropped) {
  for (int key = 0; key < 4; ++key) Insert(key, 25);
  EXPECT_NE(cache_.Find(0), nullptr);
  Insert(4, 25);
  EXPECT_THAT(Keys(), ElementsAre(0, 2, 3, 4));
}

TEST_F(LruCacheTest, TheNewestIsKeptWhateverItsSize) {
  Insert(0, 50);
  Insert(1, 50, 9);
  Insert(2, 1000);
  EXPECT_THAT(Keys(), ElementsAre(2));
  Insert(3, 1);
  EXPECT_THAT(Keys(), ElementsAre(3));
}

TEST_F(LruCacheTest, AKeyHasOneValue) {
  Insert(0, 60, 1);
  Insert(0, 70, 2);
  Insert(1, 30);
  EXPECT_THAT(Keys(), ElementsAre(0, 1));
}

TEST_F(LruCacheTest, TwiceTheCostStaysTwiceAsLong) {
  Insert(0, 20, 2);
  // Four values of cost 1 are a turn: after it, the first of them are due.
  for (int key = 1; key < 5; ++key) Insert(key, 20);
  for (int key = 5; key < 9; ++key) Insert(key, 20);
  EXPECT_THAT(Keys(), ElementsAre(0, 5, 6, 7, 8));
  cache_ = LruCache<int, int>(100);
  Insert(0, 20, 2);
  for (int turn = 0; turn < 3; ++turn) {
    for (int key = 1; key < 6; ++key) Insert(key, 20);
  }
  EXPECT_THAT(Keys(), ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(LruCacheTest, NothingIsThereAtFirst) { EXPECT_THAT(Keys(), IsEmpty()); }

}  // namespace
}  // namespace zpack
