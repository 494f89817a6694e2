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

namespace zpack {
namespace {

using testing::Below;
using testing::IsOk;
using testing::NumberedIds;
using testing::PathTree;
using testing::Random;
using testing::RandomId;
using testing::RandomIds;
using testing::RandomTrees;
using testing::TextEntry;
using testing::ToBytes;
using testing::TreeBytes;
using testing::TreeMaker;
using testing::UnpackedTrees;
using testing::UnpackTrees;

constexpr ObjectNumber kFirstTree(1000);
constexpr uint64_t kMaxObject = uint64_t{256} << 20;
constexpr uint64_t kLargeBlock = 1 << 20;

class TreeStretchEncoderTest : public ::testing::Test {
 protected:
  void UseIds(uint64_t seed, ObjectFormat format) {
    Random random(seed);
    ids_ = RandomIds(random, 300, format);
  }

  TreeStretchEncoder Stretch(uint64_t block_size) {
    return {ids_, block_size, encoder_};
  }

  std::vector<EncodedBlock> Encode(const std::vector<PathTree>& trees,
                                   uint64_t block_size) {
    TreeStretchEncoder stretch = Stretch(block_size);
    std::vector<EncodedBlock> blocks;
    stretch.Begin(kFirstTree, blocks);
    Continue(stretch, trees);
    return blocks;
  }

  static void Continue(TreeStretchEncoder& stretch,
                       const std::vector<PathTree>& trees) {
    for (const PathTree& tree : trees) {
      EXPECT_THAT(stretch.Add(tree.content, tree.path), IsOk());
    }
    EXPECT_THAT(stretch.Finish(), IsOk());
  }

  // Decoded with nothing but its own chunk.
  Result<TreeBlock> DecodeAlone(const EncodedBlock& encoded) const {
    UnpackedTrees unpacked = UnpackTrees(encoded.chunk);
    return TreeBlock::Parse(std::move(unpacked.streams),
                            unpacked.header.object_count, ids_.ids.size(),
                            ids_.ids.format(),
                            BlockLimits{kMaxObject, uint64_t{1} << 40});
  }

  // What one block holds, all of it.
  std::vector<Bytes> Contents(const TreeBlock& block) const {
    std::vector<Bytes> contents;
    const auto visit = [&](size_t index, ByteView content) -> Status {
      EXPECT_EQ(index, contents.size());
      contents.emplace_back(content.begin(), content.end());
      return {};
    };
    EXPECT_THAT(testing::ForEachTree(block, ids_.id_of(), visit), IsOk());
    return contents;
  }

  // Checks that the blocks hold `trees`, and are closed when they are full.
  void Check(const std::vector<EncodedBlock>& blocks,
             const std::vector<PathTree>& trees, uint64_t block_size) const {
    size_t next = 0;
    size_t largest = 0;
    for (const PathTree& tree : trees) {
      largest = std::max(largest, tree.content.size());
    }
    for (const EncodedBlock& encoded : blocks) {
      EXPECT_EQ(encoded.first_object, kFirstTree + static_cast<uint32_t>(next));
      const UnpackedTrees unpacked = UnpackTrees(encoded.chunk);
      EXPECT_EQ(unpacked.header.kind, format::BlockKind::kTrees);
      EXPECT_EQ(unpacked.header.type, ObjectType::kTree);
      EXPECT_EQ(unpacked.header.first_object,
                kFirstTree + static_cast<uint32_t>(next));
      EXPECT_EQ(unpacked.header.segment_offset, 0U);
      if (&encoded != &blocks.back()) {
        EXPECT_GE(unpacked.raw_size, block_size);
      }
      EXPECT_LT(unpacked.raw_size, block_size + 2 * largest + 64);
      const auto block = DecodeAlone(encoded);
      ASSERT_THAT(block, IsOk());
      ASSERT_LE(next + block->count(), trees.size());
      const std::vector<Bytes> contents = Contents(*block);
      for (uint32_t i = 0; i < block->count(); ++i) {
        const PathTree& tree = trees[next++];
        ASSERT_TRUE(contents[i] == tree.content) << next - 1;
        EXPECT_EQ(block->sizes()[i], tree.content.size());
        if (const auto base = block->base(i)) {
          EXPECT_EQ(trees[next - 1 - (i - *base)].path, tree.path);
        }
      }
    }
    EXPECT_EQ(next, trees.size());
  }

  // The only block, where there must not be more.
  TreeBlock OnlyBlock(const std::vector<PathTree>& trees) {
    const auto blocks = Encode(trees, kLargeBlock);
    Check(blocks, trees, kLargeBlock);
    EXPECT_EQ(blocks.size(), 1U);
    return *DecodeAlone(blocks.at(0));
  }

  std::vector<TextEntry> Entries(uint32_t count) const {
    std::vector<TextEntry> entries;
    for (uint32_t i = 0; i < count; ++i) {
      entries.push_back({"100644", "file-" + std::to_string(100000 + i),
                         ids_[i % ids_.ids.size()]});
    }
    return entries;
  }

  void ExpectVerbatim(const Bytes& content) {
    const TreeBlock block = OnlyBlock({{content, PathNumber(1)}});
    EXPECT_TRUE(block.IsVerbatim(0)) << AsText(content);
  }
  void ExpectTakenApart(const std::vector<TextEntry>& entries) {
    // Behind another one, so that there is something to compare it with.
    const TreeBlock block = OnlyBlock({{TreeBytes(Entries(3)), PathNumber(1)},
                                       {TreeBytes(entries), PathNumber(1)}});
    EXPECT_FALSE(block.IsVerbatim(1));
  }

