// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/delta_stretch_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "format/chunk.h"
#include "format/delta_block.h"
#include "format/limits.h"
#include "reader/block_decoder.h"
#include "support/delta_blocks.h"
#include "support/deltas.h"
#include "support/matchers.h"
#include "support/unpacked_block.h"

namespace zpack {
namespace {

using testing::Below;
using testing::Edited;
using testing::IsOk;
using testing::Random;
using testing::RandomText;
using testing::Unprepared;

using format::StreamKind;

constexpr ObjectNumber kFirstBlob(1000);

struct Blob {
  Bytes content;
  PathNumber path;
};

std::vector<Blob> RandomBlobs(uint64_t seed, size_t count, size_t max_size) {
  Random random(seed);
  std::vector<Blob> blobs;
  for (size_t i = 0; i < count; ++i) {
    const PathNumber path(static_cast<uint32_t>(Below(random, 4)));
    if (blobs.empty() || Below(random, 4) == 0) {
      blobs.push_back({RandomText(random, Below(random, max_size)), path});
    } else {
      const Bytes& old = blobs[Below(random, blobs.size())].content;
      blobs.push_back({Edited(random, old, 3), path});
    }
  }
  return blobs;
}

// One block, decoded with nothing but its own chunk.
struct DecodedBlobs {
  format::BlockHeader header;
  uint64_t raw_size = 0;
  std::vector<Bytes> contents;
};

DecodedBlobs DecodeAlone(const EncodedBlock& encoded) {
  DecodedBlobs result;
  testing::UnpackedBlock unpacked = testing::UnpackBlock(encoded.chunk);
  result.header = unpacked.header;
  result.raw_size = unpacked.streams.raw_size();
  const auto deltas = format::DeltaBlock::Parse(
      std::move(unpacked.streams),
      {unpacked.header.first_object, unpacked.header.object_count},
      format::BlockLimits{uint64_t{1} << 30, uint64_t{1} << 40});
  EXPECT_THAT(deltas, IsOk());
  if (!deltas) return result;
  for (uint32_t i = 0; i < deltas->count(); ++i) {
    const auto base = deltas->base(i);
    Bytes content;
    deltas->Rebuild(i, base ? ByteView(result.contents[*base]) : ByteView(),
                    content);
    result.contents.push_back(std::move(content));
  }
  return result;
}

class DeltaStretchEncoderTest : public ::testing::Test {
 protected:
  EncodedBlocks Encode(const std::vector<Blob>& blobs, uint64_t block_size) {
    BlockEncoder encoder(3);
    DeltaStretchEncoder stretch(DeltaPlannerOptions{}, block_size, encoder);
    EncodedBlocks blocks;
    stretch.Begin(kFirstBlob, {&blocks});
    Continue(stretch, blobs);
    return blocks;
  }

  static void Continue(DeltaStretchEncoder& stretch,
                       const std::vector<Blob>& blobs) {
    for (const Blob& blob : blobs) {
      EXPECT_THAT(stretch.Add(Unprepared(blob.content, blob.path)), IsOk());
    }
    EXPECT_THAT(stretch.Finish(), IsOk());
  }

  // Checks that the blocks hold `blobs` and are no larger than they may be.
  static void Check(const EncodedBlocks& blocks, const std::vector<Blob>& blobs,
                    uint64_t block_size) {
    ObjectNumber next = kFirstBlob;
    for (const EncodedBlock& encoded : blocks) {
      EXPECT_EQ(encoded.first_object, next);
      const DecodedBlobs block = DecodeAlone(encoded);
      EXPECT_EQ(block.header.kind, format::BlockKind::kDeltas);
      EXPECT_EQ(block.header.type, ObjectType::kBlob);
      EXPECT_EQ(block.header.first_object, next);
      EXPECT_EQ(block.header.segment_offset, 0U);
      ASSERT_EQ(block.header.object_count, block.contents.size());
      ASSERT_LE(next - kFirstBlob + block.contents.size(), blobs.size());
      uint64_t smallest = block.raw_size;
      for (const Bytes& content : block.contents) {
        EXPECT_EQ(AsText(content), AsText(blobs[next - kFirstBlob].content));
        smallest = std::min<uint64_t>(smallest, content.size());
        ++next;
      }
      if (block.contents.size() > 1) {
        EXPECT_LE(block.raw_size - smallest, block_size);
      }
    }
    EXPECT_EQ(next - kFirstBlob, blobs.size());
  }
};

TEST_F(DeltaStretchEncoderTest, MakesBlocksThatDecodeByThemselves) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    for (const uint64_t block_size : {1, 1000, 4096, 20000, 1 << 20}) {
      SCOPED_TRACE(block_size);
      const auto blobs = RandomBlobs(seed, 60, 6000);
      Check(Encode(blobs, block_size), blobs, block_size);
    }
  }
}

