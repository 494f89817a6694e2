// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/block_layout.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "support/hostile_file.h"
#include "support/matchers.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsOk;
using testing::Varints;

using Numbers = std::vector<uint64_t>;

constexpr format::BlockLimits kLayoutLimits{uint64_t{1} << 40,
                                            uint64_t{1} << 50};
constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

Result<format::BlockLayout> Parse(
    const Numbers& sizes, const Numbers& bases,
    const format::BlockLimits& limits = kLayoutLimits) {
  return format::ParseBlockLayout(Varints(sizes), Varints(bases),
                                  static_cast<uint32_t>(sizes.size()), limits);
}

TEST(BlockLayout, AddsDifferencesToTheSizesOfBases) {
  const auto layout =
      Parse({100, ZigZag(-100), ZigZag(7), 5, ZigZag(0)}, {0, 1, 2, 0, 2});
  ASSERT_THAT(layout, IsOk());
  EXPECT_EQ(layout->sizes, (Numbers{100, 0, 107, 5, 107}));
  EXPECT_EQ(layout->bases, (std::vector<uint32_t>{0, 0, 0, 3, 2}));
  EXPECT_EQ(layout->base(0), std::nullopt);
  EXPECT_EQ(layout->base(1), 0U);
  EXPECT_EQ(layout->base(2), 0U);
  EXPECT_EQ(layout->base(3), std::nullopt);
  EXPECT_EQ(layout->base(4), 2U);
}

TEST(BlockLayout, ComesBackFromItsBuilder) {
  const std::vector<std::pair<uint64_t, std::optional<uint32_t>>> objects = {
      {100, {}}, {0, 0}, {107, 0}, {5, {}}, {107, 2}, {uint64_t{1} << 40, 4}};
  format::BlockStreams streams(format::BlockKind::kDeltas);
  format::BlockLayoutBuilder builder;
  // What is taken back, or belongs to an earlier block, leaves no trace.
  builder.Add(3, std::nullopt, streams);
  builder.Clear();
  streams.Clear();
  for (const auto& [size, base] : objects) {
    streams.Mark();
    builder.Add(1, base, streams);
    builder.Undo();
    streams.Rewind();
    builder.Add(size, base, streams);
  }
  ASSERT_EQ(builder.count(), objects.size());
  const auto layout = format::ParseBlockLayout(
      streams[format::StreamKind::kSizes], streams[format::StreamKind::kBases],
      builder.count(), kLayoutLimits);
  ASSERT_THAT(layout, IsOk());
  for (uint32_t i = 0; i < objects.size(); ++i) {
    EXPECT_EQ(layout->sizes[i], objects[i].first) << i;
    EXPECT_EQ(layout->base(i), objects[i].second) << i;
    EXPECT_EQ(builder.size(i), objects[i].first) << i;
  }
  EXPECT_EQ(builder.content(), layout->content);
  EXPECT_EQ(builder.chains(), layout->chains);
  EXPECT_EQ(builder.ReadCost(1000), 1000U) << "the smallest has no bytes";
}

TEST(BlockLayout, TellsWhenABaseIsNeededLast) {
  const auto layout =
      Parse({1, ZigZag(0), ZigZag(0), 5, ZigZag(0)}, {0, 1, 2, 0, 2});
  ASSERT_THAT(layout, IsOk());
  EXPECT_EQ(layout->LastUses(), (std::vector<uint32_t>{2, 1, 4, 3, 4}));
}

TEST(BlockLayout, MayBeOfNothing) {
  const auto layout = Parse({}, {}, format::BlockLimits{});
  ASSERT_THAT(layout, IsOk());
  EXPECT_TRUE(layout->sizes.empty());
  EXPECT_TRUE(layout->LastUses().empty());
}

TEST(BlockLayout, RefusesBasesBeforeTheStart) {
  for (const uint64_t distance :
       {uint64_t{2}, (uint64_t{1} << 32), (uint64_t{1} << 32) + 1, kMax}) {
    EXPECT_THAT(Parse({1, 2}, {0, distance}), HasCode(ErrorCode::kCorrupt));
  }
  EXPECT_THAT(Parse({1, 2}, {1, 0}), HasCode(ErrorCode::kCorrupt));
}

TEST(BlockLayout, RefusesNegativeAndOverflowingSizes) {
  for (const int64_t difference :
       {int64_t{-11}, std::numeric_limits<int64_t>::min(),
        std::numeric_limits<int64_t>::max()}) {
    EXPECT_THAT(Parse({10, ZigZag(difference)}, {0, 1}),
                HasCode(ErrorCode::kCorrupt))
        << difference;
  }
  EXPECT_THAT(Parse({10, ZigZag(-10)}, {0, 1}), IsOk());
}

