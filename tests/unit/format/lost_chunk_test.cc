// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/lost_chunk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "support/matchers.h"

namespace zpack::format {
namespace {

using ::testing::HasSubstr;
using zpack::testing::HasCode;
using zpack::testing::IsError;
using zpack::testing::IsOk;

constexpr size_t kSha1Width = 20;

// Ids that begin with these bytes, and are zero otherwise.
Bytes IdsOf(const std::vector<uint8_t>& starts, size_t width = kSha1Width) {
  Bytes bytes;
  for (const uint8_t start : starts) {
    bytes.push_back(start);
    bytes.insert(bytes.end(), width - 1, 0);
  }
  return bytes;
}

LostObjects SampleLosses(ObjectFormat format) {
  return {*ObjectIdTable::FromSorted(
              format, IdsOf({1, 2, 0xff}, ObjectIdWidth(format))),
          {ObjectType::kBlob, std::nullopt, ObjectType::kCommit}};
}

Bytes EncodedLost(const LostObjects& lost) {
  Bytes payload;
  Encode(lost, payload);
  return payload;
}

Result<LostObjects> DecodedLost(const Bytes& payload) {
  return DecodeLostObjects(payload, ObjectFormat::kSha1);
}

Bytes LostPayload(uint64_t count, const std::vector<uint8_t>& starts,
                  const std::vector<uint8_t>& types) {
  Bytes payload;
  ByteWriter(payload).Varint(count);
  Append(payload, IdsOf(starts));
  Append(payload, types);
  return payload;
}

TEST(LostChunk, RoundTrips) {
  for (const ObjectFormat format :
       {ObjectFormat::kSha1, ObjectFormat::kSha256}) {
    const LostObjects lost = SampleLosses(format);
    const auto decoded = DecodeLostObjects(EncodedLost(lost), format);
    ASSERT_THAT(decoded, IsOk());
    EXPECT_EQ(*decoded, lost);
  }
}

TEST(LostChunk, HasTheBytesOfTheSpecification) {
  Bytes expected = {3};
  Append(expected, IdsOf({1, 2, 0xff}));
  Append(expected, Bytes{3, 0, 1});
  EXPECT_EQ(EncodedLost(SampleLosses(ObjectFormat::kSha1)), expected);
}

TEST(LostChunk, RefusesACountThatDoesNotFit) {
  ASSERT_THAT(DecodedLost(LostPayload(2, {1, 2}, {0, 4})), IsOk());
  for (const uint64_t count : {uint64_t{0}, uint64_t{1}, uint64_t{3},
                               ~uint64_t{0} / (kSha1Width + 1) + 1,
                               ~uint64_t{0} / kSha1Width + 1, ~uint64_t{0}}) {
    EXPECT_THAT(DecodedLost(LostPayload(count, {1, 2}, {0, 4})),
                IsError(ErrorCode::kCorrupt, HasSubstr("bad number of ids")))
        << count;
  }
  EXPECT_THAT(DecodedLost(LostPayload(0, {}, {})),
              HasCode(ErrorCode::kCorrupt));
}

TEST(LostChunk, RefusesIdsOutOfOrderAndTwice) {
  EXPECT_THAT(DecodedLost(LostPayload(2, {2, 1}, {0, 0})),
              IsError(ErrorCode::kCorrupt, HasSubstr("bad order of ids")));
  EXPECT_THAT(DecodedLost(LostPayload(2, {2, 2}, {0, 0})),
              HasCode(ErrorCode::kCorrupt));
}

TEST(LostChunk, RefusesTheNullId) {
  EXPECT_THAT(DecodedLost(LostPayload(2, {0, 1}, {0, 0})),
              IsError(ErrorCode::kCorrupt, HasSubstr("bad id")));
}

TEST(LostChunk, RefusesATypeThatIsNone) {
  for (const uint8_t type : {5, 6, 7, 128, 255}) {
    EXPECT_THAT(DecodedLost(LostPayload(2, {1, 2}, {0, type})),
                IsError(ErrorCode::kCorrupt, HasSubstr("bad type")));
  }
}

TEST(LostChunk, RefusesEveryTruncation) {
  const Bytes payload = EncodedLost(SampleLosses(ObjectFormat::kSha1));
  for (size_t size = 0; size < payload.size(); ++size) {
    const auto end = payload.begin() + static_cast<ptrdiff_t>(size);
    EXPECT_THAT(DecodedLost(Bytes(payload.begin(), end)),
                HasCode(ErrorCode::kCorrupt))
        << size;
  }
  Bytes longer = payload;
  longer.push_back(0);
  EXPECT_THAT(DecodedLost(longer), HasCode(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace zpack::format
