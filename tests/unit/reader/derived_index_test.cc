// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/derived_index.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "convert/convert_source.h"
#include "reader/archive_file.h"
#include "reader/index_cache.h"
#include "reader/object_locator.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"
#include "verify/verify_archive.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;

// A history with deep directories and submodules whose commits it has, so that
// trees wait for commits.
MemorySource DeepHistory(int commits) {
  MemorySource source = SampleHistory(0);
  std::vector<ObjectId> parents;
  for (int i = 0; i < commits; ++i) {
    ObjectId below = source.AddTree(
        {{"100644", "leaf", source.AddBlob(fmt::format("leaf {}\n", i))}});
    for (int depth = 0; depth < 12; ++depth) {
      const ObjectId other =
          source.AddBlob(fmt::format("{} at {}\n", i / (depth + 1), depth));
      below =
          source.AddTree({{"40000", "down", below}, {"100644", "file", other}});
    }
    std::vector<MemorySource::Entry> entries = {{"40000", "dir", below}};
    if (!parents.empty()) {
      entries.push_back({"160000", "module", parents.front()});
    }
    parents = {source.AddCommit(source.AddTree(entries), parents,
                                1000 + static_cast<uint64_t>(i),
                                fmt::format("commit {}\n", i))};
  }
  source.AddRef({"refs/heads/main", parents.front(), {}, ""});
  return source;
}

ConvertOptions Cold() {
  ConvertOptions options;
  options.profile = Profile::kCold;
  options.block_size = ConvertOptions::kMinBlockSize;
  options.run.threads = 2;
  return options;
}

ReadOptions NoCache() {
  ReadOptions options;
  options.index_cache = IndexCache::kNo;
  return options;
}

class DerivedIndexTest : public ::testing::Test {
 protected:
  DerivedIndexTest() { setenv("XDG_CACHE_HOME", (dir_ / "cache").c_str(), 1); }

  void Convert(MemorySource& source, const ConvertOptions& options) {
    ASSERT_THAT(ConvertSource([&](SourceUse) { return source.Open(); },
                              PosixFileSystem(), path_, options),
                IsOk());
    file_ = *ReadWholeFile(PosixFileSystem(), path_, 1 << 24);
  }

  Result<std::unique_ptr<ArchiveFile>> Open(const Bytes& bytes,
                                            unsigned threads,
                                            IndexCache cache) const {
    ReadOptions options;
    options.index_cache = cache;
    options.derivation.threads = threads;
    return ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), options);
  }

  // The ids are derived, and all those of the source.
  void ExpectIdsOf(const MemorySource& source, unsigned threads) {
    const auto archive = Open(file_, threads, IndexCache::kNo);
    ASSERT_THAT(archive, IsOk());
    ASSERT_TRUE((*archive)->derivation());
    EXPECT_EQ((*archive)->derivation()->objects, source.objects().size());
    EXPECT_EQ((*archive)->object_count(), source.objects().size());
    for (const auto& [id, object] : source.objects()) {
      EXPECT_TRUE((*archive)->ids().Find(id)) << id.ToHex();
    }
  }

  size_t CacheEntries() const {
    size_t count = 0;
    if (!std::filesystem::exists(dir_ / "cache")) return 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(dir_ / "cache")) {
      count += entry.path().extension() == ".pages" ? 1 : 0;
    }
    return count;
  }

  TempDir dir_;
  std::string path_ = dir_ / "a.zpack";
  Bytes file_;
};

TEST_F(DerivedIndexTest, HasAllIdsWithAnyNumberOfThreads) {
  MemorySource source = DeepHistory(40);
  Convert(source, Cold());
  for (const unsigned threads : {1, 2, 5}) ExpectIdsOf(source, threads);
}

