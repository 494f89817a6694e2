// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/write_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "format/limits.h"
#include "inventory/object_enumerator.h"
#include "support/memory_source.h"
#include "support/paths.h"
#include "writer/encoding_options.h"
#include "zpack/options.h"

namespace zpack {
namespace {

constexpr uint64_t kBlockSize = 100;

// One path, the root's.
Lineages OnePath(bool incompressible) {
  Lineages lineages;
  lineages.positions.resize(1);
  lineages.groups.resize(1);
  lineages.incompressible.resize(1, incompressible);
  return lineages;
}

// `sizes.size()` objects of `type`, all of one path.
ObjectList Objects(ObjectType type, const std::vector<uint64_t>& sizes) {
  ObjectList list;
  Bytes ids(sizes.size() * 20);
  for (size_t i = 0; i < sizes.size(); ++i)
    ids[i * 20] = static_cast<uint8_t>(i);
  list.ids = *ObjectIdTable::FromSorted(ObjectFormat::kSha1, ids);
  list.types.assign(sizes.size(), type);
  for (const uint64_t size : sizes) list.sizes.Append(size);
  list.paths.assign(sizes.size(), PathTable::kRoot);
  list.visits.assign(sizes.size(), ObjectList::kUnmet);
  return list;
}

std::vector<PlannedStretch> Plan(ObjectType type,
                                 const std::vector<uint64_t>& sizes,
                                 bool incompressible = false) {
  const ObjectList list = Objects(type, sizes);
  const Lineages lineages = OnePath(incompressible);
  const FarVersions far;
  const StorageInput input{list, lineages, far};
  return PlanStretches(input, WriteOrder(input), BlockSizes(kBlockSize));
}

std::vector<uint32_t> Counts(const std::vector<PlannedStretch>& blocks) {
  std::vector<uint32_t> counts;
  for (const PlannedStretch& block : blocks) counts.push_back(block.count);
  return counts;
}

TEST(PathTable, GivesEachPathOneNumber) {
  PathTable paths;
  const PathNumber a = paths.Intern(PathTable::kRoot, "a");
  const PathNumber ab = paths.Intern(a, "b");
  EXPECT_EQ(paths.Intern(a, "b"), ab);
  EXPECT_NE(paths.Intern(PathTable::kRoot, "b"), ab);
  EXPECT_EQ(paths.Name(ab), "b");
  EXPECT_EQ(paths.Name(PathTable::kRoot), "");
}

TEST(PlanStretches, FillsBlocksOfWholeObjects) {
  const auto blocks = Plan(ObjectType::kTag, {700, 800, 100, 1, 799, 800, 0});
  EXPECT_EQ(Counts(blocks), (std::vector<uint32_t>{3, 4}));
  EXPECT_EQ(blocks[0].raw_size, 1600U);
  EXPECT_EQ(blocks[0].kind, format::BlockKind::kObjects);
}

TEST(PlanStretches, PutsBlobsIntoStretchesOfDeltas) {
  const auto blocks =
      Plan(ObjectType::kBlob, std::vector<uint64_t>(60, kBlockSize / 2));
  EXPECT_EQ(Counts(blocks), (std::vector<uint32_t>{48, 12}))
      << "a stretch holds 16 blocks' worth of content at least, and more of "
         "the same path";
  EXPECT_EQ(blocks[0].kind, format::BlockKind::kDeltas);
  EXPECT_EQ(blocks[1].first, WritePosition(48));
}

TEST(PlanStretches, KeepsVersionsOfALargeBlobTogether) {
  const auto blocks =
      Plan(ObjectType::kBlob, std::vector<uint64_t>(40, 10 * kBlockSize));
  EXPECT_EQ(Counts(blocks), (std::vector<uint32_t>{kLeastVersions, 8}));
  for (const PlannedStretch& block : blocks) {
    EXPECT_EQ(block.kind, format::BlockKind::kDeltas);
  }
}

// Blobs of 60 bytes, as many of each path as the numbers say. The last two
// paths resemble each other.
struct BlobsOfPaths {
  explicit BlobsOfPaths(const std::vector<uint32_t>& versions)
      : list(Objects(ObjectType::kBlob, Sizes(versions))) {
    auto path = list.paths.begin();
    for (uint32_t i = 0; i < versions.size(); ++i) {
      path = std::fill_n(path, versions[i], PathNumber(i));
      lineages.positions.push_back(PathPosition(i));
    }
    lineages.groups = lineages.positions;
    lineages.groups.raw().back() = lineages.groups.raw().rbegin()[1];
    lineages.incompressible.resize(versions.size());
  }
  static std::vector<uint64_t> Sizes(const std::vector<uint32_t>& versions) {
    return std::vector<uint64_t>(
        std::accumulate(versions.begin(), versions.end(), 0U), 60);
  }