  void ExpectReadable(uint32_t width, size_t name_size, uint32_t versions,
                      uint64_t block_size) {
    ids_ = RandomIds(random_, width + versions);
    std::vector<TextEntry> entries = Entries(width);
    for (TextEntry& entry : entries) entry.name.resize(name_size, 'n');
    TreeStretchEncoder stretch = Stretch(block_size);
    std::vector<EncodedBlock> blocks;
    stretch.Begin(kFirstTree, blocks);
    Bytes content = TreeBytes(entries);
    const size_t child = content.size() - 20;
    for (uint32_t i = 0; i < versions; ++i) {
      std::ranges::copy(ids_[width + i].bytes(),
                        content.begin() + static_cast<ptrdiff_t>(child));
      ASSERT_THAT(stretch.Add(content, PathNumber(1)), IsOk());
    }
    ASSERT_THAT(stretch.Finish(), IsOk());
    for (const EncodedBlock& encoded : blocks) {
      const auto block = DecodeAlone(encoded);
      EXPECT_TRUE(block.has_value()) << block.error().message;
    }
  }

  Random random_{1};
  NumberedIds ids_ = RandomIds(random_, 300);
  BlockEncoder encoder_{3};
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
  const TreeBlock block = OnlyBlock(trees);
  EXPECT_EQ(block.base(0), std::nullopt);
  EXPECT_EQ(block.base(1), 0U);
  for (uint32_t i = 2; i < block.count(); ++i) EXPECT_EQ(block.base(i), i - 2);
}

TEST_F(TreeStretchEncoderTest, ComparesTreesOfOnePathOnly) {
  const Bytes content = TreeBytes(Entries(10));
  const TreeBlock block = OnlyBlock({{content, PathNumber(1)},
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
  const TreeBlock block = OnlyBlock(
      {{TreeBytes(first), PathNumber(1)}, {TreeBytes(second), PathNumber(1)}});
  EXPECT_EQ(block.base(1), std::nullopt);
}

TEST_F(TreeStretchEncoderTest, LooksPastWhatIsNoTree) {
  const Bytes content = TreeBytes(Entries(10));
  const TreeBlock block = OnlyBlock({{content, PathNumber(1)},
                                     {ToBytes("garbage"), PathNumber(1)},
                                     {content, PathNumber(1)}});
  EXPECT_TRUE(block.IsVerbatim(1));
  EXPECT_EQ(block.base(2), 0U);
}

TEST_F(TreeStretchEncoderTest, TakesEmptyTrees) {
  const Bytes content = TreeBytes(Entries(3));
  const TreeBlock block = OnlyBlock({{{}, PathNumber(1)},
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
  const TreeBlock block = OnlyBlock(trees);
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
  EXPECT_EQ(UnpackTrees(blocks[0].chunk).streams.outside_ids.size(), 60U);
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

TEST_F(TreeStretchEncoderTest, BoundsTheEntriesOfAChain) {
  constexpr uint64_t kMaxEntries = uint64_t{1} << 19;
  std::vector<TextEntry> entries = Entries(60000);
  std::vector<PathTree> trees;
  for (uint32_t i = 0; i < 20; ++i) {
    entries[i * 2999].id = ids_[i];
    trees.push_back({TreeBytes(entries), PathNumber(1)});
  }
  const auto blocks = Encode(trees, 16 << 20);
  Check(blocks, trees, 16 << 20);
  ASSERT_EQ(blocks.size(), 1U);
  const auto block = DecodeAlone(blocks[0]);
  ASSERT_THAT(block, IsOk());
  uint32_t whole = 0;
  for (uint32_t i = 0; i < block->count(); ++i) {
    uint64_t copied = entries.size();
    for (auto base = block->base(i); base; base = block->base(*base)) {
      copied += entries.size();
    }
    EXPECT_LE(copied, kMaxEntries);
    if (!block->base(i)) ++whole;
  }
  EXPECT_GE(whole, 2U);
  EXPECT_LE(whole, 3U);
}

// Of a wide directory, one entry gets a new child in each version: hardly a
// byte each, but much content. As large as profiles make blocks.
TEST_F(TreeStretchEncoderTest, StaysBelowTheChainsThatReadersFollow) {
  ExpectReadable(900, 4000, 150, 4'000'000);
}

TEST_F(TreeStretchEncoderTest, StaysBelowTheContentThatReadersTake) {
  ExpectReadable(500, 240, 6000, 500'000);
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
  std::vector<EncodedBlock> other;
  stretch.Begin(ObjectNumber(7), other);
  Continue(stretch, RandomTrees(random_, ids_, 200, TreeMaker::Style::kOdd));
  // A stretch that an error ended, with the path the next one begins with.
  stretch.Begin(ObjectNumber(9), other);
  EXPECT_THAT(stretch.Add(trees[0].content, trees[0].path), IsOk());
  std::vector<EncodedBlock> again;
  stretch.Begin(kFirstTree, again);
  Continue(stretch, trees);
  ASSERT_EQ(again.size(), fresh.size());
  for (size_t i = 0; i < fresh.size(); ++i) {
    EXPECT_EQ(again[i].first_object, fresh[i].first_object);
    EXPECT_EQ(again[i].chunk, fresh[i].chunk);
  }
}

}  // namespace
}  // namespace zpack
