// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of trees give back what the writer put in, within their limits.

#include "format/tree_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/delta.h"
#include "base/error.h"
#include "support/matchers.h"
#include "support/tree_blocks.h"
#include "support/tree_draft.h"

namespace zpack {
namespace {

using format::StreamKind;
using testing::AllStreams;
using testing::Below;
using testing::BuiltTrees;
using testing::Contents;
using testing::DecodedFrom;
using testing::ForEachTree;
using testing::IdOf;
using testing::IsError;
using testing::IsOk;
using testing::kMaxNumber;
using testing::kNoLimit;
using testing::NumberedIds;
using testing::PathTree;
using testing::Random;
using testing::RandomIds;
using testing::RandomTrees;
using testing::TreeMaker;
using testing::UnpackBlock;
using testing::UnpackedBlock;

TEST(TreeBlock, GivesBackWhatWasBuilt) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const NumberedIds ids =
        RandomIds(random, 200,
                  seed % 3 == 0 ? ObjectFormat::kSha256 : ObjectFormat::kSha1);
    const auto trees = RandomTrees(
        random, ids, 100,
        seed % 2 == 0 ? TreeMaker::Style::kOdd : TreeMaker::Style::kProper);
    UnpackedBlock built = BuiltTrees(ids, trees);
    auto block = format::TreeBlock::Parse(
        std::move(built.streams), built.header.object_count, ids.ids.size(),
        ids.ids.format(), kNoLimit);
    ASSERT_THAT(block, IsOk());
    EXPECT_GT(block->memory(), 0U);
    const auto contents = Contents(*block, ids.id_of());
    ASSERT_EQ(contents.size(), trees.size());
    for (size_t i = 0; i < trees.size(); ++i) {
      EXPECT_TRUE(contents[i] == trees[i].content) << i;
    }
    const DecodedBlock decoded = DecodedFrom(*std::move(block), ids.id_of());
    EXPECT_EQ(decoded.memory(), decoded.trees()->memory());
    // Where it may, this turns a tree into the next one in place.
    EXPECT_THAT(decoded.ForEachObject(
                    kMaxNumber,
                    [&](size_t i, ByteView content) -> Status {
                      EXPECT_TRUE(std::ranges::equal(content, trees[i].content))
                          << i;
                      return {};
                    }),
                IsOk());
    Bytes buffer;
    for (size_t i = 0; i < trees.size(); ++i) {
      EXPECT_TRUE(
          std::ranges::equal(*decoded.Object(i, buffer), trees[i].content));
    }
  }
}

TEST(TreeBlock, DeltasCopyWhatTreesHaveInCommon) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const NumberedIds ids = RandomIds(random, 200);
    UnpackedBlock built = BuiltTrees(
        ids, RandomTrees(random, ids, 50, TreeMaker::Style::kProper));
    const auto block = format::TreeBlock::Parse(
        std::move(built.streams), built.header.object_count, ids.ids.size(),
        ids.ids.format(), kNoLimit);
    ASSERT_THAT(block, IsOk());
    const std::vector<Bytes> contents = Contents(*block, ids.id_of());
    Delta delta;
    for (uint32_t i = 0; i < block->count(); ++i) {
      const auto base = block->base(i);
      if (!base) continue;
      block->ReadDelta(i, delta);
      uint64_t end = 0;
      for (const DeltaCopy& copy : delta.copies) {
        EXPECT_GT(copy.length, 0U);
        const uint64_t begin = end + copy.literals;
        end = begin + copy.length;
        ASSERT_LE(end, contents[i].size());
        ASSERT_LE(uint64_t{copy.offset} + copy.length, contents[*base].size());
        EXPECT_TRUE(std::ranges::equal(
            ByteView(contents[i]).subspan(begin, copy.length),
            ByteView(contents[*base]).subspan(copy.offset, copy.length)));
      }
    }
  }
}

TEST(TreeBlock, AcceptsABlockOfEmptyTrees) {
  format::BlockStreams streams(format::BlockKind::kTrees);
  streams[StreamKind::kSizes] = {0, 0, 0};
  streams[StreamKind::kBases] = {0, 1, 0};
  streams[StreamKind::kEditCounts] = {1, 0, 0};  // whole, the same, verbatim
  const auto block = format::TreeBlock::Parse(
      streams, 3, 0, ObjectFormat::kSha1, format::BlockLimits{});
  ASSERT_THAT(block, IsOk());
  EXPECT_EQ(Contents(*block, IdOf), std::vector<Bytes>(3));
  EXPECT_FALSE(block->IsVerbatim(0));
  EXPECT_TRUE(block->IsVerbatim(2));
}

using TreeBlockVisit = testing::TreeDraftFixture;

