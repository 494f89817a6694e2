// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/file_header.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "base/hex.h"

namespace zpack::format {
namespace {

FileHeader Example() {
  FileHeader header;
  header.object_count = 3;
  header.table_of_contents_offset = 0x1234;
  header.file_size = 0x5678;
  return header;
}

Bytes Encoded(const FileHeader& header) {
  Bytes out;
  Encode(header, out);
  return out;
}

// Sets bytes at `offset` and makes the checksum right again.
Bytes Edited(Bytes bytes, size_t offset, const Bytes& patch) {
  std::copy(patch.begin(), patch.end(),
            bytes.begin() + static_cast<ptrdiff_t>(offset));
  bytes.resize(bytes.size() - kChecksumSize);
  const uint64_t checksum = Checksum(bytes);
  ByteWriter(bytes).U64(checksum);
  return bytes;
}

Error DecodeError(const Bytes& bytes) {
  const auto header = DecodeFileHeader(bytes, KnownFeatures());
  return header ? Error{ErrorCode::kInternal, "decoded"} : header.error();
}

TEST(FileHeader, HasTheBytesOfTheSpecification) {
  const Bytes bytes = Encoded(Example());
  EXPECT_EQ(ToHex(ByteView(bytes).first(kFixedHeaderSize)),
            "5041434b"          // PACK
            "5a50414b"          // ZPAK
            "00000003"          // objects
            "895a504b0d0a1a0a"  // signature
            "00010000"          // 1.0
            "00000040"          // header size
            "73686131"          // sha1
            "14000000"          // id width, unused, reserved
            "0000000000001234"  // table of contents
            "0000000000005678"  // file size
            "00000000");        // no features
  EXPECT_EQ(bytes.size(), 64U);
}

TEST(FileHeader, RoundTripsWithFeatures) {
  FileHeader header = Example();
  header.required_features = {"delta-blocks"};
  header.optional_features = {"recovery-1", "x.y"};
  const Bytes bytes = Encoded(header);
  EXPECT_EQ(bytes.size(), header.EncodedSize());
  const auto decoded = DecodeFileHeader(bytes, {"delta-blocks"});
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->required_features, header.required_features);
  EXPECT_EQ(decoded->optional_features, header.optional_features);
  EXPECT_EQ(decoded->table_of_contents_offset, 0x1234U);
}

TEST(FileHeader, RefusesAnUnknownRequiredFeatureByName) {
  FileHeader header = Example();
  header.required_features = {"time-travel"};
  const Error error = DecodeError(Encoded(header));
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_NE(error.message.find("'time-travel'"), std::string::npos);
  EXPECT_NE(error.message.find("needs a newer git-zpack"), std::string::npos);
}

TEST(FileHeader, IgnoresAnUnknownOptionalFeature) {
  FileHeader header = Example();
  header.optional_features = {"decoration"};
  EXPECT_TRUE(DecodeFileHeader(Encoded(header), KnownFeatures()));
}

TEST(FileHeader, RefusesANewerMajorAndMinor) {
  for (const Bytes& version : {Bytes{0, 2, 0, 0}, Bytes{0, 1, 0, 1}}) {
    const Error error = DecodeError(Edited(Encoded(Example()), 20, version));
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_NE(error.message.find("needs a newer git-zpack"), std::string::npos);
  }
}

TEST(FileHeader, RefusesAnUnknownObjectFormat) {
  const Error error =
      DecodeError(Edited(Encoded(Example()), 28, {'s', '5', '1', '2'}));
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
}

TEST(FileHeader, CarriesSha256) {
  FileHeader header = Example();
  header.object_format = ObjectFormat::kSha256;
  const auto decoded = DecodeFileHeader(Encoded(header), KnownFeatures());
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->object_format, ObjectFormat::kSha256);
}

TEST(FileHeader, RefusesReservedBitsAndIgnoresUnusedOnes) {
  EXPECT_EQ(DecodeError(Edited(Encoded(Example()), 35, {1})).code,
            ErrorCode::kCorrupt);
  EXPECT_TRUE(DecodeFileHeader(Edited(Encoded(Example()), 33, {0xff}),
                               KnownFeatures()));
}

TEST(FileHeader, RefusesAnIdWidthThatDoesNotFitTheFormat) {
  EXPECT_EQ(DecodeError(Edited(Encoded(Example()), 32, {32})).code,
            ErrorCode::kCorrupt);
}

TEST(FileHeader, RefusesBadFeatureNames) {
  FileHeader header = Example();
  header.optional_features = {"No Spaces"};
  EXPECT_EQ(DecodeError(Encoded(header)).code, ErrorCode::kCorrupt);
  header.optional_features = {""};
  EXPECT_EQ(DecodeError(Encoded(header)).code, ErrorCode::kCorrupt);
}

TEST(FileHeader, RefusesAFlipOfAnyBit) {
  const Bytes good = Encoded(Example());
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_FALSE(DecodeFileHeader(bad, KnownFeatures())) << "bit " << bit;
  }
}

TEST(DecodeHeaderSize, TellsOtherFilesFromDamage) {
  const Bytes stock = {'P', 'A', 'C', 'K', 0, 0, 0, 2, 0, 0, 0, 0};
  EXPECT_EQ(DecodeHeaderSize(stock).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(DecodeHeaderSize({}).error().code, ErrorCode::kUnsupported);
  // Either mark of the format tells what the file was.
  for (const size_t at : {0, 3, 4, 7, 12, 19}) {
    Bytes damaged = Encoded(Example());
    damaged[at] ^= 0x20;
    const Error error = DecodeHeaderSize(damaged).error();
    EXPECT_EQ(error.code, ErrorCode::kCorrupt) << at;
    EXPECT_EQ(error.message, "damaged signature in header") << at;
  }
  Bytes other = Encoded(Example());
  other[4] ^= 1;
  other[12] ^= 1;
  EXPECT_EQ(DecodeHeaderSize(other).error().code, ErrorCode::kUnsupported);
  Bytes huge = Encoded(Example());
  huge[24] = 0xff;
  EXPECT_EQ(DecodeHeaderSize(huge).error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace zpack::format
