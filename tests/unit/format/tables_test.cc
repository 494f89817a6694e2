// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Block table, object index and trailer.

#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <random>

#include "base/hex.h"
#include "format/block_table.h"
#include "format/object_index.h"
#include "format/trailer.h"

namespace zpack::format {
namespace {

// Offset and first object of each row.
using TableRows = std::vector<std::pair<uint64_t, uint32_t>>;

Result<BlockTable> Decode(const TableRows& rows) {
  BlockTable table;
  for (const auto& [offset, first] : rows) {
    table.rows.push_back({offset, ObjectNumber(first)});
  }
  Bytes payload;
  Encode(table, payload);
  return DecodeBlockTable(payload, 100, 300, {0, 10});
}

TEST(BlockTable, FindsTheBlockOfEveryObject) {
  // Object 4 lies in three segments.
  const auto table =
      Decode({{100, 0}, {130, 4}, {160, 4}, {190, 4}, {220, 5}, {300, 10}});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->block_count(), 5U);
  EXPECT_EQ(table->FindBlock(ObjectNumber(0)), 0U);
  EXPECT_EQ(table->FindBlock(ObjectNumber(3)), 0U);
  EXPECT_EQ(table->FindBlock(ObjectNumber(4)), 1U);
  EXPECT_EQ(table->FindBlock(ObjectNumber(5)), 4U);
  EXPECT_EQ(table->FindBlock(ObjectNumber(9)), 4U);
}

TEST(BlockTable, AcceptsNoBlocksOnlyWithoutObjects) {
  Bytes payload;
  Encode(BlockTable{{{100, ObjectNumber(0)}}}, payload);
  EXPECT_TRUE(DecodeBlockTable(payload, 100, 100, {}));
  EXPECT_FALSE(DecodeBlockTable(payload, 100, 100, {0, 1}));
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

TEST(BlockTable, RefusesSegmentsOfMoreThanOneObject) {
  EXPECT_TRUE(Decode({{100, 0}, {130, 0}, {160, 1}, {300, 10}}));
  EXPECT_FALSE(Decode({{100, 0}, {130, 0}, {160, 2}, {300, 10}}));
  EXPECT_FALSE(Decode({{100, 0}, {130, 8}, {160, 8}, {300, 10}}));
  EXPECT_TRUE(Decode({{100, 0}, {130, 9}, {160, 9}, {300, 10}}));
}

TEST(BlockTable, RefusesOffsetsThatWrapAround) {
  EXPECT_FALSE(Decode({{100, 0}, {~uint64_t{0} - 4, 5}, {300, 10}}));
}

TEST(BlockTable, RefusesAPartialRow) {
  EXPECT_FALSE(DecodeBlockTable(Bytes(13), 100, 300, {0, 10}));
}

ObjectIdTable TwoIds() {
  Bytes ids(40, 0);
  ids[0] = 0x10;
  ids[20] = 0x20;
  return *ObjectIdTable::FromSorted(ObjectFormat::kSha1, ids);
}

// `count` ids with all bytes in use, in order.
ObjectIdTable ManyIds(uint32_t count) {
  std::mt19937_64 random(count);
  Bytes ids(size_t{count} * 20);
  for (uint8_t& byte : ids) byte = static_cast<uint8_t>(random());
  return *ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, ids);
}

TEST(ObjectIndex, RoundTripsIds) {
  Bytes payload;
  EncodeObjectIds(TwoIds(), payload);
  EXPECT_EQ(payload.size(), 2U + 1024U + 2 * 19U);
  const auto ids = DecodeObjectIds(payload, ObjectFormat::kSha1, 2);
  ASSERT_TRUE(ids);
  EXPECT_EQ(*ids, TwoIds());
}

TEST(ObjectIndex, LeavesOutMoreOfManyIds) {
  for (const uint32_t count : {65535U, 65536U, 100000U}) {
    const ObjectIdTable many = ManyIds(count);
    Bytes payload;
    EncodeObjectIds(many, payload);
    EXPECT_EQ(payload.size(),
              2 + 1024 + (count < 65536 ? count * 19 : 65536 + count * 18));
    const auto ids = DecodeObjectIds(payload, ObjectFormat::kSha1, count);
    ASSERT_TRUE(ids);
    EXPECT_EQ(*ids, many);
  }
}

TEST(ObjectIndex, TakesMoreThan255IdsThatBeginAlike) {
  Bytes ids(size_t{70000} * 20, 0);
  for (uint32_t i = 0; i < 70000; ++i) {
    // Three bytes that count, after two that are the same for all.
    ids[i * 20 + 2] = static_cast<uint8_t>(i >> 16);
    ids[i * 20 + 3] = static_cast<uint8_t>(i >> 8);
    ids[i * 20 + 4] = static_cast<uint8_t>(i);
  }
  const auto alike = ObjectIdTable::FromSorted(ObjectFormat::kSha1, ids);
  ASSERT_TRUE(alike);
  Bytes payload;
  EncodeObjectIds(*alike, payload);
  const auto decoded = DecodeObjectIds(payload, ObjectFormat::kSha1, 70000);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, *alike);
}