TEST(BlockLayout, RefusesAnyOtherNumberOfSizesOrBases) {
  const Bytes two = Varints({300, 300});
  const Bytes none = Varints({0, 0});
  EXPECT_THAT(format::ParseBlockLayout(two, none, 2, kLayoutLimits), IsOk());
  for (const uint32_t count :
       {0U, 1U, 3U, 4U, 5U, std::numeric_limits<uint32_t>::max()}) {
    EXPECT_THAT(format::ParseBlockLayout(two, none, count, kLayoutLimits),
                HasCode(ErrorCode::kCorrupt))
        << count;
  }
  for (const Numbers& numbers : {Numbers{}, Numbers{0}, Numbers{0, 0, 0}}) {
    EXPECT_THAT(
        format::ParseBlockLayout(two, Varints(numbers), 2, kLayoutLimits),
        HasCode(ErrorCode::kCorrupt));
    EXPECT_THAT(
        format::ParseBlockLayout(Varints(numbers), none, 2, kLayoutLimits),
        HasCode(ErrorCode::kCorrupt));
  }
}

TEST(BlockLayout, RefusesVarintsThatAreCutOrNotMinimal) {
  const Bytes good = Varints({1, 1});
  const Bytes none = Varints({0, 0});
  for (const Bytes& bad :
       {Bytes{1, 0x81}, Bytes{0x81, 0, 1}, Bytes{0x81, 0}, Bytes(12, 0xff)}) {
    EXPECT_THAT(format::ParseBlockLayout(bad, none, 2, kLayoutLimits),
                HasCode(ErrorCode::kCorrupt));
    EXPECT_THAT(format::ParseBlockLayout(good, bad, 2, kLayoutLimits),
                HasCode(ErrorCode::kCorrupt));
  }
}

TEST(BlockLayout, RefusesObjectsAboveTheLimit) {
  const format::BlockLimits limits{100, 10'000};
  EXPECT_THAT(Parse({100, ZigZag(0)}, {0, 1}, limits), IsOk());
  EXPECT_THAT(Parse({101}, {0}, limits), HasCode(ErrorCode::kLimitExceeded));
  EXPECT_THAT(Parse({kMax}, {0}, limits), HasCode(ErrorCode::kLimitExceeded));
  EXPECT_THAT(Parse({100, ZigZag(1)}, {0, 1}, limits),
              HasCode(ErrorCode::kLimitExceeded));
}

TEST(BlockLayout, RefusesMoreContentThanTheLimit) {
  const format::BlockLimits limits{100, 300};
  EXPECT_THAT(Parse({100, 100, 100}, {0, 0, 0}, limits), IsOk());
  EXPECT_THAT(Parse({100, 100, 100, 0}, {0, 0, 0, 0}, limits), IsOk());
  EXPECT_THAT(Parse({100, 100, 100, 1}, {0, 0, 0, 0}, limits),
              HasCode(ErrorCode::kLimitExceeded));
  EXPECT_THAT(
      Parse({100, ZigZag(0), ZigZag(0), ZigZag(-99)}, {0, 1, 1, 1}, limits),
      HasCode(ErrorCode::kLimitExceeded));
}

TEST(BlockLayout, RefusesChainsThatNeedMoreThanAMultipleOfTheirEnd) {
  const format::BlockLimits limits{100, 1'000'000};
  EXPECT_EQ(limits.Chain(0), 100U);
  EXPECT_EQ(limits.Chain(10), 740U);
  // An object of 10 bytes, over and over: 74 of them.
  Numbers sizes = {10};
  Numbers bases = {0};
  while (sizes.size() < 74) {
    sizes.push_back(ZigZag(0));
    bases.push_back(1);
  }
  EXPECT_THAT(Parse(sizes, bases, limits), IsOk());
  sizes.push_back(ZigZag(0));
  bases.push_back(1);
  EXPECT_THAT(Parse(sizes, bases, limits), HasCode(ErrorCode::kLimitExceeded));
  // A chain that begins anew is another one.
  sizes.back() = 10;
  bases.back() = 0;
  EXPECT_THAT(Parse(sizes, bases, limits), IsOk());
  // Small ends of large bases cost too much.
  EXPECT_THAT(Parse({100, ZigZag(-99)}, {0, 1}, limits), IsOk());
  EXPECT_THAT(Parse({100, ZigZag(-100)}, {0, 1}, limits), IsOk());
  EXPECT_THAT(Parse({100, ZigZag(-60), ZigZag(-40)}, {0, 1, 1}, limits),
              HasCode(ErrorCode::kLimitExceeded));
}

TEST(BlockLayout, AddsUpWhatObjectsNeedWithTheirBases) {
  // Two whole ones, and one of 12 against one of 11 against the first.
  const auto layout = Parse({10, 5, ZigZag(1), ZigZag(1)}, {0, 0, 2, 1});
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->content, 10U + 5 + 11 + 12);
  EXPECT_EQ(layout->chains, 10U + 5 + 21 + 33);
  EXPECT_THAT(Parse({10, 5, ZigZag(1), ZigZag(1)}, {0, 0, 2, 1},
                    {100, 1000, layout->chains - 1}),
              HasCode(ErrorCode::kLimitExceeded));
}

}  // namespace
}  // namespace zpack
