// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/delta_block.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/delta_blocks.h"
#include "support/deltas.h"
#include "support/matchers.h"
#include "support/no_limit.h"

namespace zpack {
namespace {

using format::StreamKind;
using testing::AddPlanned;
using testing::AllStreams;
using testing::Below;
using testing::HasCode;
using testing::History;
using testing::IsOk;
using testing::kNoLimit;
using testing::Random;
using testing::RandomHistory;
using testing::ToBytes;

// Everything, through Rebuild alone.
std::vector<Bytes> Rebuilt(const format::DeltaBlock& deltas) {
  std::vector<Bytes> contents(deltas.count());
  for (uint32_t i = 0; i < deltas.count(); ++i) {
    const auto base = deltas.base(i);
    deltas.Rebuild(i, base ? ByteView(contents[*base]) : ByteView(),
                   contents[i]);
  }
  return contents;
}

TEST(DeltaBlock, GivesBackWhatWasBuilt) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const History history = RandomHistory(seed, 40);
    const uint64_t raw_size = history.builder.streams().raw_size();
    const auto deltas = format::DeltaBlock::Parse(
        history.builder.streams(),
        {ObjectNumber(), history.builder.layout().count()}, kNoLimit);
    ASSERT_THAT(deltas, IsOk());
    ASSERT_EQ(deltas->count(), history.contents.size());
    EXPECT_EQ(deltas->raw_size(), raw_size);
    EXPECT_GE(deltas->memory(), raw_size);
    for (uint32_t i = 0; i < deltas->count(); ++i) {
      EXPECT_EQ(deltas->sizes()[i], history.contents[i].size());
      EXPECT_EQ(deltas->base(i), history.bases[i]);
    }
    EXPECT_EQ(Rebuilt(*deltas), history.contents);
  }
}

TEST(DeltaBlock, TellsWhatEachObjectTakes) {
  const History history = RandomHistory(7, 40);
  format::BlockStreams streams = history.builder.streams();
  const auto deltas = format::DeltaBlock::Parse(
      streams, {ObjectNumber(), history.builder.layout().count()}, kNoLimit);
  ASSERT_THAT(deltas, IsOk());
  uint64_t own = 0;
  for (uint32_t i = 0; i < deltas->count(); ++i) {
    if (!history.bases[i]) {
      EXPECT_EQ(deltas->own_size(i), history.contents[i].size());
    }
    own += deltas->own_size(i);
  }
  EXPECT_EQ(own + streams[StreamKind::kSizes].size() +
                streams[StreamKind::kBases].size(),
            deltas->raw_size());
}

TEST(DeltaBlock, AcceptsABlockOfEmptyObjects) {
  format::DeltaBlockBuilder builder;
  for (int i = 0; i < 3; ++i) builder.Add({});
  const auto deltas = format::DeltaBlock::Parse(
      builder.streams(), {ObjectNumber(), 3}, format::BlockLimits{});
  ASSERT_THAT(deltas, IsOk());
  EXPECT_EQ(Rebuilt(*deltas), std::vector<Bytes>(3));
}

TEST(DeltaBlock, AcceptsAnEmptyObjectWithABase) {
  // No writer makes it, but it is well defined.
  format::BlockStreams streams(format::BlockKind::kDeltas);
  streams[StreamKind::kSizes] = {2, 3};
  streams[StreamKind::kBases] = {0, 1};
  streams[StreamKind::kLiterals] = ToBytes("ab");
  const auto deltas =
      format::DeltaBlock::Parse(streams, {ObjectNumber(), 2}, kNoLimit);
  ASSERT_THAT(deltas, IsOk());
  EXPECT_EQ(Rebuilt(*deltas)[1], Bytes());
}

TEST(DeltaBlock, RefusesMoreContentThanItsLimits) {
  format::DeltaBlockBuilder builder;
  Bytes content(1000, 'x');
  builder.Add(content);
  for (uint32_t i = 0; i < 99; ++i) {
    PlannedDelta plan;
    plan.base = CandidateNumber(i);
    plan.base_size = 1000;
    plan.delta.copies = {{0, 999, 0}};
    AddPlanned(builder, content, plan);
  }
  const auto parse = [&](const format::BlockLimits& limits) {
    return format::DeltaBlock::Parse(builder.streams(), {ObjectNumber(), 100},
                                     limits);
  };
  EXPECT_THAT(parse({36'000, 100'000}), IsOk());
  EXPECT_THAT(parse({36'000, 99'999}), HasCode(ErrorCode::kLimitExceeded));
  EXPECT_THAT(parse({35'999, 100'000}), HasCode(ErrorCode::kLimitExceeded))
      << "64 times the size of an object and one of the greatest size";
}

