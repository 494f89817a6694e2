// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/refs_chunk.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace zpack::format {
namespace {

ObjectId Id(char digit) { return *ObjectId::FromHex(std::string(40, digit)); }

RefsSnapshot Example() {
  RefsSnapshot refs;
  refs.head_symref = "refs/heads/main";
  refs.refs = {{"refs/heads/\xe4\xff", Id('1'), {}, ""},
               {"refs/remotes/o/HEAD", {}, {}, "refs/remotes/o/main"},
               {"refs/tags/v1", Id('2'), Id('3'), ""}};
  std::ranges::sort(refs.refs, {}, &Ref::name);
  refs.shallow = {Id('4'), Id('5')};
  return refs;
}

Bytes Encoded(const RefsSnapshot& refs) {
  Bytes out;
  Encode(refs, out);
  return out;
}

bool Refused(const RefsSnapshot& refs) {
  const auto decoded = DecodeRefs(Encoded(refs), ObjectFormat::kSha1);
  return !decoded && decoded.error().code == ErrorCode::kCorrupt;
}

TEST(RefsChunk, RoundTrips) {
  const auto decoded = DecodeRefs(Encoded(Example()), ObjectFormat::kSha1);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, Example());
}

TEST(RefsChunk, RoundTripsADetachedHeadAndNothingElse) {
  RefsSnapshot refs;
  refs.head_target = Id('7');
  const auto decoded = DecodeRefs(Encoded(refs), ObjectFormat::kSha1);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, refs);
}

TEST(RefsChunk, HasTheBytesOfTheSpecification) {
  RefsSnapshot refs;
  refs.head_symref = "refs/heads/x";
  EXPECT_EQ(Encoded(refs), (Bytes{1, 12, 'r', 'e', 'f', 's', '/', 'h', 'e', 'a',
                                  'd', 's', '/', 'x', 0, 0}));
}

TEST(RefsChunk, RefusesTruncationAndTrailingBytes) {
  Bytes bytes = Encoded(Example());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeRefs(ByteView(bytes).first(size), ObjectFormat::kSha1))
        << size;
  }
  bytes.push_back(0);
  EXPECT_FALSE(DecodeRefs(bytes, ObjectFormat::kSha1));
}

TEST(RefsChunk, RefusesNamesThatLeaveTheRepository) {
  RefsSnapshot refs = Example();
  refs.refs[0].name = "refs/../../config";
  EXPECT_TRUE(Refused(refs));
  refs = Example();
  refs.head_symref = "config";
  EXPECT_TRUE(Refused(refs));
  refs = Example();
  refs.refs[1].symref_target = "refs/heads/..";
  EXPECT_TRUE(Refused(refs));
}

TEST(RefsChunk, RefusesRefsOutOfOrderOrTwice) {
  RefsSnapshot refs = Example();
  std::swap(refs.refs[0], refs.refs[2]);
  EXPECT_TRUE(Refused(refs));
  refs = Example();
  refs.refs[1] = refs.refs[0];
  EXPECT_TRUE(Refused(refs));
}

TEST(RefsChunk, RefusesShallowBoundariesOutOfOrder) {
  RefsSnapshot refs = Example();
  std::swap(refs.shallow[0], refs.shallow[1]);
  EXPECT_TRUE(Refused(refs));
}

TEST(RefsChunk, RefusesCountsThatTheBytesCannotHold) {
  // HEAD, then a count of 2^63 refs.
  Bytes bytes = Encoded(RefsSnapshot{"refs/heads/x", {}, {}, {}});
  bytes.resize(14);
  ByteWriter(bytes).Varint(uint64_t{1} << 63);
  EXPECT_FALSE(DecodeRefs(bytes, ObjectFormat::kSha1));
}

TEST(RefsChunk, RefusesUnknownKinds) {
  Bytes bytes = Encoded(Example());
  bytes[0] = 9;
  EXPECT_FALSE(DecodeRefs(bytes, ObjectFormat::kSha1));
}

}  // namespace
}  // namespace zpack::format
