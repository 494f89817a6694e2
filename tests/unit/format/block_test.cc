// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/block.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/hex.h"
#include "format/block_form.h"
#include "format/limits.h"

namespace zpack::format {
namespace {

constexpr uint64_t kLimit = 1000;

BlockHeader Header() {
  return {BlockKind::kObjects, ObjectType::kTree, ObjectNumber(5), 2, 0};
}

Bytes Payload(const BlockHeader& header,
              const std::vector<StreamHeader>& streams, size_t bytes) {
  Bytes out;
  Encode(header, streams, out);
  out.resize(out.size() + bytes, 0xcc);
  return out;
}

const std::vector<StreamHeader> kStreams = {
    {StreamKind::kSizes, StreamCodec::kStored, 2, 2},
    {StreamKind::kContents, StreamCodec::kZstd, 300, 7}};

ErrorCode CodeOf(const Bytes& payload) {
  const auto block = DecodeBlock(payload, kLimit);
  return block ? ErrorCode::kInternal : block.error().code;
}

TEST(Block, HasTheBytesOfTheSpecification) {
  EXPECT_EQ(ToHex(Payload(Header(), {kStreams[0]}, 2)),
            "01"                // objects
            "02"                // trees
            "0001"              // streams
            "00000005"          // first object
            "00000002"          // objects
            "0000000000000000"  // segment offset
            "01000000"          // sizes, stored, reserved
            "0000000000000002"  // raw
            "0000000000000002"  // stored
            "cccc");
}

TEST(Block, RoundTrips) {
  const Bytes payload = Payload(Header(), kStreams, 9);
  const auto block = DecodeBlock(payload, kLimit);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->header.first_object, ObjectNumber(5));
  EXPECT_EQ(block->Find(StreamKind::kContents)->header.raw_size, 300U);
  EXPECT_EQ(block->Find(StreamKind::kContents)->stored.size(), 7U);
}

TEST(PeekBlock, ReadsTheSizeOfTheStreamsFromTheBeginning) {
  const Bytes payload = Payload(Header(), kStreams, 0);
  const auto start = PeekBlock(payload, kLimit);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->kind, BlockKind::kObjects);
  EXPECT_EQ(start->raw_size, 302U);
  EXPECT_TRUE(PeekBlock(payload, 302));
  EXPECT_FALSE(PeekBlock(payload, 301));
  EXPECT_FALSE(PeekBlock(ByteView(payload).first(payload.size() - 1), kLimit));
  EXPECT_FALSE(PeekBlock({}, kLimit));
}

TEST(Block, RefusesStreamsThatDoNotFillThePayload) {
  EXPECT_EQ(CodeOf(Payload(Header(), kStreams, 8)), ErrorCode::kCorrupt);
  EXPECT_EQ(CodeOf(Payload(Header(), kStreams, 10)), ErrorCode::kCorrupt);
}

TEST(Block, RefusesAStreamAboveTheLimitBeforeItIsAllocated) {
  auto streams = kStreams;
  streams[1].raw_size = kLimit + 1;
  EXPECT_EQ(CodeOf(Payload(Header(), streams, 9)), ErrorCode::kLimitExceeded);
}

TEST(Block, RefusesAStoredStreamOfTwoSizes) {
  auto streams = kStreams;
  streams[0].raw_size = 3;
  EXPECT_EQ(CodeOf(Payload(Header(), streams, 9)), ErrorCode::kCorrupt);
}

TEST(Block, RefusesARepeatedStream) {
  EXPECT_EQ(CodeOf(Payload(Header(), {kStreams[0], kStreams[0]}, 4)),
            ErrorCode::kCorrupt);
}

TEST(Block, RefusesAMissingStream) {
  EXPECT_EQ(CodeOf(Payload(Header(), {kStreams[0]}, 2)), ErrorCode::kCorrupt);
  EXPECT_EQ(CodeOf(Payload(Header(), {kStreams[1]}, 7)), ErrorCode::kCorrupt);
}

TEST(Block, RefusesAStreamOfAnotherKindOfBlock) {
  auto streams = kStreams;
  streams.push_back({StreamKind::kBases, StreamCodec::kStored, 0, 0});
  EXPECT_EQ(CodeOf(Payload(Header(), streams, 9)), ErrorCode::kCorrupt);
}

TEST(Block, TakesItsStreamsInAnyOrder) {
  EXPECT_TRUE(
      DecodeBlock(Payload(Header(), {kStreams[1], kStreams[0]}, 9), kLimit));
}

// A block of deltas, of which a stream continues other blocks.
Bytes Continued(GroupPlace place, uint64_t raw_size,
                StreamKind kind = StreamKind::kLiterals) {
  BlockHeader header{BlockKind::kDeltas, ObjectType::kBlob, ObjectNumber(5), 2,
                     0};
  header.group = place;
  std::vector<StreamHeader> streams;
  for (const StreamKind stream : FindBlockForm(header.kind)->streams) {
    if (stream == kind) {
      streams.push_back({stream, StreamCodec::kContinued, raw_size, 3});
    } else {
      streams.push_back({stream, StreamCodec::kStored, 0, 0});
    }
  }
  return Payload(header, streams, 3);
}