TEST_F(TreeBlockVisit, IsRightUnedited) {
  const auto block = Parse();
  ASSERT_THAT(block, IsOk());
  const auto entry = [](std::string_view mode, char name, char id) {
    return std::string(mode) + ' ' + name + '\0' + std::string(20, id);
  };
  const auto contents = Contents(*block, IdOf);
  const std::string a = entry("100644", 'a', 'A');
  EXPECT_EQ(AsText(contents[0]), a + entry("40000", 'b', 'D'));
  EXPECT_EQ(AsText(contents[1]),
            a + entry("40000", 'b', 'E') + entry("160000", 'c', 'Y'));
  EXPECT_EQ(AsText(contents[2]), "xyz");
  EXPECT_EQ(AsText(contents[3]),
            entry("40000", 'b', 'D') + entry("160000", 'c', 'Y'));
  EXPECT_EQ(AsText(contents[4]), a);
  EXPECT_EQ(AsText(contents[5]), entry("100755", 'c', 'Z'));
  EXPECT_TRUE(block->IsVerbatim(2));
  EXPECT_FALSE(block->IsVerbatim(3));
  EXPECT_EQ(block->base(3), 1U);
}

TEST_F(TreeBlockVisit, StopsAtTheFirstErrorOfAVisit) {
  const auto block = Parse();
  ASSERT_THAT(block, IsOk());
  size_t visited = 0;
  const auto visit = [&](size_t index, ByteView) -> Status {
    ++visited;
    if (index == 3) return MakeError(ErrorCode::kMismatch, "seen");
    return {};
  };
  EXPECT_THAT(ForEachTree(*block, IdOf, visit),
              IsError(ErrorCode::kMismatch, "seen"));
  EXPECT_EQ(visited, 4U);
}

TEST_F(TreeBlockVisit, MayBeMoved) {
  auto block = Parse();
  ASSERT_THAT(block, IsOk());
  const auto contents = Contents(*block, IdOf);
  const format::TreeBlock moved = *std::move(block);
  EXPECT_EQ(Contents(moved, IdOf), contents);
}

TEST(TreeBlock, KeepsNoMoreEntriesThanItMay) {
  // Ten trees of a hundred entries, all of which are needed again later.
  constexpr uint64_t kEntries = 100;
  Random random(1);
  const NumberedIds ids = RandomIds(random, 200);
  TreeParser parser(ids);
  format::TreeBlockBuilder builder(parser.names(), parser.numbers());
  std::vector<testing::TextEntry> entries;
  for (uint32_t i = 0; i < kEntries; ++i) {
    entries.push_back({"100644", std::to_string(i), ids[i]});
  }
  ParsedTree tree;
  tree.content = testing::TreeBytes(entries);
  ASSERT_TRUE(parser.Parse({}, tree));
  for (int i = 0; i < 10; ++i) {
    builder.AddWhole(tree.content.size(), true, tree.items);
  }
  for (uint32_t i = 0; i < 10; ++i) {
    builder.AddEdits(tree.content.size(), i, {});
  }
  const auto parse = [&](uint64_t object_size) {
    return format::TreeBlock::Parse(builder.streams(), 20, ids.ids.size(),
                                    ObjectFormat::kSha1,
                                    {object_size, kNoLimit.content});
  };
  // An entry, and where it begins in the content.
  constexpr uint64_t kKept =
      10 * kEntries * (sizeof(format::TreeBlock::Entry) + sizeof(uint32_t));
  const auto block = parse(kKept);
  ASSERT_THAT(block, IsOk());
  for (const Bytes& content : Contents(*block, ids.id_of())) {
    EXPECT_EQ(AsText(content), AsText(tree.content));
  }
  EXPECT_THAT(parse(kKept - 1), IsError(ErrorCode::kLimitExceeded,
                                        ::testing::HasSubstr("memory")));
}

TEST(TreeBlock, SurvivesAnyDamage) {
  constexpr format::BlockLimits kLimits{1 << 16, 1 << 20};
  int parsed = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    static std::vector<std::pair<NumberedIds, UnpackedBlock>> built;
    if (seed < 10) {
      Random random(seed);
      NumberedIds ids = RandomIds(random, 50);
      UnpackedBlock trees =
          BuiltTrees(ids, RandomTrees(random, ids, 20, TreeMaker::Style::kOdd));
      built.emplace_back(std::move(ids), std::move(trees));
    }
    const auto& [ids, good] = built[seed % 10];
    Random random(seed);
    format::BlockStreams streams = good.streams;
    const size_t edits = 1 + Below(random, 3);
    for (size_t i = 0; i < edits; ++i) {
      Bytes& stream =
          *AllStreams(streams)[Below(random, streams.kinds().size())];
      if (stream.empty()) continue;
      uint8_t& byte = stream[Below(random, stream.size())];
      byte = Below(random, 2) == 0 ? static_cast<uint8_t>(random())
                                   : static_cast<uint8_t>(byte + 1);
    }
    const auto block =
        format::TreeBlock::Parse(std::move(streams), good.header.object_count,
                                 ids.ids.size(), ObjectFormat::kSha1, kLimits);
    if (block) {
      ++parsed;
      Contents(*block, ids.id_of());
    } else {
      EXPECT_TRUE(block.error().code == ErrorCode::kCorrupt ||
                  block.error().code == ErrorCode::kLimitExceeded)
          << block.error().message;
    }
  }
  EXPECT_GT(parsed, 100) << "damage that nothing can see is tested too";
}

}  // namespace
}  // namespace zpack