// A block of three objects, as numbers, to be edited into something bad:
// "0123456789", "AB" and all of that, and "B0123xyz" out of the second.
struct Draft {
  std::vector<uint64_t> sizes = {10, ZigZag(2), ZigZag(-4)};
  std::vector<uint64_t> bases = {0, 1, 1};
  std::vector<uint64_t> literal_lengths = {2, 0, 3};
  std::vector<uint64_t> copy_lengths = {0, 5};
  std::vector<uint64_t> copy_offsets = {0, ZigZag(1)};
  std::string literals = "0123456789ABxyz";

  format::BlockStreams Encode() const {
    format::BlockStreams streams(format::BlockKind::kDeltas);
    const auto encode = [](const std::vector<uint64_t>& values, Bytes& out) {
      ByteWriter to(out);
      for (const uint64_t value : values) to.Varint(value);
    };
    encode(sizes, streams[StreamKind::kSizes]);
    encode(bases, streams[StreamKind::kBases]);
    encode(literal_lengths, streams[StreamKind::kLiteralLengths]);
    encode(copy_lengths, streams[StreamKind::kCopyLengths]);
    encode(copy_offsets, streams[StreamKind::kCopyOffsets]);
    streams[StreamKind::kLiterals] = ToBytes(literals);
    return streams;
  }
};

class DeltaBlockDraft : public ::testing::Test {
 protected:
  Result<format::DeltaBlock> Parse(
      const format::BlockLimits& limits = kNoLimit) const {
    return format::DeltaBlock::Parse(draft_.Encode(), {ObjectNumber(), 3},
                                     limits);
  }
  Result<format::DeltaBlock> Parse(uint64_t max_object_size) const {
    return Parse(format::BlockLimits{max_object_size, kNoLimit.content});
  }

  Draft draft_;
};

TEST_F(DeltaBlockDraft, IsRightUnedited) {
  const auto deltas = Parse(12);
  ASSERT_THAT(deltas, IsOk());
  const auto contents = Rebuilt(*deltas);
  EXPECT_EQ(AsText(contents[1]), "AB0123456789");
  EXPECT_EQ(AsText(contents[2]), "B0123xyz");
}

TEST_F(DeltaBlockDraft, RefusesBasesBeforeTheStart) {
  for (size_t i = 0; i < 3; ++i) {
    for (const uint64_t distance :
         {uint64_t{i + 1}, uint64_t{1} << 32, (uint64_t{1} << 32) + i,
          std::numeric_limits<uint64_t>::max()}) {
      draft_ = {};
      draft_.bases[i] = distance;
      EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << i;
    }
  }
}

TEST_F(DeltaBlockDraft, RefusesObjectsAboveTheLimit) {
  EXPECT_THAT(Parse(11), HasCode(ErrorCode::kLimitExceeded));
  EXPECT_THAT(Parse(9), HasCode(ErrorCode::kLimitExceeded));
  draft_.sizes[0] = std::numeric_limits<uint64_t>::max();
  EXPECT_THAT(Parse(), HasCode(ErrorCode::kLimitExceeded));
  draft_.sizes[0] = kNoLimit.object_size + 1;
  EXPECT_THAT(Parse(), HasCode(ErrorCode::kLimitExceeded));
}

TEST_F(DeltaBlockDraft, RefusesNegativeAndOverflowingSizes) {
  for (const int64_t difference :
       {int64_t{-11}, std::numeric_limits<int64_t>::min(),
        std::numeric_limits<int64_t>::max()}) {
    draft_.sizes[1] = ZigZag(difference);
    EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << difference;
  }
}

TEST_F(DeltaBlockDraft, RefusesCopiesOutsideTheBase) {
  // Of the third object: 5 bytes, from 0 to 7 in a base of 12.
  for (const int64_t offset :
       {int64_t{-1}, int64_t{8}, int64_t{12}, int64_t{1} << 40,
        std::numeric_limits<int64_t>::min(),
        std::numeric_limits<int64_t>::max()}) {
    draft_.copy_offsets[1] = ZigZag(offset);
    EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << offset;
  }
  for (const int64_t offset : {0, 7}) {
    draft_.copy_offsets[1] = ZigZag(offset);
    EXPECT_THAT(Parse(), IsOk()) << offset;
  }
}

TEST_F(DeltaBlockDraft, RefusesARestOutsideTheBase) {
  // Of the second object, which is its whole base.
  for (const int64_t jump : {-11, -1, 1, 10}) {
    draft_.copy_offsets[0] = ZigZag(jump);
    EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << jump;
  }
}

TEST_F(DeltaBlockDraft, RefusesARestLongerThanTheBase) {
  draft_.literal_lengths[0] = 1;
  draft_.literals.erase(10, 1);
  EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt));
}