// So many bytes of trees that several threads prove them at the same time.
TEST_F(DerivedIndexTest, HasAllIdsOfLargeDirectories) {
  MemorySource source = SampleHistory(0);
  std::vector<MemorySource::Entry> entries;
  for (int i = 0; i < 1500; ++i) {
    entries.push_back({"100644", fmt::format("file {:04}", i),
                       source.AddBlob(fmt::format("first {}\n", i))});
  }
  std::vector<ObjectId> parents;
  for (int i = 0; i < 30; ++i) {
    const auto changed = static_cast<size_t>(i * 37);
    entries[changed].id = source.AddBlob(fmt::format("other {}\n", i));
    const ObjectId one = source.AddTree(entries);
    entries[changed + 5].id = source.AddBlob(fmt::format("third {}\n", i));
    const ObjectId other = source.AddTree(entries);
    const ObjectId root =
        source.AddTree({{"40000", "one", one}, {"40000", "other", other}});
    parents = {source.AddCommit(root, parents, 1000, "a message\n")};
  }
  source.AddRef({"refs/heads/main", parents.front(), {}, ""});
  Convert(source, Cold());
  for (const unsigned threads : {1, 3}) ExpectIdsOf(source, threads);
}

// The blocks of the older files come first, so that new trees and commits need
// blocks before and after their own.
TEST_F(DerivedIndexTest, HasAllIdsOfAFileThatWasUpdatedAgainAndAgain) {
  MemorySource source;
  for (const int commits : {10, 20, 30, 40}) {
    source = DeepHistory(commits);
    ConvertOptions options = Cold();
    if (commits != 10) {
      options.base = path_;
      options.overwrite = Overwrite::kYes;
    }
    Convert(source, options);
  }
  for (const unsigned threads : {1, 3}) ExpectIdsOf(source, threads);
}

TEST_F(DerivedIndexTest, ALookupDerivesTheIdsOnce) {
  MemorySource source = DeepHistory(3);
  Convert(source, Cold());
  const auto archive = ArchiveFile::OpenWithoutIndex(
      std::make_unique<MemoryFile>(file_), NoCache());
  ASSERT_THAT(archive, IsOk());
  EXPECT_FALSE((*archive)->index_loaded());
  ObjectLocator locator(**archive);
  for (const auto& [id, object] : source.objects()) {
    EXPECT_THAT(locator.Find(id), IsOk());
    EXPECT_THAT(locator.FindChecked(id), IsOk());
  }
  EXPECT_THAT(locator.Find(ObjectId(Bytes(20, 0x5a))),
              HasCode(ErrorCode::kNotFound));
  const auto matches = locator.FindPrefix("", 1);
  EXPECT_THAT(matches, IsOk());
}

TEST_F(DerivedIndexTest, TheCacheGivesTheSameIndex) {
  MemorySource source = DeepHistory(5);
  Convert(source, Cold());
  EXPECT_EQ(CacheEntries(), 0U);
  const auto derived = Open(file_, 2, IndexCache::kYes);
  ASSERT_THAT(derived, IsOk());
  EXPECT_TRUE((*derived)->derivation());
  EXPECT_EQ(CacheEntries(), 1U);
  const auto cached = Open(file_, 2, IndexCache::kYes);
  ASSERT_THAT(cached, IsOk());
  EXPECT_FALSE((*cached)->derivation());
  EXPECT_TRUE((*cached)->ids() == (*derived)->ids());
  for (uint32_t i = 0; i < (*cached)->object_count(); ++i) {
    EXPECT_EQ((*cached)->rank(ObjectNumber(i)),
              (*derived)->rank(ObjectNumber(i)));
  }
  // Nor does a file whose blocks are damaged hide behind the cache when it is
  // verified.
  Bytes damaged = file_;
  damaged[(*cached)->blocks().block_offset(0) + 40] ^= 1;
  EXPECT_FALSE(Open(damaged, 2, IndexCache::kNo));
}

TEST_F(DerivedIndexTest, NothingOfADamagedCacheIsUsed) {
  MemorySource source = DeepHistory(5);
  Convert(source, Cold());
  ASSERT_THAT(Open(file_, 2, IndexCache::kYes), IsOk());
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(dir_ / "cache")) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().string();
    const std::string good = ReadFile(path);
    for (size_t at = 0; at < good.size(); at += 1 + good.size() / 40) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 4);
      WriteFile(path, bad);
      ExpectIdsOf(source, 1);
      const auto archive = Open(file_, 1, IndexCache::kYes);
      ASSERT_THAT(archive, IsOk());
      for (const auto& [id, object] : source.objects()) {
        ASSERT_TRUE((*archive)->ids().Find(id));
      }
    }
    WriteFile(path, good);
  }
}

