// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/write_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/memory_source.h"
#include "writer/object_enumerator.h"

namespace zpack {
namespace {

// `sizes.size()` blobs, all of one path.
ObjectList Blobs(const std::vector<uint64_t>& sizes) {
  ObjectList list;
  Bytes ids(sizes.size() * 20);
  for (size_t i = 0; i < sizes.size(); ++i)
    ids[i * 20] = static_cast<uint8_t>(i);
  list.ids = *ObjectIdTable::FromSorted(ObjectFormat::kSha1, ids);
  list.types.assign(sizes.size(), ObjectType::kBlob);
  list.sizes = sizes;
  list.paths.assign(sizes.size(), PathTable::kRoot);
  list.visits.assign(sizes.size(), ObjectList::kUnreached);
  return list;
}

std::vector<PlannedBlock> Plan(const std::vector<uint64_t>& sizes,
                               uint64_t block_size) {
  const ObjectList list = Blobs(sizes);
  return PlanBlocks(list, WriteOrder(list), block_size);
}

TEST(PathTable, InternsAndJoins) {
  PathTable paths;
  const uint32_t a = paths.Intern(PathTable::kRoot, "a");
  const uint32_t ab = paths.Intern(a, "b");
  EXPECT_EQ(paths.Intern(a, "b"), ab);
  EXPECT_NE(paths.Intern(PathTable::kRoot, "b"), ab);
  EXPECT_EQ(paths.FullPath(ab), "a/b");
  EXPECT_EQ(paths.FullPath(PathTable::kRoot), "");
}

TEST(PlanBlocks, FillsBlocksUpToTheirSize) {
  const auto blocks = Plan({40, 60, 1, 99, 100, 0}, 100);
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].count, 2U);
  EXPECT_EQ(blocks[1].count, 2U);
  EXPECT_EQ(blocks[2].count, 2U);
  EXPECT_EQ(blocks[2].raw_size, 100U);
}

TEST(PlanBlocks, CutsALargeObjectIntoSegments) {
  const auto blocks = Plan({10, 250, 10}, 100);
  ASSERT_EQ(blocks.size(), 5U);
  EXPECT_FALSE(blocks[0].segment);
  for (size_t i = 1; i <= 3; ++i) {
    EXPECT_TRUE(blocks[i].segment);
    EXPECT_EQ(blocks[i].first, 1U);
    EXPECT_EQ(blocks[i].segment_offset, (i - 1) * 100);
  }
  EXPECT_EQ(blocks[3].raw_size, 50U);
  EXPECT_EQ(blocks[4].first, 2U);
}

TEST(PlanBlocks, GivesNoBlocksForNoObjects) {
  EXPECT_TRUE(Plan({}, 100).empty());
}

TEST(WriteOrder, PutsVersionsOfAFileTogetherNewestFirst) {
  testing::MemorySource source = testing::SampleHistory(6);
  const auto opened = source.Open();
  const auto list =
      EnumerateObjects(*opened, source.refs, ObjectSet::kAll, RunOptions{});
  ASSERT_TRUE(list);
  const std::vector<uint32_t> order = WriteOrder(*list);
  ASSERT_EQ(order.size(), list->ids.size());

  std::vector<ObjectType> types;
  std::vector<uint64_t> readme_sizes;
  for (const uint32_t rank : order) {
    if (types.empty() || types.back() != list->types[rank]) {
      types.push_back(list->types[rank]);
    }
    if (list->path_table.FullPath(list->paths[rank]) == "README") {
      readme_sizes.push_back(list->sizes[rank]);
    }
  }
  EXPECT_EQ(types, (std::vector{ObjectType::kCommit, ObjectType::kTag,
                                ObjectType::kTree, ObjectType::kBlob}));
  ASSERT_EQ(readme_sizes.size(), 6U);
  EXPECT_TRUE(std::ranges::is_sorted(readme_sizes, std::ranges::greater{}))
      << "the file grows with every commit";
}

}  // namespace
}  // namespace zpack
