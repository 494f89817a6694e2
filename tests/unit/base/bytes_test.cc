// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/bytes.h"

#include <gtest/gtest.h>

#include <limits>

namespace zpack {
namespace {

Bytes Written(uint64_t varint) {
  Bytes out;
  ByteWriter(out).Varint(varint);
  return out;
}

TEST(ByteWriter, WritesIntegersBigEndian) {
  Bytes out;
  ByteWriter to(out);
  to.U8(0x01);
  to.U16(0x0203);
  to.U32(0x04050607);
  to.U64(0x08090a0b0c0d0e0f);
  EXPECT_EQ(out, (Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(ByteWriter, WritesVarintsLeastSignificantFirst) {
  EXPECT_EQ(Written(0), (Bytes{0}));
  EXPECT_EQ(Written(127), (Bytes{0x7f}));
  EXPECT_EQ(Written(128), (Bytes{0x80, 0x01}));
  EXPECT_EQ(Written(300), (Bytes{0xac, 0x02}));
}

TEST(ByteReader, ReadsBackWhatWasWritten) {
  for (const uint64_t value :
       {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 35,
        std::numeric_limits<uint64_t>::max()}) {
    const Bytes bytes = Written(value);
    ByteReader in(bytes);
    EXPECT_EQ(in.Varint(), value);
    EXPECT_TRUE(in.exhausted());
  }
}

TEST(ByteReader, FailsForGoodAfterAReadPastTheEnd) {
  const Bytes bytes = {1, 2, 3};
  ByteReader in(bytes);
  EXPECT_EQ(in.U32(), 0U);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.U8(), 0);
  EXPECT_FALSE(in.exhausted());
}

TEST(ByteReader, RefusesVarintsThatAreNotMinimal) {
  const Bytes bytes = {0x80, 0x00};
  ByteReader in(bytes);
  in.Varint();
  EXPECT_FALSE(in.ok());
}

TEST(ByteReader, RefusesVarintsAbove64Bits) {
  const Bytes bytes = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2};
  ByteReader in(bytes);
  in.Varint();
  EXPECT_FALSE(in.ok());
}

TEST(ByteReader, RefusesVarintsThatDoNotEnd) {
  const Bytes bytes(11, 0x80);
  ByteReader in(bytes);
  in.Varint();
  EXPECT_FALSE(in.ok());
}

TEST(ByteReader, RefusesACountThatTheRestCannotHold) {
  const Bytes bytes(10, 0);
  ByteReader enough(bytes);
  EXPECT_EQ(enough.Count(5, 2), 5U);
  ByteReader short_by_one(bytes);
  EXPECT_EQ(short_by_one.Count(6, 2), 0U);
  EXPECT_FALSE(short_by_one.ok());
}

TEST(ByteReader, RefusesALengthAboveTheRest) {
  const Bytes bytes = {0xff, 0xff, 0xff, 0xff, 0x0f, 1};
  ByteReader in(bytes);
  EXPECT_TRUE(in.LengthPrefixed().empty());
  EXPECT_FALSE(in.ok());
}

TEST(ZigZag, MakesNumbersNearZeroSmall) {
  EXPECT_EQ(ZigZag(0), 0U);
  EXPECT_EQ(ZigZag(-1), 1U);
  EXPECT_EQ(ZigZag(1), 2U);
  EXPECT_EQ(ZigZag(-2), 3U);
  EXPECT_EQ(ZigZag(2), 4U);
}

TEST(ZigZag, GivesEveryNumberBack) {
  using Limits = std::numeric_limits<int64_t>;
  EXPECT_EQ(ZigZag(Limits::max()), std::numeric_limits<uint64_t>::max() - 1);
  EXPECT_EQ(ZigZag(Limits::min()), std::numeric_limits<uint64_t>::max());
  for (const int64_t value :
       {int64_t{0}, int64_t{-1}, int64_t{63}, int64_t{-64}, int64_t{1} << 40,
        Limits::min(), Limits::max()}) {
    EXPECT_EQ(UnZigZag(ZigZag(value)), value);
  }
}

}  // namespace
}  // namespace zpack
