// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Block table, object index and trailer.

#include <gtest/gtest.h>

#include "base/hex.h"
#include "format/block_table.h"
#include "format/object_index.h"
#include "format/trailer.h"

namespace zpack::format {
namespace {

Result<BlockTable> Decode(const std::vector<BlockTable::Row>& rows) {
  Bytes payload;
  Encode(BlockTable{rows}, payload);
  return DecodeBlockTable(payload, 100, 300, 10);
}

TEST(BlockTable, FindsTheBlockOfEveryObject) {
  // Object 4 lies in three segments.
  const auto table =
      Decode({{100, 0}, {130, 4}, {160, 4}, {190, 4}, {220, 5}, {300, 10}});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->block_count(), 5U);
  EXPECT_EQ(table->FindBlock(0), 0U);
  EXPECT_EQ(table->FindBlock(3), 0U);
  EXPECT_EQ(table->FindBlock(4), 1U);
  EXPECT_EQ(table->FindBlock(5), 4U);
  EXPECT_EQ(table->FindBlock(9), 4U);
}

TEST(BlockTable, AcceptsNoBlocksOnlyWithoutObjects) {
  Bytes payload;
  Encode(BlockTable{{{100, 0}}}, payload);
  EXPECT_TRUE(DecodeBlockTable(payload, 100, 100, 0));
  EXPECT_FALSE(DecodeBlockTable(payload, 100, 100, 1));
}

TEST(BlockTable, RefusesGapsOverlapsAndWrongEnds) {
  EXPECT_FALSE(Decode({}));
  EXPECT_FALSE(Decode({{101, 0}, {300, 10}}));
  EXPECT_FALSE(Decode({{100, 1}, {300, 10}}));
  EXPECT_FALSE(Decode({{100, 0}, {299, 10}}));
  EXPECT_FALSE(Decode({{100, 0}, {300, 9}}));
  EXPECT_FALSE(Decode({{100, 0}, {110, 5}, {300, 10}}));
  EXPECT_FALSE(Decode({{100, 0}, {200, 5}, {250, 4}, {300, 10}}));
  EXPECT_FALSE(Decode({{100, 0}, {200, 10}, {300, 10}}));
}

TEST(BlockTable, RefusesOffsetsThatWrapAround) {
  EXPECT_FALSE(Decode({{100, 0}, {~uint64_t{0} - 4, 5}, {300, 10}}));
}

TEST(BlockTable, RefusesAPartialRow) {
  EXPECT_FALSE(DecodeBlockTable(Bytes(13), 100, 300, 10));
}

ObjectIdTable TwoIds() {
  Bytes ids(40, 0);
  ids[0] = 0x10;
  ids[20] = 0x20;
  return *ObjectIdTable::FromSorted(ObjectFormat::kSha1, ids);
}

TEST(ObjectIndex, RoundTripsIds) {
  Bytes payload;
  EncodeObjectIds(TwoIds(), payload);
  EXPECT_EQ(payload.size(), 1024U + 40U);
  const auto ids = DecodeObjectIds(payload, ObjectFormat::kSha1, 2);
  ASSERT_TRUE(ids);
  EXPECT_EQ(*ids, TwoIds());
}

TEST(ObjectIndex, RefusesAFanOutThatDoesNotFit) {
  Bytes payload;
  EncodeObjectIds(TwoIds(), payload);
  payload[0x15 * 4 + 3] = 2;
  const auto ids = DecodeObjectIds(payload, ObjectFormat::kSha1, 2);
  ASSERT_FALSE(ids);
  EXPECT_EQ(ids.error().code, ErrorCode::kCorrupt);
}

TEST(ObjectIndex, RefusesAnotherCountThanTheHeaders) {
  Bytes payload;
  EncodeObjectIds(TwoIds(), payload);
  EXPECT_FALSE(DecodeObjectIds(payload, ObjectFormat::kSha1, 1));
  EXPECT_FALSE(DecodeObjectIds(payload, ObjectFormat::kSha1, 0xffffffff));
  EXPECT_FALSE(DecodeObjectIds({}, ObjectFormat::kSha1, 0));
}

TEST(ObjectNumbers, RoundTripAndMustBeAPermutation) {
  const auto decode = [](const std::vector<uint32_t>& numbers) {
    Bytes payload;
    EncodeObjectNumbers(numbers, payload);
    return DecodeObjectNumbers(payload, 3);
  };
  EXPECT_EQ(*decode({2, 0, 1}), (std::vector<uint32_t>{2, 0, 1}));
  EXPECT_FALSE(decode({2, 0, 0}));
  EXPECT_FALSE(decode({3, 0, 1}));
  EXPECT_FALSE(decode({0, 1}));
  EXPECT_FALSE(decode({0, 1, 2, 3}));
}

TEST(InversePermutation, IsItsOwnInverse) {
  const std::vector<uint32_t> permutation = {2, 0, 3, 1};
  EXPECT_EQ(InversePermutation(permutation),
            (std::vector<uint32_t>{1, 3, 0, 2}));
  EXPECT_EQ(InversePermutation(InversePermutation(permutation)), permutation);
}

TEST(Trailer, RoundTripsAndRefusesReservedBits) {
  Trailer trailer;
  trailer.content_digest.fill(1);
  trailer.file_hash.fill(2);
  Bytes bytes;
  Encode(trailer, bytes);
  ASSERT_EQ(bytes.size(), kTrailerSize);
  const auto decoded = DecodeTrailer(bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->content_digest, trailer.content_digest);
  EXPECT_EQ(decoded->file_hash, trailer.file_hash);
  for (size_t offset = 0; offset < 8; ++offset) {
    Bytes bad = bytes;
    bad[offset] ^= 1;
    EXPECT_FALSE(DecodeTrailer(bad)) << offset;
  }
  EXPECT_FALSE(DecodeTrailer(ByteView(bytes).first(kTrailerSize - 1)));
}

TEST(ContentDigest, IsSha256OverTheSortedIds) {
  EXPECT_EQ(ToHex(ContentDigest(ObjectIdTable())),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace zpack::format
