// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/tree_columns.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "support/deltas.h"

namespace zpack::format {
namespace {

using testing::Below;
using testing::Random;

constexpr uint32_t kMax = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kExpected = TreeChildren::kExpected;
constexpr uint32_t kOther = TreeChildren::kOther;
constexpr uint32_t kFirstKnown = TreeChildren::kFirstKnown;

TEST(TreeModes, HaveTheNumbersOfTheSpecification) {
  EXPECT_EQ(TreeModeNumber("100644"), 0);
  EXPECT_EQ(TreeModeNumber("100755"), 1);
  EXPECT_EQ(TreeModeNumber("40000"), 2);
  EXPECT_EQ(TreeModeNumber("120000"), 3);
  EXPECT_EQ(TreeModeNumber("160000"), 4);
}

TEST(TreeChildren, TakesAnyChildOfCodeOtherAsUnexpected) {
  // The third is where it is expected all the same, and the fourth, the first
  // of its name, is expected after it.
  TreeChildren children;
  EXPECT_EQ(children.Decode(0, {kOther, 5}, kMax), LinkNumber(5));
  EXPECT_EQ(children.Decode(1, {kOther, 14}, kMax), LinkNumber(20));
  EXPECT_EQ(children.Decode(0, {kOther, 0}, kMax), LinkNumber(6));
  EXPECT_EQ(children.Decode(2, {kExpected, 0}, kMax), LinkNumber(7));
}

TEST(TreeModes, AreNoOthers) {
  for (const char* const mode :
       {"", "0", "40755", "040000", "100664", "0100644", "100644 ", " 100644",
        "10064", "1006440"}) {
    EXPECT_EQ(TreeModeNumber(mode), std::nullopt) << mode;
  }
  EXPECT_EQ(TreeModeNumber(std::string_view("100644\0", 7)), std::nullopt);
}

// One code after the other, as both sides see them.
class TreeChildrenTest : public ::testing::Test {
 protected:
  void Expect(uint32_t name, uint32_t child, uint32_t code,
              int64_t difference = 0) {
    const auto encoded = writer_.Encode(name, LinkNumber(child));
    EXPECT_EQ(encoded.code, code) << name << ' ' << child;
    EXPECT_EQ(encoded.difference, difference) << name << ' ' << child;
    EXPECT_EQ(reader_.Decode(name, encoded, kMax), LinkNumber(child));
  }
  std::optional<uint32_t> Decode(uint32_t name, uint32_t code,
                                 int64_t difference, uint32_t limit) {
    const auto child =
        TreeChildren(reader_).Decode(name, {code, difference}, limit);
    return child ? std::optional(child->value()) : std::nullopt;
  }

