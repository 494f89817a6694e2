// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

// Objects out of decoded blocks.

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "reader/block_decoder.h"
#include "support/delta_blocks.h"
#include "support/deltas.h"
#include "support/matchers.h"
#include "support/no_limit.h"

namespace zpack {
namespace {

using testing::AddPlanned;
using testing::DecodedFrom;
using testing::HasCode;
using testing::History;
using testing::IsError;
using testing::IsOk;
using testing::kNoLimit;
using testing::RandomHistory;
using testing::ToBytes;

// Rebuilds everything in both ways, which must agree.
std::vector<Bytes> Contents(const DecodedBlock& block) {
  std::vector<Bytes> contents;
  EXPECT_THAT(block.ForEachObject(kNoLimit.object_size,
                                  [&](size_t index, ByteView content) {
                                    EXPECT_EQ(index, contents.size());
                                    contents.emplace_back(content.begin(),
                                                          content.end());
                                    return Status();
                                  }),
              IsOk());
  EXPECT_EQ(contents.size(), block.objects.sizes.size());
  Bytes buffer;
  // Backwards, so that the buffer holds something else each time.
  for (size_t index = contents.size(); index-- > 0;) {
    const ByteView content = *block.Object(index, buffer);
    EXPECT_TRUE(std::ranges::equal(content, contents[index])) << index;
    EXPECT_EQ(content.size(), block.objects.sizes[index]);
  }
  return contents;
}

TEST(DecodedBlock, GivesTheObjectsOfABlockOfDeltas) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const History history = RandomHistory(seed, 40);
    auto deltas = format::DeltaBlock::Parse(
        history.builder.streams(),
        {ObjectNumber(), history.builder.layout().count()}, kNoLimit);
    ASSERT_THAT(deltas, IsOk());
    const DecodedBlock block = DecodedFrom(*std::move(deltas));
    EXPECT_GE(block.memory(), history.builder.streams().raw_size());
    EXPECT_EQ(Contents(block), history.contents);
  }
}

TEST(DecodedBlock, GivesTheObjectsOfABlockOfWholeOnes) {
  DecodedBlock block;
  block.objects.sizes = {3, 0, 2, 1};
  block.form = WholeObjects{ToBytes("abcdef"), {0, 3, 3, 5, 6}};
  EXPECT_EQ(
      Contents(block),
      (std::vector<Bytes>{ToBytes("abc"), {}, ToBytes("de"), ToBytes("f")}));
}

// Ten objects of 100 bytes, all of which are needed again later.
DecodedBlock TenThatAreKept() {
  format::DeltaBlockBuilder builder;
  std::vector<Bytes> contents;
  for (uint8_t i = 0; i < 10; ++i) {
    contents.emplace_back(100, static_cast<uint8_t>('a' + i));
    builder.Add(contents.back());
  }
  for (uint32_t i = 0; i < 10; ++i) {
    PlannedDelta plan;
    plan.base = CandidateNumber(i);
    plan.base_size = 100;
    plan.delta.copies = {{0, 100, 0}};
    AddPlanned(builder, contents[i], plan);
  }
  return DecodedFrom(*format::DeltaBlock::Parse(
      builder.streams(), {ObjectNumber(), 20}, kNoLimit));
}

TEST(DecodedBlock, KeepsNoMoreThanItMay) {
  const DecodedBlock block = TenThatAreKept();
  const auto visit = [](size_t, ByteView) { return Status(); };
  EXPECT_THAT(block.ForEachObject(1000, visit), IsOk());
  EXPECT_THAT(block.ForEachObject(999, visit),
              HasCode(ErrorCode::kLimitExceeded));
  EXPECT_THAT(block.ForEachObject(0, visit),
              HasCode(ErrorCode::kLimitExceeded));
}

TEST(DecodedBlock, KeepsOnlyTheLastOfAChain) {
  format::DeltaBlockBuilder builder;
  const Bytes content(100, 'a');
  PlannedDelta plan;
  AddPlanned(builder, content, plan);
  plan.base_size = 100;
  plan.delta.copies = {{0, 100, 0}};
  for (uint32_t i = 0; i < 50; ++i) {
    plan.base = CandidateNumber(i);
    AddPlanned(builder, content, plan);
  }
  const DecodedBlock block = DecodedFrom(*format::DeltaBlock::Parse(
      builder.streams(), {ObjectNumber(), 51}, kNoLimit));
  size_t visited = 0;
  EXPECT_THAT(
      block.ForEachObject(200,
                          [&](size_t, ByteView got) {
                            EXPECT_TRUE(std::ranges::equal(got, content));
                            ++visited;
                            return Status();
                          }),
      IsOk());
  EXPECT_EQ(visited, 51U);
}

TEST(DecodedBlock, EndsWithTheFirstVisitThatFailsOrHasEnough) {
  DecodedBlock objects;
  objects.objects.sizes = {1, 2};
  objects.form = WholeObjects{ToBytes("abc"), {0, 1, 3}};
  const DecodedBlock deltas = TenThatAreKept();
  for (const DecodedBlock* const block : {&deltas, &std::as_const(objects)}) {
    size_t visited = 0;
    const auto visit = [&](size_t index, ByteView) -> Status {
      ++visited;
      if (index == 1) return MakeError(ErrorCode::kMismatch, "seen");
      return {};
    };
    EXPECT_THAT(block->ForEachObject(kNoLimit.object_size, visit),
                IsError(ErrorCode::kMismatch, "seen"));
    EXPECT_EQ(visited, 2U);
    visited = 0;
    const auto look = [&](size_t index, ByteView) -> Result<Visit> {
      ++visited;
      return index == 1 ? Visit::kStop : Visit::kContinue;
    };
    EXPECT_THAT(block->ForEachObject(kNoLimit.object_size, look), IsOk());
    EXPECT_EQ(visited, 2U);
  }
}

}  // namespace
}  // namespace zpack