ErrorCode CodeOfGroup(const Bytes& payload) {
  const auto block = DecodeBlock(payload, uint64_t{1} << 40);
  return block ? ErrorCode::kInternal : block.error().code;
}

TEST(Block, HasAPlaceInItsGroup) {
  const auto first = DecodeBlock(Continued({}, 7), kLimit);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->header.group, GroupPlace{});
  EXPECT_EQ(first->FindContinued()->header.kind, StreamKind::kLiterals);
  const auto later = DecodeBlock(Continued({3, 70}, 7), kLimit);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->header.group, (GroupPlace{3, 70}));
  EXPECT_EQ(later->header.segment_offset, 0U);
  EXPECT_EQ(ToHex(ByteView(Continued({3, 70}, 7)).subspan(12, 8)),
            "0000000300000046");
}

TEST(Block, RefusesPlacesThatNoGroupHas) {
  constexpr auto kMost = static_cast<uint32_t>(kMaxGroupSize);
  EXPECT_TRUE(
      DecodeBlock(Continued({kMaxGroupBlocks - 1, kMost - 7}, 7), kLimit));
  EXPECT_TRUE(DecodeBlock(Continued({}, kMost), uint64_t{1} << 40));
  EXPECT_EQ(CodeOfGroup(Continued({}, kMost + 1)), ErrorCode::kCorrupt);
  for (const GroupPlace place :
       {GroupPlace{0, 1}, GroupPlace{kMaxGroupBlocks, 0},
        GroupPlace{1, kMost - 6}, GroupPlace{1, 0xffffffff},
        GroupPlace{0xffffffff, 0}}) {
    EXPECT_EQ(CodeOfGroup(Continued(place, 7)), ErrorCode::kCorrupt)
        << place.blocks << ' ' << place.raw_size;
  }
  BlockHeader alone = Header();
  alone.group = {1, 0};
  EXPECT_EQ(CodeOf(Payload(alone, kStreams, 9)), ErrorCode::kCorrupt);
}

TEST(Block, RefusesContinuedStreamsThatMayNotBe) {
  for (const StreamKind kind : FindBlockForm(BlockKind::kDeltas)->streams) {
    if (kind == StreamKind::kLiterals) continue;
    EXPECT_EQ(CodeOfGroup(Continued({}, 7, kind)), ErrorCode::kCorrupt)
        << KindName(kind);
  }
  auto streams = kStreams;
  streams[1].codec = StreamCodec::kContinued;
  EXPECT_EQ(CodeOf(Payload(Header(), streams, 9)), ErrorCode::kCorrupt);
}

TEST(BlockForm, HasEveryStreamOfItsKindOnce) {
  EXPECT_EQ(FindBlockForm(BlockKind{0}), nullptr);
  for (const BlockForm& form : BlockForms()) {
    EXPECT_EQ(FindBlockForm(form.kind), &form);
    std::vector<StreamKind> streams(form.streams.begin(), form.streams.end());
    std::ranges::sort(streams);
    EXPECT_EQ(std::ranges::adjacent_find(streams), streams.end());
    EXPECT_EQ(form.feature.empty(),
              form.types.size() == kAllObjectTypes.size());
  }
}

TEST(Block, RefusesUnknownKindsTypesAndCodecs) {
  const Bytes good = Payload(Header(), kStreams, 9);
  for (const auto& [offset, value] : std::vector<std::pair<size_t, uint8_t>>{
           {0, 0}, {0, 3}, {1, 0}, {1, 5}, {20, 255}, {21, 255}, {23, 1}}) {
    Bytes bad = good;
    bad[offset] = value;
    EXPECT_EQ(CodeOf(bad), ErrorCode::kCorrupt) << offset;
  }
}

TEST(Block, RefusesEmptyBlocksAndSegmentsOfSeveralObjects) {
  BlockHeader header = Header();
  header.object_count = 0;
  EXPECT_EQ(CodeOf(Payload(header, kStreams, 9)), ErrorCode::kCorrupt);
  header = Header();
  header.kind = BlockKind::kSegment;
  EXPECT_EQ(CodeOf(Payload(header, kStreams, 9)), ErrorCode::kCorrupt);
  header = Header();
  header.group.raw_size = 1;
  EXPECT_EQ(CodeOf(Payload(header, kStreams, 9)), ErrorCode::kCorrupt);
}

TEST(Block, RefusesTruncation) {
  const Bytes good = Payload(Header(), kStreams, 9);
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(DecodeBlock(ByteView(good).first(size), kLimit)) << size;
  }
}

}  // namespace
}  // namespace zpack::format
