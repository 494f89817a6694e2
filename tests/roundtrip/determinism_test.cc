// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The same repository gives the same bytes: in two runs, for any number of
// threads, however the objects lie on disk, and on every machine; and the same
// log for any number of threads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/deltas.h"
#include "support/matchers.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack/archive_reader.h"
#include "zpack/build_options.h"
#include "zpack/convert.h"
#include "zpack/log.h"
#include "zpack/parity.h"
#include "zpack/restore.h"

namespace zpack::testing {
namespace {

class DeterminismTest : public ::testing::Test {
 protected:
  DeterminismTest() : repo_(dir_ / "repo") {
    repo_.History(60);
    for (uint64_t i = 0; i < 30; ++i) repo_.WriteBlob(RandomBytes(i, 50000));
    repo_.SetRef("refs/tags/t", repo_.WriteTag(repo_.Git({"rev-parse", "main"}),
                                               "commit", "t"));
  }

  // Little blocks, so that there are many to race for.
  std::string ConvertIn(unsigned threads, ObjectSet objects = ObjectSet::kAll) {
    return BytesOf(repo_.path(), threads, objects);
  }
  std::string BytesOf(const std::string& repository, unsigned threads,
                      ObjectSet objects = ObjectSet::kAll) {
    ConvertOptions options;
    options.run.threads = threads;
    options.block_size = 16 << 10;
    options.objects = objects;
    options.profile = profile_;
    options.overwrite = Overwrite::kYes;
    EXPECT_THAT(Convert(repository, file_, options), IsOk());
    return ReadFile(file_);
  }

