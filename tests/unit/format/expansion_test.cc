// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/expansion.h"

#include <gtest/gtest.h>

#include <vector>

namespace zpack::format {
namespace {

// What writers leave room for.
Expansion WithMargin(Expansion expansion) {
  expansion +=
      {expansion.content / 2, expansion.decoded / 4, expansion.chains / 4};
  return expansion;
}

TEST(Expansion, AFileOfTheSizeThatIsNeededMayStandForMore) {
  for (const uint64_t much :
       {uint64_t{1} << 28, uint64_t{1} << 34, uint64_t{123'456'789'012'345}}) {
    for (const Expansion& expansion :
         {Expansion{much, 0, 0}, Expansion{0, much, 0}, Expansion{0, 0, much},
          Expansion{much, much, much}}) {
      const uint64_t size = FileSizeFor(expansion);
      EXPECT_TRUE(WithMargin(expansion).Within(MaxExpansion(size)));
      if (size == 0) continue;
      EXPECT_FALSE(WithMargin(expansion).Within(MaxExpansion(size - 1)));
    }
  }
}

TEST(Expansion, SmallContentNeedsNoLargeFile) {
  EXPECT_EQ(FileSizeFor({}), 0U);
  EXPECT_EQ(FileSizeFor({uint64_t{170} << 20, uint64_t{80} << 20, 0}), 0U);
}

TEST(Expansion, SumsDoNotWrapAround) {
  Expansion much = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
  much += much;
  EXPECT_EQ(much.content, UINT64_MAX);
  EXPECT_FALSE(much.Within(MaxExpansion(uint64_t{1} << 40)));
  EXPECT_TRUE(much.Within(MaxExpansion(UINT64_MAX)));
}

TEST(Expansion, ItemsOfOneByteCountWithWhatIsKeptForThem) {
  const std::vector<StreamHeader> streams = {
      {StreamKind::kSizes, StreamCodec::kZstd, 10, 5},
      {StreamKind::kEditKinds, StreamCodec::kZstd, 1000, 5},
      {StreamKind::kLiterals, StreamCodec::kStored, 7, 7}};
  BlockHeader header{.kind = BlockKind::kTrees};
  EXPECT_EQ(DecodedSize(header, streams), 10U * 65 + 1000U * 33 + 7);
  header.kind = BlockKind::kSegment;
  EXPECT_EQ(DecodedSize(header, streams), 0U);
}

}  // namespace
}  // namespace zpack::format