TEST_F(DeltaBlockDraft, RefusesCopiesBeyondTheObject) {
  for (const uint64_t length :
       {uint64_t{9}, uint64_t{12}, uint64_t{13}, uint64_t{1} << 32,
        std::numeric_limits<uint64_t>::max()}) {
    draft_.copy_lengths[1] = length;
    EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << length;
  }
}

TEST_F(DeltaBlockDraft, RefusesLiteralsBeyondTheObject) {
  for (const uint64_t length : {uint64_t{13}, uint64_t{1} << 32,
                                std::numeric_limits<uint64_t>::max()}) {
    draft_.literal_lengths[0] = length;
    EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << length;
  }
}

TEST_F(DeltaBlockDraft, RefusesAnyOtherNumberOfLiterals) {
  const std::string right = draft_.literals;
  for (size_t size = 0; size < right.size(); ++size) {
    draft_.literals = right.substr(0, size);
    EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt)) << size;
  }
  draft_.literals = right + "!";
  EXPECT_THAT(Parse(), HasCode(ErrorCode::kCorrupt));
}

TEST_F(DeltaBlockDraft, RefusesAnyStreamThatIsTooShortOrTooLong) {
  const size_t streams = 6;
  for (size_t i = 0; i < streams; ++i) {
    format::BlockStreams longer = draft_.Encode();
    AllStreams(longer)[i]->push_back(0);
    EXPECT_THAT(
        format::DeltaBlock::Parse(longer, {ObjectNumber(), 3}, kNoLimit),
        HasCode(ErrorCode::kCorrupt))
        << i;
    format::BlockStreams shorter = draft_.Encode();
    while (!AllStreams(shorter)[i]->empty()) {
      AllStreams(shorter)[i]->pop_back();
      EXPECT_THAT(
          format::DeltaBlock::Parse(shorter, {ObjectNumber(), 3}, kNoLimit),
          HasCode(ErrorCode::kCorrupt))
          << i;
    }
  }
}

TEST_F(DeltaBlockDraft, RefusesVarintsThatAreNotMinimal) {
  for (size_t i = 0; i < 5; ++i) {
    const format::BlockStreams good = draft_.Encode();
    format::BlockStreams copy = good;
    const size_t bytes = AllStreams(copy)[i]->size();
    for (size_t at = 0; at < bytes; ++at) {
      format::BlockStreams bad = good;
      Bytes& stream = *AllStreams(bad)[i];
      stream[at] |= 0x80;
      stream.insert(stream.begin() + static_cast<ptrdiff_t>(at) + 1, 0);
      EXPECT_THAT(format::DeltaBlock::Parse(bad, {ObjectNumber(), 3}, kNoLimit),
                  HasCode(ErrorCode::kCorrupt))
          << i << ' ' << at;
    }
  }
}

TEST_F(DeltaBlockDraft, RefusesAnyOtherCount) {
  for (const uint32_t count :
       {0U, 1U, 2U, 4U, std::numeric_limits<uint32_t>::max()}) {
    EXPECT_THAT(format::DeltaBlock::Parse(draft_.Encode(),
                                          {ObjectNumber(), count}, kNoLimit),
                HasCode(ErrorCode::kCorrupt))
        << count;
  }
}

TEST(DeltaBlock, SurvivesAnyDamage) {
  constexpr uint64_t kMaxObject = 1 << 14;
  int parsed = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const History history = RandomHistory(seed % 10, 6);
    format::BlockStreams streams = history.builder.streams();
    const size_t edits = 1 + Below(random, 3);
    for (size_t i = 0; i < edits; ++i) {
      Bytes& stream = *AllStreams(streams)[Below(random, 6)];
      if (stream.empty()) continue;
      uint8_t& byte = stream[Below(random, stream.size())];
      byte = Below(random, 2) == 0 ? static_cast<uint8_t>(random())
                                   : static_cast<uint8_t>(byte + 1);
    }
    const auto deltas = format::DeltaBlock::Parse(
        std::move(streams), {ObjectNumber(), history.builder.layout().count()},
        format::BlockLimits{kMaxObject, kNoLimit.content});
    if (deltas) {
      ++parsed;
      const auto contents = Rebuilt(*deltas);
      for (size_t i = 0; i < contents.size(); ++i) {
        EXPECT_EQ(contents[i].size(), deltas->sizes()[i]);
      }
    } else {
      EXPECT_TRUE(deltas.error().code == ErrorCode::kCorrupt ||
                  deltas.error().code == ErrorCode::kLimitExceeded)
          << deltas.error().message;
    }
  }
  EXPECT_GT(parsed, 100) << "damage that nothing can see is tested too";
}

}  // namespace
}  // namespace zpack
