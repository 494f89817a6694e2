// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks of a part of a file: some blocks at random, or the blocks that an
// older file does not have. Damage in what is checked is found, and the report
// says what was not checked.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "convert/convert_source.h"
#include "reader/archive_file.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_source.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack/verify.h"

namespace zpack::testing {
namespace {

class ScrubTest : public ::testing::Test {
 protected:
  void Convert(MemorySource& source, const std::string& path,
               std::optional<std::string> base = std::nullopt) const {
    ConvertOptions options;
    options.base = std::move(base);
    options.run.threads = 1;
    options.block_size = 4096;
    ASSERT_THAT(ConvertSource([&](SourceUse) { return source.Open(); },
                              PosixFileSystem(), path, options),
                IsOk());
  }

  // A file of many blocks, with an object in segments.
  void ConvertHistory(int commits, const std::string& path,
                      std::optional<std::string> base = std::nullopt) const {
    MemorySource source = SampleHistory(20);
    MemorySource more = SampleHistory(commits);
    source.refs = more.refs;
    for (const auto& [id, object] : more.objects()) {
      source.AddAs(id, object.type, object.content);
    }
    source.Add(ObjectType::kTag, std::string(100'000, 'x'));
    Convert(source, path, std::move(base));
  }

  Result<VerifyReport> Sample(uint32_t share, uint32_t seed) const {
    VerifyOptions options;
    options.run.threads = 2;
    return Scrub(file_, "", options, {.sample = share, .seed = seed});
  }

  Result<VerifyReport> Since() const {
    VerifyOptions options;
    options.run.threads = 2;
    options.level = VerifyLevel::kConnectivity;
    return Scrub(file_, "", options,
                 {.sample = {}, .seed = {}, .since = older_});
  }

  // Changes the parts of the file and writes it with right checksums.
  void Edit(const std::function<void(HostileFile&)>& edit) const {
    HostileFile parts(AsBytes(ReadFile(file_)));
    edit(parts);
    WriteFile(file_, std::string(AsText(parts.Build())));
  }

  TempDir dir_;
  std::string file_ = dir_ / "new.zpack";
  std::string older_ = dir_ / "old.zpack";
};

TEST_F(ScrubTest, OneSeedAlwaysChoosesTheSameBlocks) {
  ConvertHistory(40, file_);
  std::set<uint64_t> left_out;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const auto report = Sample(2000, seed);
    ASSERT_THAT(report, IsOk());
    ASSERT_TRUE(report->ok()) << report->damages.front().message;
    ASSERT_TRUE(report->scope);
    EXPECT_EQ(report->scope->seed, seed);
    EXPECT_LT(report->scope->blocks_checked, report->scope->blocks);
    EXPECT_EQ(report->objects_verified + report->scope->objects_left_out,
              report->objects);
    left_out.insert(report->scope->objects_left_out);
    const auto again = Sample(2000, seed);
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(again->objects_verified, report->objects_verified);
    EXPECT_EQ(again->bytes_verified, report->bytes_verified);
  }
  EXPECT_GT(left_out.size(), 1U) << "the seed changes nothing";
}

TEST_F(ScrubTest, SampleOfEverythingLeavesNothingOut) {
  ConvertHistory(40, file_);
  const auto report = Sample(10'000, 7);
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->objects_verified, report->objects);
  EXPECT_EQ(report->scope->blocks_checked, report->scope->blocks);
  EXPECT_EQ(report->scope->objects_left_out, 0U);
}

TEST_F(ScrubTest, SampleHasAtLeastOneBlock) {
  ConvertHistory(40, file_);
  const auto report = Sample(1, 7);
  ASSERT_THAT(report, IsOk());
  EXPECT_GE(report->scope->blocks_checked, 1U);
  EXPECT_GE(report->objects_verified, 1U);
}

TEST_F(ScrubTest, SampleFindsDamageInTheBlocksThatItChooses) {
  ConvertHistory(40, file_);
  std::string bytes = ReadFile(file_);
  const size_t block = bytes.find("BLCK");
  ASSERT_NE(block, std::string::npos);
  bytes[block + 60] = static_cast<char>(bytes[block + 60] ^ 1);
  WriteFile(file_, bytes);
  int found = 0;
  int missed = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    const auto report = Sample(3000, seed);
    ASSERT_THAT(report, IsOk());
    (report->ok() ? missed : found) += 1;
    EXPECT_EQ(report->ok(), report->objects_damaged == 0);
  }
  EXPECT_GT(found, 0);
  EXPECT_GT(missed, 0);
}

TEST_F(ScrubTest, SampleChecksAllTables) {
  ConvertHistory(40, file_);
  std::string bytes = ReadFile(file_);
  bytes[bytes.find("COPY") + 40] ^= 1;
  WriteFile(file_, bytes);
  const auto report = Sample(1, 0);
  ASSERT_THAT(report, IsOk());
  EXPECT_FALSE(report->ok());
}

TEST_F(ScrubTest, RefusesOptionsThatExcludeEachOther) {
  ConvertHistory(40, file_);
  const auto refuses = [&](VerifyLevel level, const ScrubOptions& scrub) {
    VerifyOptions options;
    options.level = level;
    EXPECT_THAT(Scrub(file_, "", options, scrub),
                HasCode(ErrorCode::kInvalidArgument));
  };
  refuses(VerifyLevel::kObjects, {.sample = 0, .seed = {}});
  refuses(VerifyLevel::kConnectivity, {.sample = 500, .seed = {}});
  refuses(VerifyLevel::kObjects, {.sample = 500, .seed = {}, .since = older_});
  refuses(VerifyLevel::kChecksums, {.sample = {}, .seed = {}, .since = older_});
  // A file is not older than itself.
  refuses(VerifyLevel::kObjects, {.sample = {}, .seed = {}, .since = file_});
}

TEST_F(ScrubTest, AttestCollectsFactsOfTheWholeFile) {
  ConvertHistory(20, older_);
  ConvertHistory(40, file_, older_);
  for (const VerifyLevel level :
       {VerifyLevel::kChecksums, VerifyLevel::kObjects,
        VerifyLevel::kConnectivity}) {
    VerifyOptions options;
    options.level = level;
    options.run.threads = 2;
    ScrubOptions scrub;
    if (level != VerifyLevel::kChecksums) scrub.since = older_;
    const auto report = Attest(file_, "", options, scrub);
    ASSERT_THAT(report, IsOk());
    ASSERT_TRUE(report->facts);
    const FileFacts& facts = *report->facts;
    EXPECT_EQ(facts.sha256, Sha256(ReadFile(file_)));
    EXPECT_EQ(facts.file_hash, report->file_hash);
    EXPECT_EQ(facts.file_bytes, report->file_bytes);
    EXPECT_EQ(facts.commits + facts.trees + facts.blobs + facts.tags,
              report->objects);
    EXPECT_GT(facts.commits, 20U);
  }
  EXPECT_FALSE(Since()->facts);
}

TEST_F(ScrubTest, AttestCollectsNoFactsOfADamagedFile) {
  ConvertHistory(40, file_);
  std::string bytes = ReadFile(file_);
  bytes[bytes.size() / 2] ^= 1;
  WriteFile(file_, bytes);
  const auto report = Attest(file_, "", VerifyOptions{}, {});
  ASSERT_THAT(report, IsOk());
  EXPECT_FALSE(report->ok());
  EXPECT_FALSE(report->facts);
}

TEST_F(ScrubTest, AttestNeedsTheWholeFile) {
  ConvertHistory(40, file_);
  VerifyOptions options;
  EXPECT_THAT(Attest(file_, "", options, {.sample = 500, .seed = {}}),
              HasCode(ErrorCode::kInvalidArgument));
  options.level = VerifyLevel::kStructure;
  EXPECT_THAT(Attest(file_, "", options, {}),
              HasCode(ErrorCode::kInvalidArgument));
}

TEST_F(ScrubTest, SinceHashesOnlyBlocksThatTheOlderFileLacks) {
  ConvertHistory(20, older_);
  ConvertHistory(40, file_, older_);
  const auto report = Since();
  ASSERT_THAT(report, IsOk());
  ASSERT_TRUE(report->ok()) << report->damages.front().message;
  EXPECT_GT(report->scope->objects_left_out, 0U);
  EXPECT_GT(report->objects_verified, 0U);
  EXPECT_EQ(report->objects_verified + report->scope->objects_left_out,
            report->objects);
  EXPECT_FALSE(report->scope->seed);
}

TEST_F(ScrubTest, SinceAnUnrelatedFileHashesEverything) {
  MemorySource other;
  other.refs.head_symref = "refs/heads/main";
  other.AddBlob("another repository");
  Convert(other, older_);
  ConvertHistory(40, file_);
  const auto report = Since();
  ASSERT_THAT(report, IsOk());
  EXPECT_TRUE(report->ok());
  EXPECT_EQ(report->scope->objects_left_out, 0U);
  EXPECT_EQ(report->objects_verified, report->objects);
}

TEST_F(ScrubTest, SinceFindsADamagedBlockThatIsTheSameInBothFiles) {
  ConvertHistory(20, older_);
  std::string bytes = ReadFile(older_);
  bytes[bytes.find("BLCK") + 60] ^= 1;
  WriteFile(older_, bytes);
  WriteFile(file_, bytes);
  const auto report = Since();
  ASSERT_THAT(report, IsOk());
  EXPECT_GT(report->objects_damaged, 0U);
  EXPECT_EQ(report->scope->objects_left_out, 0U);
}

// The bytes of a block are the same, but its objects are said to be others.
TEST_F(ScrubTest, SinceHashesTheSameBlockUnderOtherIds) {
  ConvertHistory(20, older_);
  WriteFile(file_, ReadFile(older_));
  const size_t count = HostileFile(AsBytes(ReadFile(file_))).ids.size();
  ASSERT_GT(count, 20U);
  for (size_t number = 0; number + 1 < count; number += 7) {
    SCOPED_TRACE(number);
    WriteFile(file_, ReadFile(older_));
    Edit([&](HostileFile& parts) {
      std::swap(parts.ids[number], parts.ids[number + 1]);
    });
    const auto report = Since();
    ASSERT_THAT(report, IsOk());
    EXPECT_GE(report->objects_damaged, 2U);
  }
}

// A tree names its entries by number, so it changes although its block does
// not.
TEST_F(ScrubTest, SinceHashesTreesWhoseEntriesChanged) {
  const auto write = [&](const std::string& content, const std::string& path) {
    MemorySource source;
    source.refs.head_symref = "refs/heads/main";
    const ObjectId blob = source.AddBlob(content);
    source.AddTree({{"100644", "a", blob}});
    Convert(source, path);
  };
  write("one", older_);
  write("two", file_);
  const std::vector<ObjectId> ids = HostileFile(AsBytes(ReadFile(older_))).ids;
  // The new file claims to have the old tree.
  Edit([&](HostileFile& parts) {
    ASSERT_EQ(parts.ids.size(), 2U);
    ASSERT_NE(parts.ids, ids);
    parts.ids[0] = ids[0];
  });
  const auto report = Since();
  ASSERT_THAT(report, IsOk());
  EXPECT_EQ(report->objects_damaged, 1U);
}

}  // namespace
}  // namespace zpack::testing
