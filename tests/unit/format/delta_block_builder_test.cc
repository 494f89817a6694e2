// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>

#include "format/delta_block.h"
#include "support/delta_blocks.h"
#include "support/deltas.h"

namespace zpack {
namespace {

using format::StreamKind;
using testing::AddPlanned;
using testing::Edited;
using testing::Random;
using testing::RandomText;
using testing::SameStreams;

uint64_t ReadCost(const format::DeltaBlockBuilder& builder) {
  return builder.layout().ReadCost(builder.streams().raw_size());
}

TEST(DeltaBlockBuilder, HasTheStreamsOfTheSpecification) {
  format::DeltaBlockBuilder builder;
  builder.Add(AsBytes("0123456789"));
  PlannedDelta plan;
  plan.base = CandidateNumber(0);
  plan.base_size = 10;
  // Two literals, three bytes from where they are expected (2), one literal,
  // two from the start, a literal and the rest, which is the end of the base.
  plan.delta.copies = {{2, 3, 2}, {1, 2, 0}, {1, 4, 6}};
  AddPlanned(builder, AsBytes("ab234c01d6789"), plan);
  // The rest, but not from the end; and a literal at the end.
  plan.delta.copies = {{0, 4, 1}};
  AddPlanned(builder, AsBytes("1234"), plan);
  plan.delta.copies = {{0, 1, 0}};
  AddPlanned(builder, AsBytes("0x"), plan);
  const format::BlockStreams& streams = builder.streams();
  EXPECT_EQ(streams[StreamKind::kSizes], (Bytes{10, 6, 11, 15}));
  EXPECT_EQ(streams[StreamKind::kBases], (Bytes{0, 1, 2, 3}));
  EXPECT_EQ(streams[StreamKind::kLiteralLengths], (Bytes{2, 1, 1, 0, 0, 1}));
  EXPECT_EQ(streams[StreamKind::kCopyLengths], (Bytes{3, 2, 0, 0, 1}));
  EXPECT_EQ(streams[StreamKind::kCopyOffsets], (Bytes{0, 11, 0, 9, 0}));
  EXPECT_EQ(AsText(streams[StreamKind::kLiterals]), "0123456789abcdx");
}

TEST(DeltaBlockBuilder, UndoTakesOutTheLastObjectOnly) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    DeltaPlanner planner{DeltaPlannerOptions{}};
    format::DeltaBlockBuilder builder;
    Bytes content = RandomText(random, 2000);
    for (int i = 0; i < 20; ++i) {
      const format::BlockStreams before = builder.streams();
      const uint32_t count = builder.layout().count();
      const uint64_t raw_size = builder.streams().raw_size();
      const uint64_t read_cost = ReadCost(builder);
      const PlannedDelta& plan = planner.Plan(content, PathNumber(1));
      AddPlanned(builder, content, plan);
      const format::BlockStreams after = builder.streams();
      builder.Undo();
      EXPECT_EQ(builder.layout().count(), count);
      EXPECT_EQ(builder.streams().raw_size(), raw_size);
      EXPECT_EQ(ReadCost(builder), read_cost);
      ASSERT_TRUE(SameStreams(builder.streams(), before));
      AddPlanned(builder, content, plan);
      ASSERT_TRUE(SameStreams(builder.streams(), after));
      planner.Add(content, PathNumber(1));
      content = Edited(random, content, 5);
    }
  }
}

TEST(DeltaBlockBuilder, KnowsWhatReadingTheSmallestObjectDecodes) {
  format::DeltaBlockBuilder builder;
  EXPECT_EQ(ReadCost(builder), 0U);
  builder.Add(Bytes(100, 'a'));
  EXPECT_EQ(ReadCost(builder), 2U) << "size and base";
  builder.Add(Bytes(50, 'b'));
  EXPECT_EQ(ReadCost(builder), 104U);
  builder.Add({});
  EXPECT_EQ(ReadCost(builder), 156U);
  builder.Undo();
  EXPECT_EQ(ReadCost(builder), 104U);
  builder.Clear();
  EXPECT_EQ(ReadCost(builder), 0U);
  EXPECT_EQ(builder.streams().raw_size(), 0U);
  EXPECT_EQ(builder.layout().count(), 0U);
}

}  // namespace
}  // namespace zpack
