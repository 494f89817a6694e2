// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/content_ring.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/repo_builder.h"

namespace zpack {
namespace {

class ContentRingTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kCapacity = 100000;

  void Insert(uint64_t key, size_t size) {
    contents_[key] = testing::RandomBytes(++seed_, size);
    ring_.Insert(key, AsBytes(contents_[key]));
  }
  // Whether it is there; when it is, it must be right.
  bool Finds(uint64_t key) {
    const auto found = ring_.Find(key);
    if (!found) return false;
    EXPECT_EQ(AsText(*found), contents_[key]) << "of " << key;
    return true;
  }

  uint64_t seed_ = 0;
  ContentRing ring_{kCapacity};
  std::map<uint64_t, std::string> contents_;
};

TEST_F(ContentRingTest, FindsWhatWasInsertedLast) {
  EXPECT_FALSE(Finds(0));
  Insert(0, 1000);
  EXPECT_TRUE(Finds(0));
  EXPECT_FALSE(Finds(1));
  Insert(1, 0);
  Insert(uint64_t{1} << 63, 7);
  EXPECT_TRUE(Finds(0));
  EXPECT_TRUE(Finds(1));
  EXPECT_TRUE(Finds(uint64_t{1} << 63));
}

TEST_F(ContentRingTest, GivesTheNewestContentOfAKey) {
  Insert(5, 1000);
  Insert(5, 2000);
  EXPECT_TRUE(Finds(5));
  Insert(5, 10);
  EXPECT_TRUE(Finds(5));
}

TEST_F(ContentRingTest, ForgetsTheOldest) {
  for (uint64_t key = 0; key < 100; ++key) Insert(key, 3000);
  EXPECT_TRUE(Finds(99));
  EXPECT_FALSE(Finds(0));
  EXPECT_FALSE(Finds(60));
}

TEST_F(ContentRingTest, KeepsWhatIsUsed) {
  Insert(1000, 3000);
  for (uint64_t key = 0; key < 200; ++key) {
    Insert(key, 2000);
    EXPECT_TRUE(Finds(1000)) << key;
  }
}

TEST_F(ContentRingTest, LeavesOutWhatIsTooLarge) {
  Insert(1, 1000);
  Insert(2, kCapacity / 2 + 1);
  EXPECT_FALSE(Finds(2));
  EXPECT_TRUE(Finds(1));
  Insert(3, kCapacity / 2);
  EXPECT_TRUE(Finds(3));
}

TEST_F(ContentRingTest, ForgetsWhatBecameTooLarge) {
  for (const uint64_t key : {0, 1}) {
    Insert(key, 10);
    Insert(key, kCapacity);
    EXPECT_FALSE(Finds(key));
    Insert(key, 20);
    EXPECT_TRUE(Finds(key));
    Insert(key, kCapacity);
    EXPECT_FALSE(Finds(key));
  }
}

TEST_F(ContentRingTest, MayHaveNoRoomAtAll) {
  ContentRing none(0);
  none.Insert(1, {});
  none.Insert(2, AsBytes("x"));
  EXPECT_FALSE(none.Find(1));
  EXPECT_FALSE(none.Find(2));
}

// Whatever is found is what was inserted, also where contents are copied to the
// front over themselves.
TEST_F(ContentRingTest, NeverGivesAnythingElse) {
  uint64_t found = 0;
  for (uint64_t i = 0; i < 20000; ++i) {
    const std::string random = testing::RandomBytes(i, 3);
    const uint64_t key = static_cast<uint8_t>(random[0]) % 50;
    const size_t size = static_cast<uint8_t>(random[1]) * size_t{200};
    if (random[2] % 2 == 0) {
      Insert(key, random[2] % 7 == 0 ? size : size / 20);
    } else if (Finds(key)) {
      ++found;
    }
  }
  EXPECT_GT(found, 1000U);
}

}  // namespace
}  // namespace zpack