TEST_F(DeltaStretchEncoderTest, FillsABlockBeforeItBeginsTheNext) {
  const auto blobs = RandomBlobs(1, 200, 6000);
  constexpr uint64_t kBlockSize = 20000;
  const auto blocks = Encode(blobs, kBlockSize);
  ASSERT_GT(blocks.size(), 2U);
  uint64_t raw_size = 0;
  for (const EncodedBlock& block : blocks) {
    raw_size += DecodeAlone(block).raw_size;
  }
  EXPECT_LT(blocks.size(),
            raw_size / kBlockSize + raw_size / kBlockSize / 2 + 2)
      << "blocks are two thirds full at least";
}

TEST_F(DeltaStretchEncoderTest, PutsVersionsOfOneFileIntoOneBlock) {
  Random random(2);
  std::vector<Blob> blobs = {{RandomText(random, 10000), PathNumber(1)}};
  for (int i = 0; i < 100; ++i) {
    blobs.push_back({Edited(random, blobs.back().content, 1), PathNumber(1)});
  }
  const auto blocks = Encode(blobs, 40000);
  EXPECT_EQ(blocks.size(), 1U);
  Check(blocks, blobs, 40000);
}

TEST_F(DeltaStretchEncoderTest, GivesALargeBlobABlockOfItsOwn) {
  Random random(3);
  const Blob small{RandomText(random, 100), PathNumber(1)};
  const Blob large{RandomText(random, 50000), PathNumber(2)};
  const std::vector<Blob> blobs = {small, large, small, large, large, small};
  const auto blocks = Encode(blobs, 4096);
  Check(blocks, blobs, 4096);
  // Reading the large ones out of a block with a small one costs too much,
  // but not those that are the same.
  EXPECT_EQ(blocks.size(), 5U);
}

TEST_F(DeltaStretchEncoderTest, TakesEmptyBlobs) {
  Random random(4);
  const std::vector<Blob> blobs = {{{}, PathNumber(1)},
                                   {RandomText(random, 9000), PathNumber(1)},
                                   {{}, PathNumber(1)},
                                   {{}, PathNumber(2)}};
  for (const uint64_t block_size : {1, 4096, 1 << 20}) {
    Check(Encode(blobs, block_size), blobs, block_size);
  }
}

TEST_F(DeltaStretchEncoderTest, MakesNoBlockOfNothing) {
  EXPECT_TRUE(Encode({}, 4096).empty());
}

TEST_F(DeltaStretchEncoderTest, MakesTheSameBlocksWhateverCameBefore) {
  constexpr uint64_t kBlockSize = 20000;
  const auto blobs = RandomBlobs(5, 60, 6000);
  const auto fresh = Encode(blobs, kBlockSize);
  BlockEncoder encoder(3);
  DeltaStretchEncoder stretch(DeltaPlannerOptions{}, kBlockSize, encoder);
  EncodedBlocks other;
  stretch.Begin(ObjectNumber(7), {&other});
  Continue(stretch, RandomBlobs(6, 100, 6000));
  // A stretch that an error ended.
  stretch.Begin(ObjectNumber(9), {&other});
  EXPECT_THAT(stretch.Add(Unprepared(blobs[0].content, blobs[0].path)), IsOk());
  EncodedBlocks again;
  stretch.Begin(kFirstBlob, {&again});
  Continue(stretch, blobs);
  ASSERT_EQ(again.size(), fresh.size());
  for (size_t i = 0; i < fresh.size(); ++i) {
    EXPECT_EQ(again[i].first_object, fresh[i].first_object);
    EXPECT_EQ(again[i].chunk, fresh[i].chunk);
  }
}

// The places of blocks in their groups; nothing for a block of no group.
std::vector<std::optional<format::GroupPlace>> Places(
    const EncodedBlocks& blocks) {
  std::vector<std::optional<format::GroupPlace>> places;
  for (const EncodedBlock& block : blocks) {
    const auto payload = format::DecodeChunk(format::kBlockChunk, block.chunk);
    EXPECT_THAT(payload, IsOk());
    const auto view = format::DecodeBlock(*payload, uint64_t{1} << 30);
    EXPECT_THAT(view, IsOk());
    places.emplace_back();
    if (view && view->FindContinued() != nullptr) {
      places.back() = view->header.group;
    }
  }
  return places;
}

EncodingOptions WithGroups() {
  EncodingOptions options;
  options.level = 1;
  options.groups = true;
  return options;
}

