// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack -d' in repositories of every kind, with packs of every kind.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::SizeIs;

class RepackKindsTest : public RepackFixture {};

TEST_F(RepackKindsTest, ShallowClone) {
  repo_.History(10);
  const std::string clone = dir_ / "clone";
  repo_.Git({"clone", "-q", "--bare", "--depth", "3", "file://" + repo_.path(),
             clone});
  repo_ = RepoBuilder::Existing(clone);
  repo_.Git({"config", "repack.writeBitmaps", "false"});
  ExpectOnePack();
  EXPECT_TRUE(repo_.TryGit({"fetch", "-q", "--unshallow"}).ok());
  ExpectOnePack();
}

TEST_F(RepackKindsTest, BorrowedObjectsArePackedAndStay) {
  repo_.History(10);
  repo_.PackAll();
  const auto lender = Snapshot(repo_.path());
  const std::string clone = dir_ / "clone";
  repo_.Git({"clone", "-q", "--bare", "--shared", repo_.path(), clone});
  const std::string from = repo_.path();
  repo_ = RepoBuilder::Existing(clone);
  repo_.SetRef("refs/heads/own", repo_.SimpleCommit("own\n"));
  const RepositoryState before = ReadState(clone);
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_EQ(ReadState(clone), before);
  EXPECT_TRUE(Snapshot(from) == lender);
  std::filesystem::remove(clone + "/objects/info/alternates");
  EXPECT_EQ(ReadState(clone), before);
}

// All suites of this program also run with such repositories
// (ZPACK_TEST_OBJECT_FORMAT).
TEST_F(RepackKindsTest, Sha256Repository) {
  const std::string other = dir_ / "sha256";
  repo_.Git({"init", "-q", "--bare", "--object-format=sha256", other});
  repo_ = RepoBuilder::Existing(other);
  repo_.Git({"config", "repack.writeBitmaps", "false"});
  const std::string tree = repo_.Git({"mktree"});
  std::string tip;
  for (int i = 0; i < 10; ++i) {
    std::vector<std::string> commit = {"commit-tree", "-m", std::to_string(i)};
    if (!tip.empty()) commit.insert(commit.end(), {"-p", tip});
    commit.push_back(tree);
    tip = repo_.Git(commit);
  }
  repo_.SetRef("refs/heads/main", tip);
  ExpectOnePack();
  EXPECT_EQ(Packs().at(0).size(), std::string("pack-").size() + 64);
  EXPECT_EQ(Repack({"-d", "-b"}).exit_code, 0);
  EXPECT_THAT(FilesWith(pack_directory(), ".bitmap"), SizeIs(1));
}

TEST_F(RepackKindsTest, MissingPackDirectory) {
  repo_.History(3);
  std::filesystem::remove_all(pack_directory());
  ExpectOnePack();
}

TEST_F(RepackKindsTest, PackIndexOfVersionOne) {
  repo_.History(10);
  repo_.Git({"config", "pack.indexVersion", "1"});
  repo_.PackAll();
  repo_.Git({"config", "--unset", "pack.indexVersion"});
  ExpectOnePack();
}

TEST_F(RepackKindsTest, PackOfReferenceDeltas) {
  repo_.History(10);
  repo_.Git({"config", "repack.useDeltaBaseOffset", "false"});
  repo_.Git({"repack", "-q", "-a", "-d"});
  repo_.Git({"config", "--unset", "repack.useDeltaBaseOffset"});
  ExpectOnePack();
}

TEST_F(RepackKindsTest, ManyPacks) {
  // More than are read at a time.
  std::string parent;
  for (int i = 0; i < 70; ++i) {
    parent = repo_.SimpleCommit(
        std::to_string(i),
        parent.empty() ? std::vector<std::string>{} : std::vector{parent});
    repo_.SetRef("refs/heads/main", parent);
    repo_.Git({"repack", "-q"});
  }
  ASSERT_THAT(Packs(), SizeIs(70));
  ExpectOnePack();
}

TEST_F(RepackKindsTest, WhatGraftsNameIsKeptBecauseGitFollowsThem) {
  repo_.History(2);
  const std::string hidden = repo_.SimpleCommit("hidden\n");
  WriteFile(repo_.git_dir() + "/info/grafts",
            repo_.Git({"rev-parse", "main~1"}) + ' ' + hidden + '\n');
  repo_.PackAll();
  EXPECT_EQ(Repack({"-d"}).exit_code, 0);
  EXPECT_TRUE(Has(hidden));
  EXPECT_THAT(Packs(), ::testing::SizeIs(1));
}

TEST_F(RepackKindsTest, OddObjects) {
  CommitFields fields;
  fields.message = "";
  fields.extra_headers = "encoding latin1\n";
  fields.tree =
      repo_.WriteTree(TreeEntryBytes("100644", "sp ace\xff",
                                     repo_.WriteBlob(std::string(1, '\0'))) +
                      TreeEntryBytes("40000", "z", repo_.WriteTree("")));
  repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
  ExpectOnePack();
}

TEST_F(RepackKindsTest, LooseCopyOfAKeptObjectGoesAndNothingIsLost) {
  repo_.History(3);
  repo_.Git({"repack", "-a", "-q"});
  WriteFile(pack_directory() + '/' + Packs().at(0) + ".keep", "");
  const RepositoryState before = ReadState(repo_.path());
  ASSERT_FALSE(LooseObjects().empty());
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_EQ(ReadState(repo_.path()), before);
  // As after 'git repack -d'.
  EXPECT_THAT(LooseObjects(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace zpack::testing
