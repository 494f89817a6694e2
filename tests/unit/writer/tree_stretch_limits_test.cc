// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Stretches of trees that come near the limits of readers, which takes much
// content.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/limits.h"
#include "support/matchers.h"
#include "support/tree_blocks.h"
#include "support/tree_stretch_fixture.h"

namespace zpack {
namespace {

using testing::IsOk;
using testing::kFirstTree;
using testing::PathTree;
using testing::RandomIds;
using testing::TextEntry;
using testing::TreeBytes;

class TreeStretchLimitsTest : public testing::TreeStretchTest {
 protected:
  void ExpectReadable(uint32_t width, size_t name_size, uint32_t versions,
                      uint64_t block_size) {
    ids_ = RandomIds(random_, width + versions);
    std::vector<TextEntry> entries = Entries(width);
    for (TextEntry& entry : entries) entry.name.resize(name_size, 'n');
    TreeStretchEncoder stretch = Stretch(block_size);
    EncodedBlocks blocks;
    stretch.Begin(kFirstTree, {&blocks});
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

  // Of `count` versions of a tree with `width` entries, one is stored whole,
  // and chains of more than `limit` bytes begin anew with changes of its kind.
  void ExpectChains(uint32_t width, uint32_t count, uint64_t limit) {
    ids_ = RandomIds(random_, count + 100);
    std::vector<TextEntry> entries = Entries(width);
    std::vector<PathTree> trees;
    for (uint32_t i = 0; i < count; ++i) {
      entries[i * (width / count)].id = ids_[i];
      trees.push_back({TreeBytes(entries), PathNumber(1)});
    }
    const auto blocks = Encode(trees, 16 << 20);
    Check(blocks, trees, 16 << 20);
    ASSERT_EQ(blocks.size(), 1U);
    const auto block = DecodeAlone(blocks[0]);
    ASSERT_THAT(block, IsOk());
    uint32_t whole = 0;
    uint32_t chains = 0;
    for (uint32_t i = 0; i < block->count(); ++i) {
      uint64_t copied = trees[i].content.size();
      for (auto base = block->base(i); base; base = block->base(*base)) {
        copied += trees[*base].content.size();
      }
      EXPECT_LE(copied, limit);
      if (!block->base(i)) ++whole;
      if (block->base(i) && i - *block->base(i) > 8) ++chains;
    }
    EXPECT_EQ(whole, 1U);
    EXPECT_GE(chains, 1U);
    EXPECT_LE(chains, 3U);
  }
};

TEST_F(TreeStretchLimitsTest, BoundsTheBytesOfAChain) {
  ExpectChains(6000, 400, uint64_t{32} << 20);
}

TEST_F(TreeStretchLimitsTest, LargeTreesHaveLongerChains) {
  ExpectChains(60000, 50, format::kMaxTreeChain);
}

// Of a wide directory, one entry gets a new child in each version: hardly a
// byte each, but much content. As large as profiles make blocks.
TEST_F(TreeStretchLimitsTest, StaysBelowTheChainsThatReadersFollow) {
  ExpectReadable(900, 4000, 150, 4'000'000);
}

TEST_F(TreeStretchLimitsTest, StaysBelowTheContentThatReadersTake) {
  ExpectReadable(500, 240, 6000, 500'000);
}

}  // namespace
}  // namespace zpack
