// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_delta.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <utility>

#include "base/error.h"
#include "delta/delta_encoder.h"
#include "support/matchers.h"
#include "support/repo_builder.h"

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

// Also without a limit.
TEST(ApplyPackDelta, RefusesAFalseSizeBeforeItIsAllocated) {
  Bytes out;
  // 4 PiB from one byte.
  EXPECT_THAT(
      ApplyPackDelta({}, AsBytes("\x00\x80\x80\x80\x80\x80\x80\x80\x08\x01x"s),
                     std::numeric_limits<uint64_t>::max(), out),
      HasCode(ErrorCode::kCorrupt));
}

bool Gives(const std::string& base, const std::string& delta,
           const std::string& target) {
  return PackDeltaGives(AsBytes(base), AsBytes(delta), AsBytes(target));
}

TEST(PackDeltaGives, ComparesWithoutApplying) {
  const std::string delta = "\x0a\x0b\x91\x01\x03\x02XY\x91\x04\x06";
  EXPECT_TRUE(Gives("abcdefghij", delta, "bcdXYefghij"));
  EXPECT_FALSE(Gives("abcdefghij", delta, "bcdXYefghiX")) << "a copy";
  EXPECT_FALSE(Gives("abcdefghij", delta, "bcdXZefghij")) << "a literal";
  EXPECT_FALSE(Gives("abcdefghij", delta, "bcdXYefghi")) << "another size";
  EXPECT_FALSE(Gives("abcdefghijk", delta, "bcdXYefghij")) << "another base";
  EXPECT_FALSE(Gives("abcdefghiX", delta, "bcdXYefghij")) << "the like";
}

TEST(PackDeltaGives, IsFalseForWhatCannotBeApplied) {
  EXPECT_FALSE(Gives("abcdefghij", "\x0a\x03\x90\x02", "abc")) << "too little";
  EXPECT_FALSE(Gives("abcdefghij", "\x0a\x01\x90\x02", "a")) << "too much";
  EXPECT_FALSE(Gives("abcdefghij", "\x0a\x02\x91\x09\x02", "ja"));
  EXPECT_FALSE(Gives("abcdefghij", "\x0a\x02\x00\x90\x02"s, "ab"));
  EXPECT_FALSE(Gives("", "", ""));
}

TEST(DecodePackDeltaHeader, ReadsSizesAndItsOwn) {
  const auto header = DecodePackDeltaHeader(AsBytes("\x80\x01\x05rest"));
  ASSERT_THAT(header, IsOk());
  EXPECT_EQ(header->base_size, 128U);
  EXPECT_EQ(header->result_size, 5U);
  EXPECT_EQ(header->size, 3U);
}

std::string Encode(const std::string& base, const std::string& target,
                   const Delta& delta) {
  Bytes out;
  EncodePackDelta(base.size(), AsBytes(target), delta, out);
  return std::string(AsText(out));
}

TEST(EncodePackDelta, WritesCopiesAndLiterals) {
  Delta delta;
  delta.copies = {{0, 3, 1}, {2, 6, 4}};
  EXPECT_EQ(Encode("abcdefghij", "bcdXYefghij", delta),
            "\x0a\x0b\x91\x01\x03\x02XY\x91\x04\x06");
  EXPECT_EQ(Encode("abc", "", Delta()), "\x03\x00"s);
}

TEST(EncodePackDelta, LeavesOutBytesThatAreZero) {
  const std::string base(0x20000, 'x');
  Delta delta;
  delta.copies = {{0, 0x100, 0x10000}};
  EXPECT_EQ(Encode(base, std::string(0x100, 'x'), delta),
            "\x80\x80\x08\x80\x02\xa4\x01\x01");
}

TEST(EncodePackDelta, SplitsLongCopiesAndLiterals) {
  const std::string base = testing::RandomBytes(1, 200000);
  const std::string literals = testing::RandomBytes(2, 300);
  const std::string target = literals + base.substr(7, 150000);
  Delta delta;
  delta.copies = {{300, 150000, 7}};
  EXPECT_EQ(Apply(base, Encode(base, target, delta)), target);
}

// A text of parts of `base` and of new bytes.
std::string Rearranged(const std::string& base, std::mt19937& random) {
  std::string target;
  for (unsigned pieces = random() % 6; pieces > 0; --pieces) {
    const size_t at = random() % (base.size() + 1);
    target += base.substr(at, random() % 100000);
    target += testing::RandomBytes(random(), random() % 400);
  }
  return target;
}

