// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/last_trees.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <unordered_map>

namespace zpack {
namespace {

Bytes Content(size_t size, uint8_t byte) { return Bytes(size, byte); }

TEST(LastTreesTest, GivesTheLastOfEachPath) {
  LastTrees trees(1000);
  EXPECT_TRUE(trees.Find(PathNumber(1)).empty());
  trees.Insert(PathNumber(1), Content(10, 'a'));
  trees.Insert(PathNumber(2), Content(20, 'b'));
  trees.Insert(PathNumber(1), Content(15, 'c'));
  EXPECT_EQ(
      Bytes(trees.Find(PathNumber(1)).begin(), trees.Find(PathNumber(1)).end()),
      Content(15, 'c'));
  EXPECT_EQ(
      Bytes(trees.Find(PathNumber(2)).begin(), trees.Find(PathNumber(2)).end()),
      Content(20, 'b'));
}

TEST(LastTreesTest, ForgetsWhatWasNotUsedForLong) {
  LastTrees trees(1000);
  trees.Insert(PathNumber(0), Content(10, 'a'));
  for (uint32_t path = 1; path < 100; ++path) {
    trees.Insert(PathNumber(path), Content(30, 'b'));
    trees.Insert(PathNumber(1000), Content(10, static_cast<uint8_t>(path)));
    ASSERT_EQ(trees.Find(PathNumber(1000)).front(), path);
  }
  EXPECT_TRUE(trees.Find(PathNumber(0)).empty());
  EXPECT_FALSE(trees.Find(PathNumber(99)).empty());
}

TEST(LastTreesTest, DoesNotKeepWhatIsTooLargeNorWhatItReplaces) {
  LastTrees trees(1000);
  trees.Insert(PathNumber(1), Content(10, 'a'));
  trees.Insert(PathNumber(2), Content(10, 'b'));
  trees.Insert(PathNumber(1), Content(501, 'c'));
  EXPECT_TRUE(trees.Find(PathNumber(1)).empty());
  EXPECT_FALSE(trees.Find(PathNumber(2)).empty());
}

// Whatever is found is what was inserted last.
TEST(LastTreesTest, NeverGivesAnOlderOne) {
  std::mt19937 random(1);
  LastTrees trees(5000);
  std::unordered_map<uint32_t, Bytes> last;
  int found = 0;
  for (int i = 0; i < 20000; ++i) {
    const uint32_t path = random() % 60;
    const ByteView known = trees.Find(PathNumber(path));
    if (!known.empty()) {
      ++found;
      ASSERT_EQ(Bytes(known.begin(), known.end()), last[path]);
    }
    last[path] = Content(1 + random() % (random() % 50 == 0 ? 3000 : 200),
                         static_cast<uint8_t>(random()));
    trees.Insert(PathNumber(path), last[path]);
  }
  EXPECT_GT(found, 5000);
}

}  // namespace
}  // namespace zpack
