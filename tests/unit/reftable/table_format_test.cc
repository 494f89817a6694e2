// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of a reftable against literal bytes.

#include "reftable/table_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/offset_varint.h"
#include "reftable/table_block.h"
#include "reftable/table_records.h"
#include "support/matchers.h"

namespace zpack::reftable {
namespace {

using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::HasSubstr;
using testing::IsError;
using testing::IsOk;

const std::string kPath = "a.ref";

TEST(ReftableVarint, IsThatOfDeltaOffsets) {
  Bytes bytes;
  AppendOffsetVarint(0, bytes);
  AppendOffsetVarint(127, bytes);
  AppendOffsetVarint(128, bytes);
  AppendOffsetVarint(16511, bytes);
  AppendOffsetVarint(16512, bytes);
  EXPECT_THAT(bytes, ElementsAre(0, 0x7f, 0x80, 0, 0xff, 0x7f, 0x80, 0x80, 0));
  ByteReader in(bytes);
  EXPECT_EQ(ReadOffsetVarint(in), 0U);
  EXPECT_EQ(ReadOffsetVarint(in), 127U);
  EXPECT_EQ(ReadOffsetVarint(in), 128U);
  EXPECT_EQ(ReadOffsetVarint(in), 16511U);
  EXPECT_EQ(ReadOffsetVarint(in), 16512U);
  EXPECT_TRUE(in.exhausted());
}

TEST(ReftableVarint, HoldsAllNumbersOf64Bits) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  for (const uint64_t value :
       {kMax, kMax - 1, kMax >> 1, (kMax >> 1) + 1, kMax >> 7, kMax >> 8}) {
    Bytes bytes;
    AppendOffsetVarint(value, bytes);
    ByteReader in(bytes);
    EXPECT_EQ(ReadOffsetVarint(in), value);
    EXPECT_TRUE(in.exhausted());
    // One more would need 65 bits.
    if (value != kMax) continue;
    bytes.back() = 0x80;
    bytes.push_back(0);
    ByteReader larger(bytes);
    EXPECT_EQ(ReadOffsetVarint(larger), std::nullopt);
  }
}

TEST(ReftableVarint, EndsWithItsInput) {
  for (const Bytes& bytes : {Bytes{}, Bytes{0x80}, Bytes(30, 0xff)}) {
    ByteReader in(bytes);
    EXPECT_EQ(ReadOffsetVarint(in), std::nullopt);
  }
}

TEST(TableHeaderTest, HasTwoVersions) {
  const TableHeader sha1{1, ObjectFormat::kSha1, 0x1000, 2, 3};
  Bytes bytes;
  Encode(sha1, bytes);
  EXPECT_THAT(bytes, ElementsAre('R', 'E', 'F', 'T', 1, 0, 0x10, 0,  //
                                 0, 0, 0, 0, 0, 0, 0, 2,             //
                                 0, 0, 0, 0, 0, 0, 0, 3));
  EXPECT_EQ(*DecodeTableHeader(bytes, {kPath}), sha1);
  const TableHeader sha256{2, ObjectFormat::kSha256, 0, 0, 0};
  bytes.clear();
  Encode(sha256, bytes);
  EXPECT_EQ(bytes.size(), 28U);
  EXPECT_EQ(AsText(bytes).substr(24), "s256");
  EXPECT_EQ(*DecodeTableHeader(bytes, {kPath}), sha256);
}

TEST(TableHeaderTest, RefusesWhatItDoesNotKnow) {
  Bytes bytes;
  Encode(TableHeader{2, ObjectFormat::kSha1, 0, 5, 5}, bytes);
  const auto decode = [&](size_t at, uint8_t value) {
    Bytes changed = bytes;
    changed[at] = value;
    return DecodeTableHeader(changed, {kPath});
  };
  EXPECT_THAT(decode(0, 'r'),
              IsError(ErrorCode::kSourceCorrupt, HasSubstr("'a.ref'")));
  EXPECT_THAT(decode(4, 3), HasCode(ErrorCode::kUnsupported));
  EXPECT_THAT(decode(27, '5'), HasCode(ErrorCode::kUnsupported));
  EXPECT_THAT(decode(15, 6),
              IsError(ErrorCode::kSourceCorrupt, HasSubstr("reversed")));
  EXPECT_THAT(DecodeTableHeader(ByteView(bytes).first(27), {kPath}),
              HasCode(ErrorCode::kSourceCorrupt));
}

TEST(TableFooterTest, EndsWithAChecksum) {
  TableFooter footer;
  footer.header = {1, ObjectFormat::kSha1, 0, 1, 1};
  footer.ref_index_position = 24;
  footer.object_position = 100;
  footer.object_id_width = 3;
  footer.log_index_position = 200;
  Bytes bytes;
  Encode(footer, bytes);
  EXPECT_EQ(bytes.size(), 68U);
  EXPECT_EQ(*DecodeTableFooter(bytes, {kPath}), footer);
  for (size_t i = 24; i < bytes.size(); ++i) {
    bytes[i] ^= 1;
    EXPECT_THAT(DecodeTableFooter(bytes, {kPath}),
                HasCode(ErrorCode::kSourceCorrupt));
    bytes[i] ^= 1;
  }
}

TEST(RefNames, InTablesMayBeOutsideOfRefs) {
  for (const char* const name :
       {"HEAD", "ORIG_HEAD", "refs/heads/main", "one", "a/b"}) {
    EXPECT_TRUE(IsStoredRefName(name)) << name;
  }
  for (const std::string name :
       {"", "refs/", "refs/heads/", "/a", "a//b", "../a", "refs/../a", ".a",
        "a.lock", "a b", "a\n"}) {
    EXPECT_FALSE(IsStoredRefName(name)) << name;
  }
  EXPECT_FALSE(IsStoredRefName({"a\0b", 3}));
  EXPECT_TRUE(IsStoredRefName("refs/" + std::string(4090, 'a')));
  EXPECT_FALSE(IsStoredRefName("refs/" + std::string(4091, 'a')));
  EXPECT_FALSE(IsStoredRefName(std::string(4091, 'a')));
}

// A block of two records, 'ab' with type 1 and 'ac' with type 0, that have
// values of one byte.
Bytes TwoRecords(uint32_t restart_interval) {
  BlockBuilder builder(restart_interval);
  builder.Start(BlockType::kIndex, {});
  EXPECT_TRUE(builder.Add("ab", 1, Bytes{7}, 100));
  EXPECT_TRUE(builder.Add("ac", 0, Bytes{8}, 100));
  return builder.Finish();
}

TEST(TableBlockTest, CompressesPrefixes) {
  EXPECT_THAT(TwoRecords(16), ElementsAre('i', 0, 0, 18,         //
                                          0, 0x11, 'a', 'b', 7,  //
                                          1, 0x08, 'c', 8,       //
                                          0, 0, 4,               // restart
                                          0, 1));
  EXPECT_THAT(TwoRecords(1), ElementsAre('i', 0, 0, 22,         //
                                         0, 0x11, 'a', 'b', 7,  //
                                         0, 0x10, 'a', 'c', 8,  //
                                         0, 0, 4, 0, 0, 9,      //
                                         0, 2));
}

// Walks a block of TwoRecords; returns what is wrong with it.
std::string Walk(const Bytes& block) {
  BlockCursor cursor;
  std::string problem(cursor.Open(block, kBlockHeaderSize));
  std::string key;
  unsigned type = 0;
  while (problem.empty() && !cursor.at_end()) {
    problem = cursor.ReadKey(key, type);
    cursor.value().U8();
  }
  return problem.empty() ? std::string(cursor.Finish()) : problem;
}

TEST(TableBlockTest, IsCheckedRecordByRecord) {
  const auto walk = [](uint32_t interval, size_t at, uint8_t value) {
    Bytes block = TwoRecords(interval);
    block[at] = value;
    return Walk(block);
  };
  EXPECT_EQ(Walk(TwoRecords(16)), "");
  EXPECT_EQ(Walk(TwoRecords(1)), "");
  EXPECT_EQ(walk(16, 17, 0), "a block has a wrong number of restarts");
  EXPECT_EQ(walk(16, 17, 5), "a block has a wrong number of restarts");
  EXPECT_EQ(walk(16, 15, 5), "the first restart is wrong");
  EXPECT_EQ(walk(16, 9, 3), "a record has a wrong prefix");
  EXPECT_EQ(walk(16, 11, 'b'), "records are not in order");
  EXPECT_EQ(walk(16, 11, 'a'), "records are not in order");
  EXPECT_EQ(walk(16, 10, 0x20), "a record is cut off");
  EXPECT_EQ(walk(1, 19, 8), "a restart is not at a record");
  EXPECT_EQ(walk(1, 19, 10), "a restart is not at a record");
  EXPECT_EQ(walk(1, 19, 4), "a restart is not at a record");
  EXPECT_EQ(walk(1, 9, 1), "a record has a wrong prefix");
  EXPECT_EQ(Walk(Bytes(8)), "a block is too short");
  EXPECT_EQ(Walk({'i', 0, 0, 9, 0, 0, 4, 0, 1}), "a block without records");
}

TEST(LogRecordTest, HasKeysThatPutTheNewestFirst) {
  LogRecord record;
  record.ref_name = "HEAD";
  record.update_index = 1;
  const std::string first = KeyOf(record);
  EXPECT_EQ(first, std::string("HEAD\0\xff\xff\xff\xff\xff\xff\xff\xfe", 13));
  record.update_index = 2;
  EXPECT_LT(KeyOf(record), first);
}

}  // namespace
}  // namespace zpack::reftable
