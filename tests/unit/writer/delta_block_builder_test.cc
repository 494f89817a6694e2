// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/delta_block_builder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/delta_blocks.h"
#include "support/deltas.h"

namespace zpack {
namespace {

using testing::AllStreams;
using testing::Edited;
using testing::Random;
using testing::RandomText;
using testing::StreamsOf;

using Streams = DeltaBlock::Streams;

bool Equal(Streams a, Streams b) {
  return std::ranges::equal(AllStreams(a), AllStreams(b),
                            [](Bytes* x, Bytes* y) { return *x == *y; });
}

TEST(DeltaBlockBuilder, HasTheStreamsOfTheSpecification) {
  DeltaBlockBuilder builder;
  builder.Add(AsBytes("0123456789"), {});
  PlannedDelta plan;
  plan.base = CandidateNumber(0);
  plan.base_size = 10;
  // Two literals, three bytes from where they are expected (2), one literal,
  // two from the start, a literal and the rest, which is the end of the base.
  plan.delta.copies = {{2, 3, 2}, {1, 2, 0}, {1, 4, 6}};
  builder.Add(AsBytes("ab234c01d6789"), plan);
  // The rest, but not from the end; and a literal at the end.
  plan.delta.copies = {{0, 4, 1}};
  builder.Add(AsBytes("1234"), plan);
  plan.delta.copies = {{0, 1, 0}};
  builder.Add(AsBytes("0x"), plan);
  const Streams streams = StreamsOf(builder);
  EXPECT_EQ(streams.sizes, (Bytes{10, 6, 11, 15}));
  EXPECT_EQ(streams.bases, (Bytes{0, 1, 2, 3}));
  EXPECT_EQ(streams.literal_lengths, (Bytes{2, 1, 1, 0, 0, 1}));
  EXPECT_EQ(streams.copy_lengths, (Bytes{3, 2, 0, 0, 1}));
  EXPECT_EQ(streams.copy_offsets, (Bytes{0, 11, 0, 9, 0}));
  EXPECT_EQ(AsText(streams.literals), "0123456789abcdx");
}

TEST(DeltaBlockBuilder, UndoTakesOutTheLastObjectOnly) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    DeltaPlanner planner{DeltaPlannerOptions{}};
    DeltaBlockBuilder builder;
    Bytes content = RandomText(random, 2000);
    for (int i = 0; i < 20; ++i) {
      const Streams before = StreamsOf(builder);
      const uint32_t count = builder.object_count();
      const uint64_t raw_size = builder.raw_size();
      const uint64_t read_cost = builder.read_cost();
      const PlannedDelta& plan = planner.Plan(content, PathNumber(1));
      builder.Add(content, plan);
      const Streams after = StreamsOf(builder);
      builder.Undo();
      EXPECT_EQ(builder.object_count(), count);
      EXPECT_EQ(builder.raw_size(), raw_size);
      EXPECT_EQ(builder.read_cost(), read_cost);
      ASSERT_TRUE(Equal(StreamsOf(builder), before));
      builder.Add(content, plan);
      ASSERT_TRUE(Equal(StreamsOf(builder), after));
      planner.Add(content, PathNumber(1));
      content = Edited(random, content, 5);
    }
  }
}

TEST(DeltaBlockBuilder, KnowsWhatReadingTheSmallestObjectDecodes) {
  DeltaBlockBuilder builder;
  EXPECT_EQ(builder.read_cost(), 0U);
  builder.Add(Bytes(100, 'a'), {});
  EXPECT_EQ(builder.read_cost(), 2U) << "size and base";
  builder.Add(Bytes(50, 'b'), {});
  EXPECT_EQ(builder.read_cost(), 104U);
  builder.Add({}, {});
  EXPECT_EQ(builder.read_cost(), 156U);
  builder.Undo();
  EXPECT_EQ(builder.read_cost(), 104U);
  builder.Clear();
  EXPECT_EQ(builder.read_cost(), 0U);
  EXPECT_EQ(builder.raw_size(), 0U);
  EXPECT_EQ(builder.object_count(), 0U);
}

}  // namespace
}  // namespace zpack
