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
  const Bytes size_stream = Varints(sizes);
  const Bytes base_stream = Varints(bases);
  return format::ParseBlockLayout(
      {size_stream, base_stream},
      {ObjectNumber(), static_cast<uint32_t>(sizes.size())}, limits);
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
      {streams[format::StreamKind::kSizes],
       streams[format::StreamKind::kBases]},
      {ObjectNumber(), builder.count()}, kLayoutLimits);
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
  EXPECT_THAT(
      format::ParseBlockLayout({two, none}, {ObjectNumber(), 2}, kLayoutLimits),
      IsOk());
  for (const uint32_t count :
       {0U, 1U, 3U, 4U, 5U, std::numeric_limits<uint32_t>::max()}) {
    EXPECT_THAT(format::ParseBlockLayout({two, none}, {ObjectNumber(), count},
                                         kLayoutLimits),
                HasCode(ErrorCode::kCorrupt))
        << count;
  }
  for (const Numbers& numbers : {Numbers{}, Numbers{0}, Numbers{0, 0, 0}}) {
    EXPECT_THAT(format::ParseBlockLayout({two, Varints(numbers)},
                                         {ObjectNumber(), 2}, kLayoutLimits),
                HasCode(ErrorCode::kCorrupt));
    EXPECT_THAT(format::ParseBlockLayout({Varints(numbers), none},
                                         {ObjectNumber(), 2}, kLayoutLimits),
                HasCode(ErrorCode::kCorrupt));
  }
}

TEST(BlockLayout, RefusesVarintsThatAreCutOrNotMinimal) {
  const Bytes good = Varints({1, 1});
  const Bytes none = Varints({0, 0});
  for (const Bytes& bad :
       {Bytes{1, 0x81}, Bytes{0x81, 0, 1}, Bytes{0x81, 0}, Bytes(12, 0xff)}) {
    EXPECT_THAT(format::ParseBlockLayout({bad, none}, {ObjectNumber(), 2},
                                         kLayoutLimits),
                HasCode(ErrorCode::kCorrupt));
    EXPECT_THAT(format::ParseBlockLayout({good, bad}, {ObjectNumber(), 2},
                                         kLayoutLimits),
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

Result<format::BlockLayout> ParseFar(
    const Numbers& sizes, const Numbers& bases, const Numbers& far,
    const format::BlockLimits& limits = kLayoutLimits) {
  const Bytes size_stream = Varints(sizes);
  const Bytes base_stream = Varints(bases);
  const Bytes far_stream = Varints(far);
  return format::ParseBlockLayout(
      {size_stream, base_stream, far_stream},
      {ObjectNumber(10), static_cast<uint32_t>(sizes.size())}, limits);
}

TEST(BlockLayout, HasBasesInEarlierBlocks) {
  const auto layout = ParseFar({ZigZag(1), ZigZag(-5), 7, ZigZag(0)},
                               {2, 2, 0, 3}, {10, 1000, 1, 50});
  ASSERT_THAT(layout, IsOk());
  // The first object is against the second far base, the second one against
  // the first, and the last one against the first object.
  EXPECT_EQ(layout->sizes, (Numbers{51, 995, 7, 51}));
  ASSERT_EQ(layout->far.size(), 2U);
  EXPECT_EQ(layout->far[0], (format::FarBase{ObjectNumber(0), 1000}));
  EXPECT_EQ(layout->far[1], (format::FarBase{ObjectNumber(9), 50}));
  EXPECT_EQ(layout->base(0), 5U);
  EXPECT_EQ(layout->base(1), 4U);
  EXPECT_EQ(layout->base(2), std::nullopt);
  EXPECT_EQ(layout->base(3), 0U);
  EXPECT_EQ(layout->base(4), std::nullopt);
  EXPECT_TRUE(layout->IsFar(4));
  EXPECT_FALSE(layout->IsFar(3));
  EXPECT_EQ(layout->size(5), 50U);
  EXPECT_EQ(layout->content, 51U + 995 + 7 + 51);
  EXPECT_EQ(layout->chains, (51U + 50) + (995 + 1000) + 7 + (51 + 51 + 50));
  EXPECT_EQ(layout->LastUses(), (std::vector<uint32_t>{3, 1, 2, 3, 1, 0}));
}

TEST(BlockLayout, RefusesBadBasesInEarlierBlocks) {
  const Numbers good = {1, 50};
  EXPECT_THAT(ParseFar({ZigZag(1)}, {1}, good), IsOk());
  // Not before the block, before the file, without a size, more than objects.
  for (const Numbers& far : {Numbers{0, 50}, Numbers{11, 50}, Numbers{1},
                             Numbers{1, 50, 2, 50}, Numbers{}}) {
    EXPECT_THAT(ParseFar({ZigZag(1)}, {1}, far), HasCode(ErrorCode::kCorrupt));
  }
  EXPECT_THAT(ParseFar({ZigZag(1)}, {2}, good), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(ParseFar({ZigZag(-51)}, {1}, good), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(ParseFar({ZigZag(0)}, {1}, {1, 1001}, {1000, kMax, kMax}),
              HasCode(ErrorCode::kLimitExceeded));
}

TEST(BlockLayout, BuilderWritesEachFarBaseOnce) {
  format::BlockStreams streams(format::BlockKind::kFarDeltas);
  format::BlockLayoutBuilder builder;
  const ObjectNumber first(10);
  const format::FarBase a{ObjectNumber(3), 100};
  const format::FarBase b{ObjectNumber(7), 200};
  const auto add = [&](uint64_t size, const auto&... base) {
    streams.Mark();
    builder.Add(size, base..., streams);
  };
  add(90, a, first);
  add(91, std::optional<uint32_t>(0));
  // Taken back, with the base that it brought.
  add(92, b, first);
  builder.Undo();
  streams.Rewind();
  add(93, a, first);
  add(94, b, first);
  EXPECT_EQ(builder.chains(), 190U + 281 + 193 + 294);
  const auto layout = format::ParseBlockLayout(
      {streams[format::StreamKind::kSizes], streams[format::StreamKind::kBases],
       streams[format::StreamKind::kFarBases]},
      {first, builder.count()}, kLayoutLimits);
  ASSERT_THAT(layout, IsOk());
  EXPECT_EQ(layout->sizes, (Numbers{90, 91, 93, 94}));
  EXPECT_EQ(layout->far, (std::vector<format::FarBase>{a, b}));
  EXPECT_EQ(layout->bases, (std::vector<uint32_t>{4, 0, 4, 5}));
  EXPECT_EQ(layout->chains, builder.chains());
}

}  // namespace
}  // namespace zpack
