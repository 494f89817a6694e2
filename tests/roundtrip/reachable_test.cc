// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which objects 'convert' takes: all of them, or with --reachable those that
// refs, HEAD and reflogs reach.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::Contains;
using ::testing::Not;

class ReachableTest : public ::testing::Test {
 protected:
  ReachableTest()
      : repo_(dir_ / "repo"),
        tip_(repo_.History(3)),
        lost_(repo_.SimpleCommit("lost", {tip_})) {}

  std::set<std::string> ObjectsAfter(const std::vector<std::string>& options) {
    const std::string restored = ExpectRoundTrip(repo_.path(), dir_, options);
    const std::string all = RunGit({"cat-file", "--batch-all-objects",
                                    "--batch-check=%(objectname)"},
                                   restored)
                                .out;
    std::set<std::string> ids;
    for (std::string& line : SplitLines(all)) ids.insert(std::move(line));
    return ids;
  }

  void WriteReflog(const std::string& name, const std::string& from,
                   const std::string& to) const {
    WriteFile(repo_.git_dir() + "/logs/" + name,
              from + ' ' + to +
                  " C O Mitter <committer@example.com> 1700000000 +0000\t"
                  "commit: x\n");
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
  std::string lost_;
};

TEST_F(ReachableTest, UnreachableObjectsAreKeptByDefault) {
  const std::string blob = repo_.WriteBlob("also lost");
  const auto objects = ObjectsAfter({});
  EXPECT_THAT(objects, Contains(lost_));
  EXPECT_THAT(objects, Contains(blob));
}

// Versions are found by path, which the trees of unreachable commits give, in a
// new file and when a file is brought up to date.
TEST_F(ReachableTest, ADeletedBranchTakesHardlyMoreThanTheBranch) {
  std::string text = RawToHex(RandomBytes(1, 10'000));
  std::string tip = repo_.SimpleCommit(text, {tip_});
  repo_.SetRef("refs/heads/main", tip);
  const std::string older = dir_ / "older.zpack";
  ASSERT_TRUE(RunZpack({"convert", "-q", repo_.path(), older}).ok());
  for (size_t i = 0; i < 30; ++i) {
    text.replace(600 * i, 10, "ten bytes.");
    tip = repo_.SimpleCommit(text + std::to_string(i), {tip});
  }
  const auto sizes = [&] {
    const std::string file = dir_ / "file.zpack";
    const std::string updated = dir_ / "updated.zpack";
    EXPECT_TRUE(
        RunZpack({"convert", "-q", "--force", repo_.path(), file}).ok());
    std::filesystem::copy_file(
        older, updated, std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(
        RunZpack({"convert", "-q", "--update", repo_.path(), updated}).ok());
    return std::pair(std::filesystem::file_size(file),
                     std::filesystem::file_size(updated));
  };
  repo_.SetRef("refs/heads/branch", tip);
  const auto [fresh_before, updated_before] = sizes();
  repo_.Git({"update-ref", "-d", "refs/heads/branch"});
  ASSERT_FALSE(repo_.TryGit({"rev-parse", "-q", "--verify", "branch"}).ok());
  const auto [fresh, updated] = sizes();
  EXPECT_LT(fresh, fresh_before * 11 / 10);
  EXPECT_LT(updated, updated_before * 11 / 10);
  EXPECT_THAT(ObjectsAfter({}), Contains(tip));
}

TEST_F(ReachableTest, UnreachableObjectsAreDroppedOnRequest) {
  const std::string blob = repo_.WriteBlob("also lost");
  const auto objects = ObjectsAfter({"--reachable"});
  EXPECT_THAT(objects, Not(Contains(lost_)));
  EXPECT_THAT(objects, Not(Contains(blob)));
  EXPECT_THAT(objects, Contains(tip_));
}

TEST_F(ReachableTest, ReachableIsWhatGitCallsReachable) {
  repo_.SetRef("refs/tags/t", repo_.WriteTag(tip_, "commit", "t"));
  repo_.SetRef("refs/tags/tree", repo_.Git({"rev-parse", "main~1^{tree}"}));
  repo_.SetRef("refs/notes/n", repo_.SimpleCommit("note"));
  std::set<std::string> expected;
  for (const std::string& line : SplitLines(repo_.Git(
           {"rev-list", "--objects", "--all", "--no-object-names"}))) {
    expected.insert(line);
  }
  EXPECT_EQ(ObjectsAfter({"--reachable"}), expected);
}

TEST_F(ReachableTest, ReflogKeepsWhatItNames) {
  WriteReflog("refs/heads/main", lost_, tip_);
  const auto objects = ObjectsAfter({"--reachable"});
  EXPECT_THAT(objects, Contains(lost_));
  EXPECT_THAT(objects, Contains(HashObject("blob", "lost")));
}

TEST_F(ReachableTest, ReflogOfHeadAndOfDeletedBranchesKeepsToo) {
  const std::string other = repo_.SimpleCommit("other");
  WriteReflog("HEAD", FakeId('0'), lost_);
  WriteReflog("refs/heads/deleted", other, tip_);
  const auto objects = ObjectsAfter({"--reachable"});
  EXPECT_THAT(objects, Contains(lost_));
  EXPECT_THAT(objects, Contains(other));
}

TEST_F(ReachableTest, ReflogOfALinkedWorktreeKeepsToo) {
  const RepoBuilder work(dir_ / "work", RepoBuilder::Kind::kWorkTree);
  work.History(1);
  work.Git({"worktree", "add", "-q", "-b", "topic", dir_ / "linked"});
  const std::string lost = work.SimpleCommit("lost in the worktree");
  WriteFile(work.git_dir() + "/worktrees/linked/logs/HEAD",
            lost + ' ' + work.Git({"rev-parse", "topic"}) +
                " C <c@example.com> 1700000000 +0000\treset\n");
  const std::string restored =
      ExpectRoundTrip(work.path(), dir_, {"--reachable"});
  EXPECT_TRUE(RunGit({"cat-file", "-e", lost}, restored).ok());
}

// Entries that a split index shares, and the sides of a conflict between links
// that is resolved.
TEST_F(ReachableTest, WhatAnIndexNamesElsewhereIsKeptToo) {
  const RepoBuilder work(dir_ / "work", RepoBuilder::Kind::kWorkTree);
  work.History(1);
  const std::string shared = work.WriteBlob("shared");
  const std::string ours = work.WriteBlob("ours");
  const std::string theirs = work.WriteBlob("theirs");
  work.Git({"update-index", "--index-info"},
           "120000 " + ours + " 2\tfile\n120000 " + theirs + " 3\tfile\n");
  work.Git(
      {"update-index", "--add", "--cacheinfo", "100644," + shared + ",file"});
  work.Git({"update-index", "--split-index"});
  const std::string restored =
      ExpectRoundTrip(work.path(), dir_, {"--reachable"});
  for (const std::string& id : {shared, ours, theirs}) {
    EXPECT_TRUE(RunGit({"cat-file", "-e", id}, restored).ok()) << id;
  }
}

TEST_F(ReachableTest, StashIsKeptWithAllItsEntries) {
  const RepoBuilder work(dir_ / "work", RepoBuilder::Kind::kWorkTree);
  work.History(1);
  work.Git({"reset", "-q", "--hard"});
  for (const char* const text : {"one", "two"}) {
    WriteFile(work.path() + "/counter", text);
    work.Git({"stash", "-q"});
  }
  const std::string older = work.Git({"rev-parse", "stash@{1}"});
  const std::string restored =
      ExpectRoundTrip(work.path(), dir_, {"--reachable"});
  EXPECT_TRUE(RunGit({"cat-file", "-e", older + "^{tree}"}, restored).ok());
}

TEST_F(ReachableTest, ReflogMayNameObjectsThatAreGone) {
  WriteReflog("refs/heads/main", FakeId('7'), tip_);
  EXPECT_THAT(ObjectsAfter({"--reachable"}), Contains(tip_));
  EXPECT_THAT(ObjectsAfter({}), Contains(tip_));
}

TEST_F(ReachableTest, WhatOnlyAReflogReachesMayBeIncomplete) {
  WriteReflog("refs/heads/main", lost_, tip_);
  std::filesystem::remove(repo_.LooseObjectPath(HashObject("blob", "lost")));
  EXPECT_THAT(ObjectsAfter({"--reachable"}), Contains(lost_));
}

TEST_F(ReachableTest, GarbageInAReflogIsPassedOver) {
  WriteFile(
      repo_.git_dir() + "/logs/refs/heads/main",
      "\n\ngarbage\nno id here\n" + lost_ + '\n' + tip_ + ' ' + lost_ + " x\n");
  EXPECT_THAT(ObjectsAfter({"--reachable"}), Contains(lost_));
}

TEST_F(ReachableTest, ParentsBeyondAShallowBoundaryAreNotReachable) {
  const std::string parent = repo_.Git({"rev-parse", "main~1"});
  WriteFile(repo_.path() + "/shallow", tip_ + '\n');
  const auto objects = ObjectsAfter({"--reachable"});
  EXPECT_THAT(objects, Not(Contains(parent)));
  EXPECT_THAT(ObjectsAfter({}), Contains(parent));
}

}  // namespace
}  // namespace zpack::testing
