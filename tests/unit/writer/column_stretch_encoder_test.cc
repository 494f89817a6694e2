// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/column_stretch_encoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/commit_block.h"
#include "support/matchers.h"
#include "support/tree_blocks.h"
#include "support/unpacked_block.h"

namespace zpack {
namespace {

using testing::IsOk;
using testing::UnpackBlock;
using testing::UnpackedBlock;

constexpr uint32_t kObjects = 40;
constexpr ObjectNumber kFirstCommit(10);

std::vector<std::string> CommitsWithMessages(size_t count, size_t size) {
  std::vector<std::string> commits;
  for (size_t i = 0; i < count; ++i) {
    commits.push_back("tree " + std::string(40, 'a') +
                      "\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\n" +
                      std::string(size, static_cast<char>('a' + i)));
  }
  return commits;
}

TEST(ColumnStretchEncoder, ClosesBlocksThatAreFull) {
  const testing::NumberedIds ids = testing::RepeatedBytes(kObjects, 6);
  const std::vector<std::string> commits = CommitsWithMessages(20, 300);
  BlockEncoder encoder(1);
  ColumnStretchEncoder<format::CommitBlockBuilder> stretch(ids, 1000, encoder);
  EncodedBlocks blocks;
  stretch.Begin(kFirstCommit, {&blocks});
  for (const std::string& commit : commits) {
    const ByteView bytes = AsBytes(commit);
    ASSERT_THAT(stretch.Add(Bytes(bytes.begin(), bytes.end()), {}), IsOk());
  }
  ASSERT_THAT(stretch.Finish(), IsOk());

  size_t next = 0;
  for (const EncodedBlock& encoded : blocks) {
    const ObjectNumber first = kFirstCommit + static_cast<uint32_t>(next);
    EXPECT_EQ(encoded.first_object, first);
    const UnpackedBlock block = UnpackBlock(encoded.chunk);
    EXPECT_EQ(block.header.kind, format::BlockKind::kCommits);
    EXPECT_EQ(block.header.type, ObjectType::kCommit);
    EXPECT_EQ(block.header.first_object, first);
    if (&encoded != &blocks.back()) {
      EXPECT_EQ(block.header.object_count, 4U) << "at 1,000 bytes";
    }
    const auto decoded = format::DecodeCommits(
        block.streams, block.header.object_count,
        {{first, kObjects, ObjectFormat::kSha1}, ids.id_of()}, 1 << 20);
    ASSERT_THAT(decoded, IsOk());
    EXPECT_EQ(encoded.expansion.content, decoded->contents.size());
    EXPECT_EQ(encoded.expansion.chains, decoded->contents.size());
    size_t at = 0;
    for (const uint64_t size : decoded->sizes) {
      EXPECT_EQ(AsText(ByteView(decoded->contents).subspan(at, size)),
                commits.at(next++));
      at += size;
    }
  }
  EXPECT_EQ(next, commits.size());
}

TEST(ColumnStretchEncoder, KeepsTheLimitOfAReader) {
  const testing::NumberedIds ids = testing::RepeatedBytes(kObjects, 6);
  const Bytes large(format::kMaxCommits - 10, 'x');
  BlockEncoder encoder(1);
  ColumnStretchEncoder<format::CommitBlockBuilder> stretch(ids, UINT64_MAX,
                                                           encoder);
  EncodedBlocks blocks;
  stretch.Begin(kFirstCommit, {&blocks});
  ASSERT_THAT(stretch.Add(large, {}), IsOk());
  ASSERT_THAT(stretch.Add(Bytes(10, 'y'), {}), IsOk());
  EXPECT_EQ(blocks.size(), 0U);
  ASSERT_THAT(stretch.Add(Bytes(1, 'z'), {}), IsOk());
  EXPECT_EQ(blocks.size(), 1U);
  ASSERT_THAT(stretch.Finish(), IsOk());
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].expansion.content, format::kMaxCommits);
  EXPECT_EQ(blocks[1].expansion.content, 1U);
}

}  // namespace
}  // namespace zpack