TEST(Groups, GoOnThroughAStretch) {
  constexpr uint64_t kBlockSize = 4096;
  BlockEncoder encoder(WithGroups(), {});
  DeltaStretchEncoder stretch(DeltaPlannerOptions{}, kBlockSize, encoder);
  for (int round = 0; round < 2; ++round) {
    EncodedBlocks blocks;
    StretchGroups groups(1, uint64_t{1} << 20, 0, 0);
    GroupedSection section(groups, 0, encoder, nullptr);
    stretch.Begin(kFirstBlob, {&blocks, nullptr, &section});
    for (const Blob& blob : RandomBlobs(3, 60, 6000)) {
      ASSERT_THAT(stretch.Add(Unprepared(blob.content, blob.path)), IsOk());
    }
    ASSERT_THAT(stretch.Finish(), IsOk());
    ASSERT_THAT(section.End(), IsOk());
    const auto places = Places(blocks);
    ASSERT_GT(places.size(), 3U);
    for (uint32_t i = 0; i < places.size(); ++i) {
      ASSERT_TRUE(places[i]);
      EXPECT_EQ(places[i]->blocks, i);
    }
    EXPECT_EQ(places[0]->raw_size, 0U);
    EXPECT_GT(places[2]->raw_size, places[1]->raw_size);
  }
}

// A blob in a block of its own.
EncodedBlocks BlockOfEach(BlockEncoder& encoder,
                          const std::vector<Bytes>& blobs) {
  uint64_t size = 0;
  for (const Bytes& blob : blobs) size += blob.size();
  DeltaStretchEncoder stretch(DeltaPlannerOptions{}, 1, encoder);
  EncodedBlocks blocks;
  StretchGroups groups(1, size, 0, 0);
  GroupedSection section(groups, 0, encoder, nullptr);
  stretch.Begin(kFirstBlob, {&blocks, nullptr, &section});
  for (const Bytes& blob : blobs) {
    EXPECT_THAT(stretch.Add(Unprepared(blob, PathNumber(0))), IsOk());
  }
  EXPECT_THAT(stretch.Finish(), IsOk());
  EXPECT_THAT(section.End(), IsOk());
  return blocks;
}

TEST(Groups, EndBeforeWhatDoesNotCompress) {
  Random random(9);
  Bytes noise(5000);
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
  const Bytes text = RandomText(random, 5000);
  BlockEncoder encoder(WithGroups(), {});
  const auto places =
      Places(BlockOfEach(encoder, {text, text, noise, text, noise, noise}));
  const auto size = static_cast<uint32_t>(text.size());
  EXPECT_THAT(places, ::testing::ElementsAre(format::GroupPlace{},
                                             format::GroupPlace{1, size},
                                             std::nullopt, format::GroupPlace{},
                                             std::nullopt, std::nullopt));
}

TEST(Groups, EndAtTheirLimit) {
  constexpr auto kThird = static_cast<uint32_t>(format::kMaxGroupSize / 3);
  BlockEncoder encoder(WithGroups(), {});
  const auto places =
      Places(BlockOfEach(encoder, {Bytes(kThird, 'a'), Bytes(kThird, 'b'),
                                   Bytes(kThird, 'c'), Bytes(kThird, 'd')}));
  EXPECT_THAT(places, ::testing::ElementsAre(format::GroupPlace{},
                                             format::GroupPlace{1, kThird},
                                             format::GroupPlace{2, 2 * kThird},
                                             format::GroupPlace{}));
}

// The contents of a block of far deltas, whose bases are `older` by number.
std::vector<Bytes> DecodeFar(const EncodedBlock& encoded,
                             const std::map<ObjectNumber, Bytes>& older,
                             format::BlockLayout& layout) {
  testing::UnpackedBlock unpacked = testing::UnpackBlock(encoded.chunk);
  EXPECT_EQ(unpacked.header.kind, format::BlockKind::kFarDeltas);
  const auto deltas = format::DeltaBlock::Parse(
      std::move(unpacked.streams),
      {unpacked.header.first_object, unpacked.header.object_count},
      format::BlockLimits{uint64_t{1} << 30, uint64_t{1} << 40});
  EXPECT_THAT(deltas, IsOk());
  std::vector<Bytes> contents;
  if (!deltas) return contents;
  layout = deltas->layout();
  for (uint32_t i = 0; i < deltas->count(); ++i) {
    const auto base = deltas->base(i);
    ByteView content;
    if (base) {
      content = layout.IsFar(*base) ? older.at(layout.FarAt(*base).number)
                                    : contents[*base];
    }
    Bytes rebuilt;
    deltas->Rebuild(i, content, rebuilt);
    contents.push_back(std::move(rebuilt));
  }
  return contents;
}

