// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/refs_chunk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace zpack::format {
namespace {

ObjectId Id(char digit) { return *ObjectId::FromHex(std::string(40, digit)); }

RefsSnapshot ExampleRefs() {
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
  const auto decoded = DecodeRefs(Encoded(ExampleRefs()), ObjectFormat::kSha1);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, ExampleRefs());
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
  Bytes bytes = Encoded(ExampleRefs());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeRefs(ByteView(bytes).first(size), ObjectFormat::kSha1))
        << size;
  }
  bytes.push_back(0);
  EXPECT_FALSE(DecodeRefs(bytes, ObjectFormat::kSha1));
}

TEST(RefsChunk, RefusesNamesThatLeaveTheRepository) {
  RefsSnapshot refs = ExampleRefs();
  refs.refs[0].name = "refs/../../config";
  EXPECT_TRUE(Refused(refs));
  refs = ExampleRefs();
  refs.head_symref = "config";
  EXPECT_TRUE(Refused(refs));
  refs = ExampleRefs();
  refs.refs[1].symref_target = "refs/heads/..";
  EXPECT_TRUE(Refused(refs));
}

TEST(RefsChunk, RefusesRefsOutOfOrderOrTwice) {
  RefsSnapshot refs = ExampleRefs();
  std::swap(refs.refs[0], refs.refs[2]);
  EXPECT_TRUE(Refused(refs));
  refs = ExampleRefs();
  refs.refs[1] = refs.refs[0];
  EXPECT_TRUE(Refused(refs));
}

bool RefusedRefs(std::vector<Ref> list) {
  RefsSnapshot refs = ExampleRefs();
  refs.refs = std::move(list);
  return Refused(refs);
}

Ref Direct(std::string name) { return {std::move(name), Id('1'), {}, ""}; }
Ref Symbolic(std::string name) {
  return {std::move(name), {}, {}, "refs/heads/x"};
}

TEST(RefsChunk, RefusesRefsWhereRepositoriesHaveDirectories) {
  EXPECT_TRUE(RefusedRefs({Symbolic("refs/heads")}));
  EXPECT_TRUE(RefusedRefs({Direct("refs/heads")}));
  EXPECT_TRUE(RefusedRefs({Symbolic("refs/tags")}));
  EXPECT_FALSE(RefusedRefs({Direct("refs/stash")}));
}

TEST(RefsChunk, RefusesANameThatIsADirectoryOfAnother) {
  EXPECT_TRUE(RefusedRefs({Direct("refs/a/b"), Direct("refs/a/b/c")}));
  EXPECT_TRUE(RefusedRefs(
      {Symbolic("refs/a/b"), Direct("refs/a/b-c"), Direct("refs/a/b-c/d")}));
  // What sorts between the two does not hide it.
  EXPECT_TRUE(RefusedRefs(
      {Direct("refs/a"), Direct("refs/a-b"), Direct("refs/a/b/c/d")}));
  EXPECT_FALSE(RefusedRefs(
      {Direct("refs/a"), Direct("refs/a-b/c"), Direct("refs/ab/c")}));
}

TEST(RefsChunk, BoundsTheLengthOfNames) {
  const auto deep = [](size_t size) {
    std::string name = "refs/";
    while (name.size() < size) name += name.size() % 2 == 1 ? 'x' : '/';
    return name;
  };
  EXPECT_FALSE(RefusedRefs({Symbolic(deep(4094))}));
  EXPECT_FALSE(RefusedRefs({Direct("refs/" + std::string(4090, 'x'))}));
  EXPECT_TRUE(RefusedRefs({Direct("refs/" + std::string(4091, 'x'))}));
  EXPECT_TRUE(RefusedRefs({Direct(deep(900'000))}));
  RefsSnapshot refs = ExampleRefs();
  refs.head_symref = deep(900'000);
  EXPECT_TRUE(Refused(refs));
  // A symbolic ref is a file, and so are its directories.
  EXPECT_FALSE(RefusedRefs({Symbolic("refs/" + std::string(255, 'x') + "/y")}));
  EXPECT_TRUE(RefusedRefs({Symbolic("refs/" + std::string(256, 'x') + "/y")}));
}

TEST(RefsChunk, ShowsNamesInErrorsQuotedAndCut) {
  RefsSnapshot refs = ExampleRefs();
  refs.refs[0].name = "refs/heads/a\nb\xc2\x9b" + std::string(1 << 20, 'x');
  const auto decoded = DecodeRefs(Encoded(refs), ObjectFormat::kSha1);
  ASSERT_FALSE(decoded);
  EXPECT_TRUE(decoded.error().message.starts_with(
      R"(bad ref name '"refs/heads/a\nb\302\233xxx)"));
  EXPECT_LT(decoded.error().message.size(), 1100);
}

TEST(RefsChunk, RefusesShallowBoundariesOutOfOrder) {
  RefsSnapshot refs = ExampleRefs();
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
  Bytes bytes = Encoded(ExampleRefs());
  bytes[0] = 9;
  EXPECT_FALSE(DecodeRefs(bytes, ObjectFormat::kSha1));
}

}  // namespace
}  // namespace zpack::format
