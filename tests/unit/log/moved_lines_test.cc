// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/moved_lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace zpack::log {
namespace {

TEST(NothingMovedTest, KnowsLinesThatStay) {
  EXPECT_TRUE(NothingMoved("", ""));
  EXPECT_TRUE(NothingMoved("a\nb\n", "a\nb\n"));
  EXPECT_TRUE(NothingMoved("", "a\nb\n"));
  EXPECT_TRUE(NothingMoved("a\nb\nc\n", "a\nc\n"));
  EXPECT_TRUE(NothingMoved("a\nb\nc\n", "x\na\nb\ny\nz\nc\n"));
  EXPECT_TRUE(NothingMoved("a\n}\nb\n}\n", "a\n}\nx\n}\nb\n}\n"));
}

TEST(NothingMovedTest, KnowsLinesThatMoved) {
  EXPECT_FALSE(NothingMoved("a\nb\n", "b\na\n"));
  EXPECT_FALSE(NothingMoved("a\nb\nc\n", "c\nx\na\nb\n"));
}

TEST(NothingMovedTest, TakesALineWithoutLineFeedForAnother) {
  EXPECT_TRUE(NothingMoved("a\nb", "a\nb\n"));
}

TEST(NothingMovedTest, GivesUpAtChangesThatAreClose) {
  std::string shared;
  for (int i = 0; i < 300; ++i) shared += "shared" + std::to_string(i) + "\n";
  const std::string few = "1\n2\n3\n4\n5\n6\n";
  EXPECT_TRUE(NothingMoved(shared, few + shared));
  EXPECT_FALSE(NothingMoved(shared, few + "7\n" + shared));
  // The others are far away.
  EXPECT_TRUE(NothingMoved(shared, few + shared + "7\n8\n"));
}

TEST(NothingMovedTest, GivesUpAtManyChanges) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += std::to_string(i) + "\n";
  EXPECT_FALSE(NothingMoved("", many));
  EXPECT_TRUE(NothingMoved(many, many + "x\n"));
}

// The most lines that two texts share in their order.
size_t SharedInOrder(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> best(a.size() + 1,
                                        std::vector<size_t>(b.size() + 1));
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      best[i][j] = a[i - 1] == b[j - 1]
                       ? best[i - 1][j - 1] + 1
                       : std::max(best[i - 1][j], best[i][j - 1]);
    }
  }
  return best[a.size()][b.size()];
}

// Of texts whose lines are letters: whether all that both have is shared in
// order.
bool ExpectedOf(const std::string& a, const std::string& b) {
  std::map<char, std::pair<size_t, size_t>> counts;
  for (const char c : a) ++counts[c].first;
  for (const char c : b) ++counts[c].second;
  size_t both = 0;
  for (const auto& [c, count] : counts) {
    both += std::min(count.first, count.second);
  }
  return SharedInOrder(a, b) == both;
}

std::string AsLines(const std::string& letters) {
  std::string text;
  for (const char c : letters) text += std::string(1, c) + "\n";
  return text;
}

TEST(NothingMovedTest, AgreesWithTheLongestCommonSubsequence) {
  std::mt19937 random(7);
  const auto below = [&](size_t end) {
    return std::uniform_int_distribution<size_t>(0, end - 1)(random);
  };
  size_t moved = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string a(below(9), 'a');
    for (char& c : a) c = static_cast<char>('a' + below(6));
    std::string b = a;
    for (size_t edits = below(4); edits > 0; --edits) {
      if (!b.empty() && below(2) == 0) b.erase(below(b.size()), 1);
      b.insert(below(b.size() + 1), 1, static_cast<char>('a' + below(6)));
    }
    const bool expected = ExpectedOf(a, b);
    moved += expected ? 0 : 1;
    EXPECT_EQ(NothingMoved(AsLines(a), AsLines(b)), expected) << a << " " << b;
  }
  EXPECT_GT(moved, 100);
}

}  // namespace
}  // namespace zpack::log
