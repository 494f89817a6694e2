// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/tree_stretch_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/matchers.h"
#include "support/tree_blocks.h"
#include "support/tree_stretch_fixture.h"

namespace zpack {
namespace {

using testing::IsOk;
using testing::kFirstTree;
using testing::kLargeBlock;
using testing::PathTree;
using testing::Random;
using testing::RandomId;
using testing::RandomTrees;
using testing::TextEntry;
using testing::ToBytes;
using testing::TreeBytes;
using testing::TreeMaker;
using testing::UnpackBlock;

class TreeStretchEncoderTest : public testing::TreeStretchTest {
 protected:
  void ExpectVerbatim(const Bytes& content) {
    const format::TreeBlock block = OnlyBlock({{content, PathNumber(1)}});
    EXPECT_TRUE(block.IsVerbatim(0)) << AsText(content);
  }
  void ExpectTakenApart(const std::vector<TextEntry>& entries) {
    // Behind another one, so that there is something to compare it with.
    const format::TreeBlock block =
        OnlyBlock({{TreeBytes(Entries(3)), PathNumber(1)},
                   {TreeBytes(entries), PathNumber(1)}});
    EXPECT_FALSE(block.IsVerbatim(1));
  }
};

TEST_F(TreeStretchEncoderTest, MakesBlocksThatDecodeByThemselves) {
  for (uint64_t seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(seed);
    UseIds(seed, seed % 4 == 3 ? ObjectFormat::kSha256 : ObjectFormat::kSha1);
    for (const uint64_t block_size : {1, 300, 4096, 1 << 20}) {
      SCOPED_TRACE(block_size);
      for (const auto style :
           {TreeMaker::Style::kProper, TreeMaker::Style::kOdd}) {
        Random random(seed);
        const auto trees = RandomTrees(random, ids_, 150, style);
        Check(Encode(trees, block_size), trees, block_size);
      }
    }
  }
}

TEST_F(TreeStretchEncoderTest, MakesEditsOfTheNearestOfTwoBranches) {
  std::vector<TextEntry> main = Entries(40);
  std::vector<TextEntry> other = Entries(40);
  for (uint32_t i = 0; i < 40; i += 2) other[i].id = ids_[200 + i];
  std::vector<PathTree> trees;
  for (uint32_t i = 0; i < 20; ++i) {
    std::vector<TextEntry>& branch = i % 2 == 0 ? main : other;
    branch[1].id = ids_[100 + i];
    trees.push_back({TreeBytes(branch), PathNumber(1)});
  }
  const format::TreeBlock block = OnlyBlock(trees);
  EXPECT_EQ(block.base(0), std::nullopt);
  EXPECT_EQ(block.base(1), 0U);
  for (uint32_t i = 2; i < block.count(); ++i) EXPECT_EQ(block.base(i), i - 2);
}

TEST_F(TreeStretchEncoderTest, ComparesTreesOfOnePathOnly) {
  const Bytes content = TreeBytes(Entries(10));
  const format::TreeBlock block = OnlyBlock({{content, PathNumber(1)},
                                             {content, PathNumber(1)},
                                             {content, PathNumber(2)},
                                             {content, PathNumber(2)}});
  EXPECT_EQ(block.base(1), 0U);
  EXPECT_EQ(block.base(2), std::nullopt);
  EXPECT_EQ(block.base(3), 2U);
}

TEST_F(TreeStretchEncoderTest, BeginsAnewWhereEditsWouldBeMore) {
  const auto entries = Entries(20);
  const std::vector<TextEntry> first(entries.begin(), entries.begin() + 10);
  const std::vector<TextEntry> second(entries.begin() + 10, entries.end());
  const format::TreeBlock block = OnlyBlock(
      {{TreeBytes(first), PathNumber(1)}, {TreeBytes(second), PathNumber(1)}});
  EXPECT_EQ(block.base(1), std::nullopt);
}

TEST_F(TreeStretchEncoderTest, LooksPastWhatIsNoTree) {
  const Bytes content = TreeBytes(Entries(10));
  const format::TreeBlock block =
      OnlyBlock({{content, PathNumber(1)},
                 {ToBytes("garbage"), PathNumber(1)},
                 {content, PathNumber(1)}});
  EXPECT_TRUE(block.IsVerbatim(1));
  EXPECT_EQ(block.base(2), 0U);
}

TEST_F(TreeStretchEncoderTest, TakesEmptyTrees) {
  const Bytes content = TreeBytes(Entries(3));
  const format::TreeBlock block = OnlyBlock({{{}, PathNumber(1)},
                                             {{}, PathNumber(1)},
                                             {content, PathNumber(1)},
                                             {{}, PathNumber(1)},
                                             {{}, PathNumber(2)},
                                             {content, PathNumber(2)}});
  for (uint32_t i = 0; i < block.count(); ++i) {
    EXPECT_FALSE(block.IsVerbatim(i));
  }
}

TEST_F(TreeStretchEncoderTest, TakesTreesApartThatAreOutOfOrder) {
  const ObjectId id = ids_[3];
  ExpectTakenApart({{"100644", "z", id}, {"100644", "a", id}});
  ExpectTakenApart({{"100644", "same", id},
                    {"100644", "same", ids_[4]},
                    {"100755", "same", id},
                    {"100644", "same", id}});
  ExpectTakenApart({{"100644", "", id}, {"100644", "", id}});
  ExpectTakenApart({{"100644", "a b", id}, {"100644", " ", id}});
  ExpectTakenApart({{"100644", std::string(70000, 'n'), id}});
}

TEST_F(TreeStretchEncoderTest, TakesNamesThatBeginOthers) {
  // Git's order: a directory is where its name and a slash would be.
  const ObjectId id = ids_[3];
  std::vector<TextEntry> entries = {{"100644", "a-b", id},
                                    {"100644", "a.b", id},
                                    {"40000", "a", id},
                                    {"100644", "a0", id}};
  std::vector<PathTree> trees = {{TreeBytes(entries), PathNumber(1)}};
  entries[2].id = ids_[4];
  trees.push_back({TreeBytes(entries), PathNumber(1)});
  entries.insert(entries.begin() + 2, {"100644", "a.c", id});
  trees.push_back({TreeBytes(entries), PathNumber(1)});
  entries.erase(entries.begin() + 3);
  trees.push_back({TreeBytes(entries), PathNumber(1)});
  entries.insert(entries.begin(), {"100644", "a", id});
  trees.push_back({TreeBytes(entries), PathNumber(1)});
  const format::TreeBlock block = OnlyBlock(trees);
  EXPECT_EQ(block.base(1), 0U);
  EXPECT_EQ(block.base(2), 1U);
  EXPECT_EQ(block.base(3), 2U);
}

TEST_F(TreeStretchEncoderTest, KeepsOutsideIdsOnceABlock) {
  std::vector<TextEntry> entries = Entries(2);
  for (int i = 0; i < 3; ++i) {
    entries.push_back({"160000", "sub-" + std::to_string(i),
                       RandomId(random_, ObjectFormat::kSha1)});
  }
  std::vector<PathTree> trees;
  for (uint32_t i = 0; i < 30; ++i) {
    std::swap(entries[2].id, entries[3 + i % 2].id);
    trees.push_back({TreeBytes(entries), PathNumber(1 + i / 10)});
  }
  const auto blocks = Encode(trees, kLargeBlock);
  Check(blocks, trees, kLargeBlock);
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(UnpackBlock(blocks[0].chunk)
                .streams[format::StreamKind::kOutsideIds]
                .size(),
            60U);
}

TEST_F(TreeStretchEncoderTest, StoresOtherModesVerbatim) {
  for (const char* const mode : {"100664", "0100644", "40755", "040000", "",
                                 "1", "100644\n", "7777777777740000"}) {
    ExpectVerbatim(TreeBytes({{mode, "a", ids_[0]}}));
    ExpectVerbatim(TreeBytes({{"100644", "a", ids_[0]}, {mode, "b", ids_[0]}}));
  }
}

TEST_F(TreeStretchEncoderTest, StoresWhatIsNoTreeVerbatim) {
  const Bytes good = TreeBytes({{"100644", "a", ids_[0]}});
  for (size_t size = 1; size < good.size(); ++size) {
    ExpectVerbatim({good.begin(), good.begin() + static_cast<ptrdiff_t>(size)});
  }
  Bytes longer = good;
  longer.push_back(0);
  ExpectVerbatim(longer);
  for (const std::string& garbage :
       {std::string("garbage"), std::string(100, ' '), std::string(100, '\0'),
        std::string("100644\0a", 8), std::string(1000, '1')}) {
    ExpectVerbatim(ToBytes(garbage));
    Bytes behind = good;
    Append(behind, AsBytes(garbage));
    ExpectVerbatim(behind);
  }
}

TEST_F(TreeStretchEncoderTest, MakesNoBlockOfNothing) {
  EXPECT_TRUE(Encode({}, 4096).empty());
}

TEST_F(TreeStretchEncoderTest, MakesTheSameBlocksWhateverCameBefore) {
  constexpr uint64_t kBlockSize = 2000;
  const auto trees = RandomTrees(random_, ids_, 200, TreeMaker::Style::kOdd);
  const auto fresh = Encode(trees, kBlockSize);
  EXPECT_GT(fresh.size(), 2U);
  TreeStretchEncoder stretch = Stretch(kBlockSize);
  EncodedBlocks other;
  stretch.Begin(ObjectNumber(7), {&other});
  Continue(stretch, RandomTrees(random_, ids_, 200, TreeMaker::Style::kOdd));
  // A stretch that an error ended, with the path the next one begins with.
  stretch.Begin(ObjectNumber(9), {&other});
  EXPECT_THAT(stretch.Add(trees[0].content, trees[0].path), IsOk());
  EncodedBlocks again;
  stretch.Begin(kFirstTree, {&again});
  Continue(stretch, trees);
  ASSERT_EQ(again.size(), fresh.size());
  for (size_t i = 0; i < fresh.size(); ++i) {
    EXPECT_EQ(again[i].first_object, fresh[i].first_object);
    EXPECT_EQ(again[i].chunk, fresh[i].chunk);
  }
}

}  // namespace
}  // namespace zpack
