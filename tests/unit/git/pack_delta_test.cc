// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/pack_delta.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "support/matchers.h"

namespace zpack {
namespace {

using std::string_literals::operator""s;
using testing::HasCode;
using testing::IsOk;

constexpr uint64_t kMaxSize = 1 << 20;

Result<std::string> Apply(const std::string& base, const std::string& delta) {
  Bytes out;
  ZPACK_TRY(ApplyPackDelta(AsBytes(base), AsBytes(delta), kMaxSize, out));
  return std::string(AsText(out));
}

TEST(ApplyPackDelta, CopiesAndInserts) {
  // 11 bytes from 10: "bcd" from offset 1, then "XY", then 6 from offset 4.
  EXPECT_EQ(Apply("abcdefghij", "\x0a\x0b\x91\x01\x03\x02XY\x91\x04\x06"),
            "bcdXYefghij");
  EXPECT_EQ(Apply("abc", "\x03\x00"s), "");
  EXPECT_EQ(Apply("", "\x00\x02\x02hi"s), "hi");
}

TEST(ApplyPackDelta, CopiesFromZeroWithoutOffsetBytes) {
  EXPECT_EQ(Apply("abcdefghij", "\x0a\x02\x90\x02"), "ab");
}

TEST(ApplyPackDelta, TakesEveryByteOfOffsetAndLength) {
  std::string base(0x30000, 'a');
  base[0x10203] = 'b';
  // Sizes 0x30000 and 0x20001; offset 0x010203, length 0x020001.
  const std::string delta =
      "\x80\x80\x0c\x81\x80\x08\xf7\x03\x02\x01\x01\x00\x02"s;
  EXPECT_EQ(Apply(base, "\x80\x80\x0c\x81\x80\x04\xf7\x03\x02\x01\x01\x00\x01"s)
                .value_or(""),
            base.substr(0x10203, 0x10001));
  EXPECT_THAT(Apply(base, delta), HasCode(ErrorCode::kCorrupt));
}

TEST(ApplyPackDelta, NoLengthIs64KiB) {
  const std::string base(0x10000, 'x');
  EXPECT_EQ(Apply(base, "\x80\x80\x04\x80\x80\x04\x80"), base);
}

TEST(ApplyPackDelta, RejectsWhatDoesNotFit) {
  for (const std::string& delta : {
           ""s,                              // no header
           "\x0a"s,                          // half a header
           "\x09\x01\x90\x01"s,              // another base
           "\x0a\x03\x90\x02"s,              // too little
           "\x0a\x01\x90\x02"s,              // too much
           "\x0a\x02\x91\x09\x02"s,          // beyond the base
           "\x0a\x02\x90"s,                  // length is missing
           "\x0a\x02\x02x"s,                 // literals are missing
           "\x0a\x02\x00\x90\x02"s,          // reserved
           std::string(10, '\xff') + "\x01"  // a size above 64 bits
       }) {
    EXPECT_THAT(Apply("abcdefghij", delta), HasCode(ErrorCode::kCorrupt))
        << ::testing::PrintToString(delta);
  }
}

TEST(ApplyPackDelta, RefusesALargeResultBeforeItIsAllocated) {
  EXPECT_THAT(Apply("", "\x00\xff\xff\xff\xff\xff\x0f\x01x"s),
              HasCode(ErrorCode::kLimitExceeded));
}

TEST(DecodePackDeltaHeader, ReadsSizesAndItsOwn) {
  const auto header = DecodePackDeltaHeader(AsBytes("\x80\x01\x05rest"));
  ASSERT_THAT(header, IsOk());
  EXPECT_EQ(header->base_size, 128U);
  EXPECT_EQ(header->result_size, 5U);
  EXPECT_EQ(header->size, 3U);
}

}  // namespace
}  // namespace zpack