TEST(FarDeltaStretchEncoder, TakesOlderObjectsAsBasesAndReadsEachOncePerBlock) {
  Random random(3);
  std::map<ObjectNumber, Bytes> older;
  std::map<ObjectNumber, size_t> reads;
  for (uint32_t i = 0; i < 4; ++i) {
    older[ObjectNumber(i)] = RandomText(random, 4000);
  }
  const auto read = [&](const FarVersion& far) -> Result<std::optional<Bytes>> {
    ++reads[far.base.number];
    return older.at(far.base.number);
  };
  for (const uint64_t block_size : {uint64_t{400}, uint64_t{1} << 20}) {
    reads.clear();
    BlockEncoder encoder(3);
    DeltaStretchEncoder stretch(DeltaPlannerOptions{}, block_size, encoder,
                                ObjectType::kTree, read);
    EncodedBlocks blocks;
    stretch.Begin(kFirstBlob, {&blocks});
    std::vector<Bytes> contents;
    for (uint32_t i = 0; i < 40; ++i) {
      const ObjectNumber number(i % 4);
      const FarVersion far{
          {}, ObjectType::kTree, {number, older[number].size()}};
      contents.push_back(Edited(random, older[number], 2));
      EXPECT_THAT(
          stretch.Add(Unprepared(contents.back(), PathNumber(i % 4)), &far),
          IsOk());
    }
    EXPECT_THAT(stretch.Finish(), IsOk());
    EXPECT_EQ(blocks.size() > 1, block_size == 400);
    size_t next = 0;
    size_t far_bases = 0;
    uint64_t stored = 0;
    for (const EncodedBlock& block : blocks) {
      format::BlockLayout layout;
      for (const Bytes& content : DecodeFar(block, older, layout)) {
        ASSERT_LT(next, contents.size());
        EXPECT_EQ(AsText(content), AsText(contents[next++]));
      }
      far_bases += layout.far.size();
      stored += block.chunk.size();
      EXPECT_EQ(block.expansion.chains, layout.chains);
    }
    EXPECT_EQ(next, contents.size());
    EXPECT_GE(far_bases, 4U);
    // Not one of the older texts is stored again.
    EXPECT_LT(stored, 40U * 400);
    if (blocks.size() == 1) {
      for (const auto& [number, count] : reads) EXPECT_EQ(count, 1U);
    }
  }
}

TEST(FarDeltaStretchEncoder, AnErrorOfReadingEndsIt) {
  BlockEncoder encoder(3);
  DeltaStretchEncoder stretch(
      DeltaPlannerOptions{}, 1000, encoder, ObjectType::kBlob,
      [](const FarVersion& far) -> Result<std::optional<Bytes>> {
        return MakeError(ErrorCode::kIo, "object {}", far.id);
      });
  EncodedBlocks blocks;
  stretch.Begin(kFirstBlob, {&blocks});
  const FarVersion far{{}, ObjectType::kBlob, {ObjectNumber(0), 5}};
  const Bytes content(5, 'x');
  EXPECT_THAT(stretch.Add(Unprepared(content, PathNumber(0)), &far),
              testing::HasCode(ErrorCode::kIo));
  EXPECT_THAT(stretch.Add(Unprepared(content, PathNumber(0))), IsOk());
}

TEST(FarDeltaStretchEncoder, DoesWithoutWhatTheSourceHasNoMore) {
  BlockEncoder encoder(3);
  size_t reads = 0;
  DeltaStretchEncoder stretch(
      DeltaPlannerOptions{}, 1 << 20, encoder, ObjectType::kBlob,
      [&](const FarVersion& /*far*/) -> Result<std::optional<Bytes>> {
        ++reads;
        return std::nullopt;
      });
  EncodedBlocks blocks;
  stretch.Begin(kFirstBlob, {&blocks});
  const FarVersion far{{}, ObjectType::kBlob, {ObjectNumber(0), 5}};
  Random random(1);
  const Bytes content = RandomText(random, 1000);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(stretch.Add(Unprepared(content, PathNumber(0)), &far), IsOk());
  }
  EXPECT_THAT(stretch.Finish(), IsOk());
  EXPECT_EQ(reads, 1U);
  ASSERT_EQ(blocks.size(), 1U);
  format::BlockLayout layout;
  EXPECT_THAT(DecodeFar(blocks[0], {}, layout),
              ::testing::Each(::testing::Eq(content)));
  EXPECT_TRUE(layout.far.empty());
}

}  // namespace
}  // namespace zpack
