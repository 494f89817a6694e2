// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/far_base_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "reader/archive_file.h"
#include "reader/object_reader.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/sample_file.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsOk;
using testing::UpdatedFile;

class FarBaseReaderTest : public ::testing::TestWithParam<Profile> {
 protected:
  static std::unique_ptr<ArchiveFile> Open(uint64_t cache_size = 1 << 20) {
    ReadOptions options;
    options.cache_size = cache_size;
    options.index_cache = IndexCache::kNo;
    auto archive = ArchiveFile::Open(
        std::make_unique<testing::MemoryFile>(UpdatedFile(GetParam())),
        options);
    EXPECT_THAT(archive, IsOk());
    return *std::move(archive);
  }

  // Calls `use` with each object of a block of far deltas, and its layout.
  template <typename Use>
  static void ForEachFarDelta(const ArchiveFile& archive, Use use) {
    BlockDecoder decoder;
    for (size_t at = 0; at < archive.blocks().block_count(); ++at) {
      const auto block = decoder.Decode(archive.blocks(), at);
      ASSERT_THAT(block, IsOk());
      if (block->objects.header.kind != format::BlockKind::kFarDeltas) continue;
      for (uint32_t i = 0; i < block->objects.sizes.size(); ++i) use(*block, i);
    }
  }
};

TEST_P(FarBaseReaderTest, TheSampleHasBlobsAndTreesInThreeBlocks) {
  const auto archive = Open();
  std::map<ObjectType, size_t> deltas;
  std::map<ObjectType, size_t> deep;
  ForEachFarDelta(*archive, [&](const DecodedBlock& block, uint32_t index) {
    const format::FarBase* const far = block.FarBaseOf(index);
    if (far == nullptr) return;
    ++deltas[block.objects.header.type];
    // A base in two blocks.
    const auto chosen = archive->blocks().far_bases().Choose(
        far->number, {.blocks = 1, .bytes = UINT64_MAX});
    ASSERT_THAT(chosen, IsOk());
    ASSERT_TRUE(*chosen);
    if ((*chosen)->number != far->number) ++deep[block.objects.header.type];
  });
  EXPECT_GE(deltas[ObjectType::kBlob], 4U);
  EXPECT_GE(deep[ObjectType::kBlob], 1U);
  EXPECT_GE(deltas[ObjectType::kTree], 6U);
  EXPECT_GE(deep[ObjectType::kTree], 2U);
}

TEST_P(FarBaseReaderTest, ObjectsHashToTheirIdsInAnyOrder) {
  for (const uint64_t cache_size : {uint64_t{0}, uint64_t{1} << 20}) {
    const auto archive = Open(cache_size);
    ObjectReader reader(*archive);
    Bytes content;
    for (uint32_t step : {1U, 7U, 31U}) {
      for (uint32_t i = 0; i < archive->object_count(); ++i) {
        const ObjectNumber number((i * step) % archive->object_count());
        const ObjectId id = archive->blocks().id(number);
        EXPECT_THAT(reader.Read(number, id, content), IsOk());
      }
    }
  }
}

TEST_P(FarBaseReaderTest, ThreadsMayShareIt) {
  const auto archive = Open(4096);
  std::vector<std::thread> threads;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      ForEachFarDelta(*archive, [&](const DecodedBlock& block, uint32_t i) {
        Bytes buffer;
        const auto count = static_cast<uint32_t>(block.objects.sizes.size());
        const auto object = block.Object((i + seed) % count, buffer);
        ASSERT_THAT(object, IsOk());
        EXPECT_EQ(object->size(), block.objects.sizes[(i + seed) % count]);
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(FarBaseReaderTest, ABaseHasTheSizeAndTypeThatAreStated) {
  const auto archive = Open();
  bool tried = false;
  ForEachFarDelta(*archive, [&](const DecodedBlock& block, uint32_t index) {
    const format::FarBase* const far = block.FarBaseOf(index);
    if (far == nullptr) return;
    tried = true;
    FarBaseReader reader(archive->blocks());
    FarBudget budget;
    const ObjectType type = block.objects.header.type;
    EXPECT_THAT(reader.Read({far->number, far->size + 1}, type, budget),
                HasCode(ErrorCode::kCorrupt));
    EXPECT_THAT(reader.Read(*far, ObjectType::kCommit, budget),
                HasCode(ErrorCode::kCorrupt));
    EXPECT_THAT(reader.Read(*far, type, budget), IsOk());
    // Also when the content is kept.
    EXPECT_THAT(reader.Read({far->number, far->size + 1}, type, budget),
                HasCode(ErrorCode::kCorrupt));
    EXPECT_THAT(reader.Read(*far, ObjectType::kCommit, budget),
                HasCode(ErrorCode::kCorrupt));
  });
  EXPECT_TRUE(tried);
}

TEST_P(FarBaseReaderTest, WorkBeyondTheBudgetIsAnError) {
  const auto archive = Open();
  ForEachFarDelta(*archive, [&](const DecodedBlock& block, uint32_t index) {
    const format::FarBase* const far = block.FarBaseOf(index);
    if (far == nullptr) return;
    const ObjectType type = block.objects.header.type;
    FarBudget budget;
    FarBaseReader reader(archive->blocks());
    ASSERT_THAT(reader.Read(*far, type, budget), IsOk());
    EXPECT_GT(budget.used, far->size);
    const uint64_t used = budget.used;
    EXPECT_THAT(reader.Read(*far, type, budget), IsOk());
    EXPECT_EQ(budget.used, used) << "what is kept costs nothing";
    FarBaseReader other(archive->blocks());
    FarBudget less{.limit = used - 1};
    EXPECT_THAT(other.Read(*far, type, less),
                HasCode(ErrorCode::kLimitExceeded));
  });
}

INSTANTIATE_TEST_SUITE_P(Profiles, FarBaseReaderTest,
                         ::testing::Values(Profile::kBalanced, Profile::kCold));

}  // namespace
}  // namespace zpack
