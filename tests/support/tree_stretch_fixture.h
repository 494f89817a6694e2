// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Encodes stretches of trees, and checks the blocks by decoding them.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/matchers.h"
#include "support/tree_blocks.h"
#include "writer/tree_stretch_encoder.h"

namespace zpack::testing {

inline constexpr ObjectNumber kFirstTree(1000);
inline constexpr uint64_t kMaxObject = uint64_t{256} << 20;
inline constexpr uint64_t kLargeBlock = 1 << 20;

class TreeStretchTest : public ::testing::Test {
 protected:
  void UseIds(uint64_t seed, ObjectFormat format) {
    Random random(seed);
    ids_ = RandomIds(random, 300, format);
  }

  TreeStretchEncoder Stretch(uint64_t block_size) {
    return {ids_, block_size, encoder_};
  }

  EncodedBlocks Encode(const std::vector<PathTree>& trees,
                       uint64_t block_size) {
    TreeStretchEncoder stretch = Stretch(block_size);
    EncodedBlocks blocks;
    stretch.Begin(kFirstTree, {&blocks});
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
  Result<format::TreeBlock> DecodeAlone(const EncodedBlock& encoded) const {
    UnpackedBlock unpacked = UnpackBlock(encoded.chunk);
    return format::TreeBlock::Parse(
        std::move(unpacked.streams), unpacked.header.object_count,
        ids_.ids.size(), ids_.ids.format(),
        format::BlockLimits{kMaxObject, uint64_t{1} << 40});
  }

  // What one block holds, all of it.
  std::vector<Bytes> Contents(const format::TreeBlock& block) const {
    std::vector<Bytes> contents;
    const auto visit = [&](size_t index, ByteView content) -> Status {
      EXPECT_EQ(index, contents.size());
      contents.emplace_back(content.begin(), content.end());
      return {};
    };
    EXPECT_THAT(ForEachTree(block, ids_.id_of(), visit), IsOk());
    return contents;
  }

  // Checks that the blocks hold `trees`, and are closed when they are full.
  void Check(const EncodedBlocks& blocks, const std::vector<PathTree>& trees,
             uint64_t block_size) const {
    size_t next = 0;
    size_t largest = 0;
    for (const PathTree& tree : trees) {
      largest = std::max(largest, tree.content.size());
    }
    for (const EncodedBlock& encoded : blocks) {
      EXPECT_EQ(encoded.first_object, kFirstTree + static_cast<uint32_t>(next));
      const UnpackedBlock unpacked = UnpackBlock(encoded.chunk);
      EXPECT_EQ(unpacked.header.kind, format::BlockKind::kTrees);
      EXPECT_EQ(unpacked.header.type, ObjectType::kTree);
      EXPECT_EQ(unpacked.header.first_object,
                kFirstTree + static_cast<uint32_t>(next));
      EXPECT_EQ(unpacked.header.segment_offset, 0U);
      if (&encoded != &blocks.back()) {
        EXPECT_GE(unpacked.streams.raw_size(), block_size);
      }
      EXPECT_LT(unpacked.streams.raw_size(), block_size + 2 * largest + 64);
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
  format::TreeBlock OnlyBlock(const std::vector<PathTree>& trees) {
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

  Random random_{1};
  NumberedIds ids_ = RandomIds(random_, 300);
  BlockEncoder encoder_{3};
};

}  // namespace zpack::testing