  ObjectList list;
  Lineages lineages;
};

TEST(PlanStretches, EndsStretchesBetweenPathsThatAreNotAlike) {
  const BlobsOfPaths blobs({26, 10, 10, 90});
  const FarVersions far;
  const StorageInput input{blobs.list, blobs.lineages, far};
  const auto order = WriteOrder(input);
  const auto apart = PlanStretches(input, order, BlockSizes(kBlockSize));
  EXPECT_EQ(Counts(apart), (std::vector<uint32_t>{26, 40, 40, 30}));
  for (const PlannedStretch& stretch : apart) {
    EXPECT_TRUE(stretch.sections.empty());
  }

  // In groups, all are one stretch, of which sections end so.
  const auto stretches =
      PlanStretches(input, order, BlockSizes(kBlockSize, 0, true));
  ASSERT_EQ(stretches.size(), 1U);
  const auto& sections = stretches.front().sections;
  EXPECT_EQ(Counts(sections), (std::vector<uint32_t>{26, 40, 40, 30}));
  WritePosition next;
  for (const PlannedStretch& section : sections) {
    EXPECT_EQ(section.first, next);
    EXPECT_EQ(section.raw_size, section.count * 60U);
    EXPECT_EQ(section.kind, format::BlockKind::kDeltas);
    next = next + section.count;
  }
}

TEST(PlanStretches, PutsTreesIntoStretches) {
  const auto blocks = Plan(ObjectType::kTree, {800, 800, 800, 800, 800});
  EXPECT_EQ(Counts(blocks), (std::vector<uint32_t>{4, 1}))
      << "a stretch holds 32 blocks' worth of content at least";
  EXPECT_EQ(blocks[0].kind, format::BlockKind::kTrees);
}

TEST(PlanStretches, KeepsIncompressibleBlobsApart) {
  const auto blocks = Plan(ObjectType::kBlob, {60, 40, 1, 800, 5}, true);
  EXPECT_EQ(Counts(blocks), (std::vector<uint32_t>{2, 1, 1, 1}))
      << "reading one decodes no more than a block of others";
  EXPECT_EQ(blocks[0].kind, format::BlockKind::kObjects);
}

TEST(PlanStretches, CutsALargeObjectIntoSegments) {
  const auto blocks = Plan(ObjectType::kTag, {10, 850, 10});
  ASSERT_EQ(Counts(blocks), (std::vector<uint32_t>{1, 1, 1, 1, 1}));
  EXPECT_EQ(blocks[0].kind, format::BlockKind::kObjects);
  for (size_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(blocks[i].kind, format::BlockKind::kSegment);
    EXPECT_EQ(blocks[i].first, WritePosition(1));
    EXPECT_EQ(blocks[i].segment_offset, (i - 1) * 400);
  }
  EXPECT_EQ(blocks[3].raw_size, 50U);
  EXPECT_EQ(blocks[4].first, WritePosition(2));
}

TEST(PlanStretches, CutsBlobsOnlyIfDeltasAreOfNoUse) {
  constexpr uint64_t kSize = 50'000'000;
  EXPECT_EQ(Counts(Plan(ObjectType::kBlob, {10, kSize, 10})),
            (std::vector<uint32_t>{2, 1}));
  constexpr uint64_t kSegments = (kSize + 399) / 400;
  EXPECT_EQ(Plan(ObjectType::kBlob, {10, kSize, 10}, true).size(),
            kSegments + 2);
  EXPECT_GT(Plan(ObjectType::kBlob, {format::kMaxWhole + 1}).size(), 1000U);
}

TEST(PlanStretches, GivesNoBlocksForNoObjects) {
  EXPECT_TRUE(Plan(ObjectType::kBlob, {}).empty());
}

TEST(WriteOrder, PutsObjectsWithAFarBaseAfterOthers) {
  const ObjectList list = Objects(ObjectType::kBlob, {10, 10, 10});
  const Lineages lineages = OnePath(false);
  FarVersions far;
  far[ListRank(1)] = {};
  EXPECT_EQ(WriteOrder({list, lineages, far}).raw(),
            (std::vector{ListRank(0), ListRank(2), ListRank(1)}));
}

TEST(ResolveEncoding, LevelsAndSizesOfBlocksHaveLimits) {
  const auto resolve = [](int level, uint64_t block_size) {
    ConvertOptions options;
    options.level = level;
    options.block_size = block_size;
    return ResolveEncoding(options).has_value();
  };
  constexpr uint64_t kLeast = ConvertOptions::kMinBlockSize;
  constexpr uint64_t kMost = ConvertOptions::kMaxBlockSize;
  EXPECT_TRUE(resolve(1, kLeast));
  EXPECT_TRUE(resolve(22, kMost));
  EXPECT_FALSE(resolve(0, kLeast));
  EXPECT_FALSE(resolve(23, kLeast));
  EXPECT_FALSE(resolve(1, kLeast - 1));
  EXPECT_FALSE(resolve(1, kMost + 1));
}

TEST(WriteOrder, PutsVersionsOfAFileTogetherNewestFirst) {
  testing::MemorySource source = testing::SampleHistory(6);
  const auto opened = source.Open();
  auto list =
      EnumerateObjects(*opened, source.refs, ObjectSet::kAll, RunOptions{});
  ASSERT_TRUE(list);
  const auto lineages = GroupLineages(*opened, *list, UINT64_MAX, RunOptions{});
  ASSERT_TRUE(lineages);
  const FarVersions far;
  const auto order = WriteOrder({*list, *lineages, far});
  ASSERT_EQ(order.size(), list->ids.size());

  std::vector<ObjectType> types;
  std::vector<uint64_t> readme_sizes;
  const PathNumber readme = testing::FindPath(list->path_table, "README");
  for (const ListRank rank : order) {
    if (types.empty() || types.back() != list->types[rank]) {
      types.push_back(list->types[rank]);
    }
    if (list->paths[rank] == readme) {
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