TEST(ObjectIndex, RefusesAFanOutThatDoesNotFit) {
  Bytes good;
  EncodeObjectIds(TwoIds(), good);
  for (size_t offset = 0; offset < 2 + 1024; ++offset) {
    for (const uint8_t bit : {1, 128}) {
      Bytes bad = good;
      bad[offset] ^= bit;
      const auto ids = DecodeObjectIds(bad, ObjectFormat::kSha1, 2);
      // It may also say that an id begins otherwise.
      if (ids) {
        EXPECT_NE(ids->fan_out(), TwoIds().fan_out()) << offset;
      } else {
        EXPECT_EQ(ids.error().code, ErrorCode::kCorrupt);
      }
    }
  }
  const ObjectIdTable many = ManyIds(65536);
  good.clear();
  EncodeObjectIds(many, good);
  // The header, and entries at both ends and in the middle of both tables.
  std::vector<size_t> offsets = {0, 1};
  for (const size_t entry : {0, 127, 128, 255}) {
    for (const size_t byte : {0, 3}) offsets.push_back(2 + entry * 4 + byte);
  }
  for (const size_t bucket : {0, 1, 255, 256, 32767, 32768, 65279, 65535}) {
    offsets.push_back(2 + 1024 + bucket);
  }
  for (const size_t offset : offsets) {
    ++good[offset];
    const auto ids = DecodeObjectIds(good, ObjectFormat::kSha1, 65536);
    ASSERT_FALSE(ids) << offset;
    EXPECT_EQ(ids.error().code, ErrorCode::kCorrupt);
    --good[offset];
  }
  EXPECT_TRUE(DecodeObjectIds(good, ObjectFormat::kSha1, 65536));
}

TEST(ObjectIndex, RefusesAnotherCountThanTheHeaders) {
  Bytes payload;
  EncodeObjectIds(TwoIds(), payload);
  EXPECT_FALSE(DecodeObjectIds(payload, ObjectFormat::kSha1, 1));
  EXPECT_FALSE(DecodeObjectIds(payload, ObjectFormat::kSha1, 0xffffffff));
  EXPECT_FALSE(DecodeObjectIds({}, ObjectFormat::kSha1, 0));
}

TEST(ObjectIndex, NeedsBothChunks) {
  const ChunkLocation ids{kObjectIdsChunk, 1, 100, 0};
  const ChunkLocation numbers{kObjectNumbersChunk, 1, 200, 0};
  EXPECT_TRUE(FindIndexChunks({{ids, numbers}}, {}));
  for (const ChunkLocation& one : {ids, numbers}) {
    const auto chunks = FindIndexChunks({{one}}, {});
    ASSERT_FALSE(chunks);
    EXPECT_EQ(chunks.error().code, ErrorCode::kCorrupt);
  }
}