// With all checksums of the cache right.
TEST_F(DerivedIndexTest, AnIndexOfAnotherFileIsNotUsed) {
  MemorySource source = DeepHistory(5);
  Convert(source, Cold());
  const auto archive = Open(file_, 2, IndexCache::kNo);
  ASSERT_THAT(archive, IsOk());
  FileIndex index{(*archive)->ids(), {}, {}};
  for (const FileRank rank : index.ids.ranks()) {
    index.numbers.push_back((*archive)->number(rank));
  }
  std::swap(index.numbers[FileRank(0)], index.numbers[FileRank(1)]);
  index.ranks = format::InversePermutation(index.numbers);
  WriteCachedIndex(
      ReadOptions{},
      {(*archive)->trailer().file_hash, ObjectFormat::kSha1,
       (*archive)->object_count(), *(*archive)->top().ids_digest()},
      index);
  EXPECT_EQ(CacheEntries(), 1U);
  const auto again = Open(file_, 1, IndexCache::kYes);
  ASSERT_THAT(again, IsOk());
  EXPECT_TRUE((*again)->derivation());
}

TEST_F(DerivedIndexTest, VerifyNamesTheObjectsOfADamagedBlock) {
  MemorySource source = DeepHistory(10);
  Convert(source, Cold());
  const auto good = Open(file_, 1, IndexCache::kNo);
  ASSERT_THAT(good, IsOk());
  const FileBlocks& blocks = (*good)->blocks();
  for (size_t block = 0; block < blocks.block_count(); ++block) {
    Bytes bytes = file_;
    bytes[blocks.block_offset(block) + 50] ^= 1;
    const auto archive = ArchiveFile::OpenStructure(
        std::make_unique<MemoryFile>(bytes), NoCache());
    ASSERT_THAT(archive, IsOk());
    VerifyReport report;
    ASSERT_THAT(
        VerifyArchive(**archive, {.level = VerifyLevel::kObjects}, {}, report),
        IsOk());
    EXPECT_EQ(report.objects_verified + report.objects_damaged,
              blocks.object_count());
    EXPECT_GE(report.objects_damaged, blocks.block_object_count(block));
    const uint32_t first = blocks.first_object(block).value();
    const std::string objects =
        fmt::format("objects {} to {} cannot be read", first,
                    first + blocks.block_object_count(block) - 1);
    bool named = false;
    for (const Error& damage : report.damages) {
      named = named || (damage.offset == blocks.block_offset(block) &&
                        damage.message.starts_with(objects));
    }
    EXPECT_TRUE(named);
  }
}

TEST_F(DerivedIndexTest, VerifyHashesTheObjectsOfTheFileAboveAsWell) {
  MemorySource source = DeepHistory(5);
  Convert(source, Cold());
  source.AddBlob("added later\n");
  ConvertOptions options;
  options.onto = path_;
  const std::string above = dir_ / "b.zpack";
  ASSERT_THAT(ConvertSource([&](SourceUse) { return source.Open(); },
                            PosixFileSystem(), above, options),
              IsOk());
  const auto archive = ArchiveFile::OpenStructure(
      *PosixFileSystem().OpenForRead(above), NoCache());
  ASSERT_THAT(archive, IsOk());
  ASSERT_EQ((*archive)->object_count(), source.objects().size());
  VerifyReport report;
  ASSERT_THAT(
      VerifyArchive(**archive, {.level = VerifyLevel::kObjects}, {}, report),
      IsOk());
  EXPECT_EQ(report.objects_verified, source.objects().size());
}

TEST_F(DerivedIndexTest, AStopEndsIt) {
  MemorySource source = DeepHistory(5);
  Convert(source, Cold());
  std::stop_source stop;
  stop.request_stop();
  ReadOptions options = NoCache();
  options.derivation.stop = stop.get_token();
  EXPECT_THAT(ArchiveFile::Open(std::make_unique<MemoryFile>(file_), options),
              HasCode(ErrorCode::kInterrupted));
}

}  // namespace
}  // namespace zpack::testing