  // Returns the path of the repository.
  std::string RestoreIn(unsigned threads) {
    const std::string name = dir_ / ("r" + std::to_string(threads));
    RestoreOptions options;
    options.run.threads = threads;
    EXPECT_THAT(Restore(file_, name, options), IsOk());
    return name;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_ = dir_ / "x.zpack";
  Profile profile_ = Profile::kBalanced;
};

TEST_F(DeterminismTest, TwoRunsGiveTheSameBytes) {
  EXPECT_TRUE(ConvertIn(0) == ConvertIn(0));
}

TEST_F(DeterminismTest, ThreadsDoNotChangeTheBytes) {
  const std::string one = ConvertIn(1);
  EXPECT_TRUE(one == ConvertIn(2));
  EXPECT_TRUE(one == ConvertIn(7));
  EXPECT_TRUE(one == ConvertIn(0));
}

// One thread plans the blocks that others compress.
TEST_F(DeterminismTest, ThreadsDoNotChangeTheBytesOfGroups) {
  profile_ = Profile::kMax;
  const std::string one = ConvertIn(1);
  EXPECT_TRUE(one == ConvertIn(2));
  EXPECT_TRUE(one == ConvertIn(7));
}

TEST_F(DeterminismTest, ThreadsDoNotChangeTheBytesOfWhatIsReachable) {
  EXPECT_TRUE(ConvertIn(1, ObjectSet::kReachable) ==
              ConvertIn(2, ObjectSet::kReachable));
}

TEST_F(DeterminismTest, PackingTheSourceDoesNotChangeTheBytes) {
  const std::string loose = ConvertIn(2);
  repo_.PackAll();
  EXPECT_TRUE(loose == ConvertIn(2));
}

TEST_F(DeterminismTest, RestoredRepositoryConvertsToTheSameBytes) {
  const std::string first = ConvertIn(2);
  EXPECT_TRUE(BytesOf(RestoreIn(2), 2) == first);
}

TEST_F(DeterminismTest, ThreadsDoNotChangeTheRestoredRepository) {
  ConvertIn(2);
  // Packs are named after their content.
  EXPECT_EQ(ListDirectory(RestoreIn(1) + "/objects/pack"),
            ListDirectory(RestoreIn(2) + "/objects/pack"));
}

TEST_F(DeterminismTest, ThreadsDoNotChangeALog) {
  ConvertIn(2);
  const auto archive = ArchiveReader::Open(file_, {});
  ASSERT_THAT(archive, IsOk());
  const auto list = [&](LogOptions options, unsigned threads) {
    options.refs = WalkRefs::kAll;
    options.files = true;
    options.threads = threads;
    std::string listed;
    const auto add = [&](const LoggedCommit& commit) -> Result<Visit> {
      listed += commit.id.ToHex() + std::string(commit.content);
      for (const ChangedFile& file : commit.files) {
        listed += file.status + file.old_id.ToHex() + file.new_id.ToHex() +
                  std::string(file.old_path) + ' ' +
                  std::string(file.new_path) + '\n';
      }
      return Visit::kContinue;
    };
    EXPECT_THAT((*archive)->Log(options, add), IsOk());
    return listed;
  };
  LogOptions copies;
  copies.renames = RenameSearch::kCopiesHarder;
  LogOptions occurrences;
  occurrences.pickaxe = Pickaxe::kString;
  occurrences.pattern = "1";
  LogOptions lines = occurrences;
  lines.pickaxe = Pickaxe::kLines;
  LogOptions paths;
  paths.pathspecs = {"*1*"};
  for (const LogOptions& options :
       {LogOptions(), copies, occurrences, lines, paths}) {
    const std::string one = list(options, 1);
    EXPECT_GT(one.size(), 100U);
    EXPECT_EQ(list(options, 2), one);
    EXPECT_EQ(list(options, 7), one);
  }
}

// SHA-256 of the files of one repository, by version of zstd: of each profile,
// of small blocks with a level for which zstd looks at the processor, and of
// the last file with parity.
const std::map<std::string, std::vector<std::string>> kBytesOnEveryMachine = {
    {"1.5.4",
     {"f5e7bdca58d9204a8c53e15f58b6cc713938ed58dff47c103016479b1f847b2d",
      "dc675d3a4183278cd513dec695986db82cfdb71fbda9f1af28b6b1c33bd2284a",
      "c5dd29d01894936b9ae0f9926299acf0040d85a7f0ee5b7c548544b2718a993b",
      "038cb6aed4f0127583f48a4bed6d31e46e62a0f9ab37b387fc89c5f54e018416",
      "4c4fd722eb650317c5f7630f129b538508db7887510c60c250ea30a7301d790c"}},
};

// Adds texts, and numbers of which many parts look alike.
void AddTextsAndNumbers(const RepoBuilder& repo) {
  repo.History(20);
  Random random(1);
  Bytes text = RandomText(random, 60000);
  Bytes numbers;
  for (uint32_t i = 0; i < 15000; ++i) {
    ByteWriter(numbers).U32(i / 16 * 0x10001);
  }
  for (int version = 0; version < 4; ++version) {
    for (Bytes* content : {&text, &numbers}) {
      repo.WriteBlob(std::string(AsText(*content)));
      *content = Edited(random, std::move(*content), 20);
    }
  }
}

std::string VersionOfZstd() {
  const auto options = BuildOptions();
  return std::ranges::find(options, "zstd", &BuildOption::name)->value;
}

TEST_F(DeterminismTest, MachinesDoNotChangeTheBytes) {
  const RepoBuilder repo(dir_ / "texts");
  AddTextsAndNumbers(repo);
  std::vector<std::string> hashes;
  ConvertOptions options;
  options.overwrite = Overwrite::kYes;
  for (const Profile profile :
       {Profile::kFast, Profile::kBalanced, Profile::kMax}) {
    options.profile = profile;
    ASSERT_THAT(Convert(repo.path(), file_, options), IsOk());
    hashes.push_back(Sha256(ReadFile(file_)));
  }
  options.profile = Profile::kBalanced;
  options.level = 9;
  options.block_size = 64 << 10;
  ASSERT_THAT(Convert(repo.path(), file_, options), IsOk());
  hashes.push_back(Sha256(ReadFile(file_)));
  ASSERT_THAT(Protect(file_, {}), IsOk());
  hashes.push_back(Sha256(ReadFile(file_)));

  const std::string zstd = VersionOfZstd();
  const auto known = kBytesOnEveryMachine.find(zstd);
  if (known == kBytesOnEveryMachine.end()) {
    GTEST_SKIP() << "no hashes for zstd " << zstd << ": "
                 << ::testing::PrintToString(hashes);
  }
  EXPECT_THAT(hashes, ::testing::ElementsAreArray(known->second));
}

TEST_F(DeterminismTest, MachinesDoNotChangeTheBytesOfGroups) {
  const RepoBuilder repo(dir_ / "texts");
  AddTextsAndNumbers(repo);
  ConvertOptions options;
  options.profile = Profile::kCold;
  options.block_size = 16 << 10;
  ASSERT_THAT(Convert(repo.path(), file_, options), IsOk());
  const std::string hash = Sha256(ReadFile(file_));
  const std::string zstd = VersionOfZstd();
  if (zstd != "1.5.4")
    GTEST_SKIP() << "no hash for zstd " << zstd << ": " << hash;
  EXPECT_EQ(hash,
            "ee8911065801f607539e9aaf362eb356ba6329d8c2bac7ea52caffa71629e994");
}

}  // namespace
}  // namespace zpack::testing