TEST(ObjectIndex, HasADigestInItsPlaceExactlyWithTheFeature) {
  const ChunkLocation ids{kObjectIdsChunk, 1, 100, 0};
  const ChunkLocation numbers{kObjectNumbersChunk, 1, 200, 0};
  const ChunkLocation digest{kIdsDigestChunk, 1, 300, 32};
  const std::vector<std::string> derived = {"deltas", "derived-ids"};
  const auto found = FindIndexChunks({{digest}}, derived);
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
  EXPECT_FALSE(FindIndexChunks({{digest}}, {"deltas"}));
  EXPECT_FALSE(FindIndexChunks({{ids, numbers, digest}}, {"deltas"}));
  EXPECT_FALSE(FindIndexChunks({{ids, numbers}}, derived));
  EXPECT_FALSE(FindIndexChunks({{ids, digest}}, derived));
  EXPECT_FALSE(FindIndexChunks({{numbers, digest}}, derived));
}

TEST(ObjectIndex, ADigestHas32Bytes) {
  EXPECT_TRUE(DecodeIdsDigest(Bytes(32, 7)));
  EXPECT_FALSE(DecodeIdsDigest(Bytes(31, 7)));
  EXPECT_FALSE(DecodeIdsDigest(Bytes(33, 7)));
}

IndexedVector<FileRank, ObjectNumber> Numbers(
    const std::vector<uint32_t>& integers) {
  IndexedVector<FileRank, ObjectNumber> numbers;
  for (const uint32_t number : integers) {
    numbers.push_back(ObjectNumber(number));
  }
  return numbers;
}

TEST(ObjectNumbers, RoundTripAndMustBeAPermutation) {
  const auto decode = [](const std::vector<uint32_t>& numbers) {
    Bytes payload;
    EncodeObjectNumbers(Numbers(numbers), payload);
    return DecodeObjectNumbers(payload, 3);
  };
  EXPECT_EQ(*decode({2, 0, 1}), Numbers({2, 0, 1}));
  EXPECT_FALSE(decode({2, 0, 0}));
  EXPECT_FALSE(decode({3, 0, 1}));
  EXPECT_FALSE(decode({0, 1, 2, 3, 4}));
}

TEST(ObjectNumbers, TakeAsManyBitsAsTheyNeed) {
  for (const uint32_t count : {0U, 1U, 2U, 3U, 8U, 9U, 1000U, 70000U}) {
    std::vector<uint32_t> integers(count);
    std::iota(integers.rbegin(), integers.rend(), 0U);
    const auto numbers = Numbers(integers);
    Bytes payload;
    EncodeObjectNumbers(numbers, payload);
    const auto bits =
        count < 2 ? 0 : static_cast<size_t>(std::bit_width(count - 1));
    EXPECT_EQ(payload.size(), (count * bits + 7) / 8);
    const auto decoded = DecodeObjectNumbers(payload, count);
    ASSERT_TRUE(decoded) << count;
    EXPECT_EQ(*decoded, numbers);
    payload.push_back(0);
    EXPECT_FALSE(DecodeObjectNumbers(payload, count));
  }
  // Two bits each of 2, 0, 1, and two that are not used.
  EXPECT_TRUE(DecodeObjectNumbers(Bytes{0b10'00'01'00}, 3));
  EXPECT_FALSE(DecodeObjectNumbers(Bytes{0b10'00'01'01}, 3));
}

TEST(InversePermutation, IsItsOwnInverse) {
  const auto permutation = Numbers({2, 0, 3, 1});
  const IndexedVector<ObjectNumber, FileRank> inverse(
      {FileRank(1), FileRank(3), FileRank(0), FileRank(2)});
  EXPECT_EQ(InversePermutation(permutation), inverse);
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