// Whatever the encoder finds, Git's form of it stands for the target.
TEST(EncodePackDelta, GivesTheTargetBack) {
  DeltaEncoder encoder({48, 240, 0, 0});
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const std::string base =
        testing::RandomBytes(static_cast<uint64_t>(round), random() % 200000);
    const std::string target = Rearranged(base, random);
    Delta delta;
    if (!encoder.Encode(AsBytes(base), AsBytes(target), UINT64_MAX, delta)) {
      continue;
    }
    EXPECT_TRUE(Gives(base, Encode(base, target, delta), target));
    EXPECT_EQ(Apply(base, Encode(base, target, delta)), target)
        << "round " << round;
  }
}

Bytes DeltaOf(const std::string& base, const std::string& target) {
  DeltaEncoder encoder({48, 240, 0, 0});
  Delta delta;
  encoder.Encode(AsBytes(base), AsBytes(target), UINT64_MAX, delta);
  Bytes out;
  EncodePackDelta(base.size(), AsBytes(target), delta, out);
  return out;
}

std::string ContentOf(const PackDeltaStack& stack) {
  Bytes out;
  stack.CopyTo(out);
  return std::string(AsText(out));
}

TEST(PackDeltaStack, GivesWhatDeltasGiveOneAfterTheOther) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const std::string base =
        testing::RandomBytes(static_cast<uint64_t>(round), random() % 200000);
    PackDeltaStack stack(AsBytes(base));
    EXPECT_EQ(ContentOf(stack), base);
    std::string text = base;
    for (int version = 0; version < 30; ++version) {
      std::string next = Rearranged(text, random);
      // Grows beyond what is kept of deltas now and then.
      if (version == 20) next += testing::RandomBytes(random(), 3 << 20);
      ASSERT_THAT(stack.Apply(DeltaOf(text, next), 1 << 24), IsOk());
      text = std::move(next);
      ASSERT_EQ(stack.size(), text.size());
      ASSERT_EQ(ContentOf(stack), text) << round << ' ' << version;
    }
  }
}

// Many small parts of a content that consists of many parts.
TEST(PackDeltaStack, PartsThatWouldBeTooManyAreOneContent) {
  const std::string base = testing::RandomBytes(3, 256);
  PackDeltaStack stack(AsBytes(base));
  std::string text = base;
  for (int version = 0; version < 3; ++version) {
    // Each byte of the first 256 bytes is a copy of its own, backwards, and
    // then comes the whole, which is 32 times as long.
    std::string next;
    Delta delta;
    for (uint32_t at = 256; at-- > 0;) {
      next += text[at];
      delta.copies.push_back({0, 1, at});
    }
    for (int i = 0; i < 32; ++i) {
      next += text;
      delta.copies.push_back({0, static_cast<uint32_t>(text.size()), 0});
    }
    Bytes bytes;
    EncodePackDelta(text.size(), AsBytes(next), delta, bytes);
    ASSERT_THAT(stack.Apply(std::move(bytes), 1 << 30), IsOk());
    text = std::move(next);
  }
  EXPECT_EQ(ContentOf(stack), text);
}

TEST(PackDeltaStack, RefusesWhatCannotBeApplied) {
  const std::string base = "abcdefghij";
  const auto apply = [&](const std::string& delta) {
    PackDeltaStack stack(AsBytes(base));
    const ByteView bytes = AsBytes(delta);
    return stack.Apply(Bytes(bytes.begin(), bytes.end()), kMaxSize);
  };
  EXPECT_THAT(apply("\x0a\x02\x90\x02"), IsOk());
  EXPECT_THAT(apply("\x0b\x02\x90\x02"), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(apply("\x0a\x03\x90\x02"), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(apply("\x0a\x01\x90\x02"), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(apply("\x0a\x02\x91\x09\x02"), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(apply("\x0a\x02\x02x"), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(apply("\x0a\x02\0xy"s), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(apply("\x0a"), HasCode(ErrorCode::kCorrupt));
  EXPECT_THAT(apply("\x0a\x80\x80\x80\x01\x90\x02"),
              HasCode(ErrorCode::kLimitExceeded));
}

}  // namespace
}  // namespace zpack