  TreeChildren writer_;
  TreeChildren reader_;
};

TEST_F(TreeChildrenTest, ExpectsTheVersionsOfOneNameInARow) {
  Expect(1, 0, kExpected);
  Expect(1, 1, kExpected);
  Expect(1, 2, kExpected);
}

TEST_F(TreeChildrenTest, CountsFromTheOneThatWasSeenLast) {
  Expect(1, 0, kExpected);
  Expect(1, 1, kExpected);
  Expect(1, 0, kFirstKnown + 1);
  Expect(1, 0, kFirstKnown);
  Expect(1, 1, kFirstKnown + 1);
  Expect(1, 2, kExpected);
  Expect(1, 0, kFirstKnown + 2);
}

TEST_F(TreeChildrenTest, ExpectsTheFirstOfANameAfterTheLastUnexpectedOne) {
  Expect(1, 7, kOther, 7);
  Expect(2, 8, kExpected);
  Expect(3, 9, kExpected);
  Expect(1, 8, kExpected);  // which is known, but for another name
  Expect(4, 10, kExpected);
  Expect(1, 20, kOther, 11);
  Expect(5, 21, kExpected);
}

TEST_F(TreeChildrenTest, ExpectsWhatFollowsTheGreatestOfAName) {
  Expect(1, 100, kOther, 100);
  Expect(1, 5, kOther, -96);
  Expect(1, 101, kExpected);
  Expect(2, 6, kExpected);
}

TEST_F(TreeChildrenTest, ForgetsTheOldestChildOfAName) {
  for (uint32_t child = 0; child <= TreeChildren::kRemembered; ++child) {
    Expect(1, child, kExpected);
  }
  const uint32_t count = TreeChildren::kRemembered;
  Expect(1, 1, kFirstKnown + count - 1);
  Expect(1, 0, kOther, -int64_t{count} - 1);
  // It came in place of the oldest, which is 2 now.
  Expect(1, 2, kOther, 2 - int64_t{count} - 1);
}

TEST_F(TreeChildrenTest, BeginsAnewWhenCleared) {
  Expect(1, 7, kOther, 7);
  writer_.Clear();
  reader_.Clear();
  Expect(1, 7, kOther, 7);
  EXPECT_EQ(Decode(2, kFirstKnown, 0, kMax), std::nullopt);
}

TEST_F(TreeChildrenTest, TakesTheGreatestNumbersThereAre) {
  Expect(1, kMax - 1, kOther, int64_t{kMax} - 1);
  Expect(1, kMax - 1, kFirstKnown);
  Expect(1, 0, kOther, -int64_t{kMax});
  EXPECT_EQ(Decode(1, kExpected, 0, kMax), std::nullopt);
}

TEST_F(TreeChildrenTest, ComesBackAfterLongHistories) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    writer_.Clear();
    reader_.Clear();
    const size_t names = 1 + Below(random, seed % 2 == 0 ? 5 : 500);
    const auto limit = static_cast<uint32_t>(1 + Below(random, 5000));
    std::vector<uint32_t> next(names);
    for (int i = 0; i < 5000; ++i) {
      if (Below(random, 1000) == 0) {
        writer_.Clear();
        reader_.Clear();
      }
      const auto name = static_cast<uint32_t>(Below(random, names));
      uint32_t& latest = next[name];
      switch (Below(random, 4)) {
        case 0:
          latest = static_cast<uint32_t>(Below(random, limit));
          break;
        case 1:
          latest = latest > 3 ? latest - 3 : latest;
          break;
        default:
          latest = (latest + 1) % limit;
      }
      const auto code = writer_.Encode(name, LinkNumber(latest));
      if (code.code != kOther) {
        EXPECT_EQ(code.difference, 0);
      }
      ASSERT_LT(code.code, kFirstKnown + TreeChildren::kRemembered);
      ASSERT_EQ(reader_.Decode(name, code, limit), LinkNumber(latest)) << i;
    }
  }
}

TEST_F(TreeChildrenTest, RefusesPositionsThatAreNotTaken) {
  EXPECT_EQ(Decode(1, kFirstKnown, 0, kMax), std::nullopt);
  Expect(1, 4, kOther, 4);
  Expect(1, 5, kExpected);
  EXPECT_EQ(Decode(1, kFirstKnown + 1, 0, kMax), 4U);
  EXPECT_EQ(Decode(1, kFirstKnown + 2, 0, kMax), std::nullopt);
  EXPECT_EQ(Decode(1, kMax, 0, kMax), std::nullopt);
  EXPECT_EQ(Decode(2, kFirstKnown, 0, kMax), std::nullopt);
}

TEST_F(TreeChildrenTest, RefusesPositionsThatAreForgotten) {
  for (uint32_t child = 0; child < 200; ++child) Expect(1, child, kExpected);
  const uint32_t count = TreeChildren::kRemembered;
  EXPECT_EQ(Decode(1, kFirstKnown + count - 1, 0, kMax), 200 - count);
  EXPECT_EQ(Decode(1, kFirstKnown + count, 0, kMax), std::nullopt);
}

TEST_F(TreeChildrenTest, RefusesNewChildrenAtTheLimit) {
  Expect(1, 4, kOther, 4);
  EXPECT_EQ(Decode(1, kExpected, 0, 6), 5U);
  EXPECT_EQ(Decode(1, kExpected, 0, 5), std::nullopt);
  EXPECT_EQ(Decode(1, kOther, 3, 9), 8U);
  EXPECT_EQ(Decode(1, kOther, 3, 8), std::nullopt);
  EXPECT_EQ(Decode(1, kExpected, 0, 0), std::nullopt);
}

TEST_F(TreeChildrenTest, RefusesDifferencesThatWrap) {
  Expect(1, 4, kOther, 4);
  EXPECT_EQ(Decode(1, kOther, -5, kMax), 0U);
  for (const int64_t difference :
       {int64_t{-6}, -(int64_t{1} << 32), -(int64_t{1} << 32) - 5,
        (int64_t{1} << 32) - 5, int64_t{1} << 32, (int64_t{1} << 32) + 1,
        std::numeric_limits<int64_t>::min(),
        std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(Decode(1, kOther, difference, kMax), std::nullopt) << difference;
  }
}

}  // namespace
}  // namespace zpack::format
