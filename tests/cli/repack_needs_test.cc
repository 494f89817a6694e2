// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What 'repack -d' must not lose: everything that Git takes for reachable, in
// every worktree.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::SizeIs;

// Objects are in packs before each run, so that 'repack -d' can lose them.
class RepackNeedsTest : public RepackFixture {
 protected:
  RepackNeedsTest() : RepackFixture(RepoBuilder::Kind::kWorkTree) {
    WriteFile(repo_.path() + "/a", "a\n");
    WriteFile(repo_.path() + "/d/b", "b\n");
    repo_.Git({"add", "-A"});
    repo_.Git({"commit", "-q", "-m", "first"});
  }

  // Packs everything, and then nothing of it is lost.
  void ExpectNothingLost() const {
    repo_.PackAll();
    ExpectOnePack();
  }

  std::string Blob(const std::string& content) const {
    return HashObject("blob", content);
  }
};

TEST_F(RepackNeedsTest, OrdinaryRepository) { ExpectNothingLost(); }

TEST_F(RepackNeedsTest, GitDirectoryAsName) {
  repo_.PackAll();
  ASSERT_TRUE(Repack(repo_.git_dir(), {"-d"}).ok());
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_EQ(ReadState(repo_.path()).fsck_exit_code, 0);
}

TEST_F(RepackNeedsTest, ReflogsKeepCommits) {
  WriteFile(repo_.path() + "/a", "in a reflog only\n");
  repo_.Git({"commit", "-q", "-a", "-m", "second"});
  repo_.Git({"reset", "-q", "--hard", "HEAD~1"});
  ExpectNothingLost();
  EXPECT_TRUE(Has("HEAD@{1}:a"));
}

TEST_F(RepackNeedsTest, ReflogOfWhatIsGoneIsNoError) {
  const std::string gone = repo_.Git({"rev-parse", "HEAD"});
  repo_.Git({"commit", "-q", "--amend", "-m", "other"});
  std::filesystem::remove(repo_.LooseObjectPath(gone));
  repo_.PackAll();
  EXPECT_EQ(Repack({"-d"}).exit_code, 0);
  EXPECT_TRUE(Has("HEAD^{tree}"));
}

TEST_F(RepackNeedsTest, IndexKeepsWhatIsStaged) {
  for (const char* version : {"2", "3", "4"}) {
    SCOPED_TRACE(version);
    WriteFile(repo_.path() + "/staged", std::string("staged ") + version);
    repo_.Git({"add", "staged"});
    WriteFile(repo_.path() + "/later", "intended");
    repo_.Git({"add", "-N", "later"});
    repo_.Git({"update-index", "--index-version", version});
    // A directory that is only in the cache of trees.
    repo_.Git({"rm", "-q", "--cached", "later"});
    repo_.Git({"write-tree"});
    repo_.Git({"add", "-N", "later"});
    repo_.PackAll();
    ASSERT_TRUE(Repack({"-d"}).ok());
    EXPECT_TRUE(Has(Blob(std::string("staged ") + version)));
    EXPECT_TRUE(repo_.TryGit({"commit", "-q", "-m", version}).ok());
    EXPECT_EQ(ReadState(repo_.path()).fsck_exit_code, 0);
  }
}

TEST_F(RepackNeedsTest, SplitIndexKeepsWhatIsShared) {
  WriteFile(repo_.path() + "/shared", "shared\n");
  repo_.Git({"add", "shared"});
  repo_.Git({"update-index", "--split-index"});
  WriteFile(repo_.path() + "/own", "own\n");
  WriteFile(repo_.path() + "/a", "replaced\n");
  repo_.Git({"add", "own", "a"});
  const auto names = ListDirectory(repo_.git_dir());
  ASSERT_TRUE(std::ranges::any_of(names, [](const std::string& name) {
    return name.starts_with("sharedindex.");
  }));
  ExpectNothingLost();
  for (const char* content : {"shared\n", "own\n", "replaced\n"}) {
    EXPECT_TRUE(Has(Blob(content)));
  }
  EXPECT_TRUE(repo_.TryGit({"write-tree"}).ok());
}

TEST_F(RepackNeedsTest, SparseIndexKeepsTrees) {
  repo_.Git({"sparse-checkout", "init", "--cone", "--sparse-index"});
  repo_.Git({"reset", "-q", "--hard"});
  ExpectNothingLost();
}

TEST_F(RepackNeedsTest, ConflictsKeepAllStages) {
  repo_.Git({"checkout", "-q", "-b", "other"});
  WriteFile(repo_.path() + "/a", "theirs\n");
  repo_.Git({"commit", "-q", "-a", "-m", "theirs"});
  repo_.Git({"checkout", "-q", "main"});
  WriteFile(repo_.path() + "/a", "ours\n");
  repo_.Git({"add", "a"});
  repo_.Git({"commit", "-q", "-a", "-m", "ours"});
  ASSERT_FALSE(repo_.TryGit({"merge", "other"}).ok());
  repo_.PackAll();
  ASSERT_TRUE(Repack({"-d"}).ok());
  for (const char* stage : {":1:a", ":2:a", ":3:a"}) EXPECT_TRUE(Has(stage));
  // Resolved, but it can be undone; only the index still names 'theirs'.
  WriteFile(repo_.path() + "/a", "resolved\n");
  repo_.Git({"add", "a"});
  repo_.Git({"branch", "-q", "-D", "other"});
  for (const char* log : {"HEAD", "refs/heads/main"}) {
    repo_.Git({"reflog", "expire", "--expire=all", log});
  }
  repo_.PackAll();
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_TRUE(Has(Blob("theirs\n")));
  EXPECT_TRUE(Has(Blob("resolved\n")));
  repo_.Git({"update-index", "--unresolve", "a"});
}

TEST_F(RepackNeedsTest, StashNotesAndTagsOfAnything) {
  WriteFile(repo_.path() + "/a", "stashed once\n");
  repo_.Git({"stash", "-q"});
  WriteFile(repo_.path() + "/a", "stashed twice\n");
  repo_.Git({"stash", "-q"});
  repo_.Git({"notes", "add", "-m", "a note", "HEAD"});
  const std::string blob = repo_.WriteBlob("tagged\n");
  const std::string tree = repo_.WriteTree(
      TreeEntryBytes("100644", "x", repo_.WriteBlob("in a tagged tree\n")));
  repo_.SetRef("refs/tags/light", blob);
  repo_.SetRef("refs/tags/tree", repo_.WriteTag(tree, "tree", "tree"));
  repo_.SetRef(
      "refs/tags/nested",
      repo_.WriteTag(repo_.WriteTag(blob, "blob", "inner"), "tag", "nested"));
  ExpectNothingLost();
}

TEST_F(RepackNeedsTest, ReplacedAndReplacingObjects) {
  const std::string old = repo_.Git({"rev-parse", "HEAD"});
  repo_.Git({"replace", old, repo_.SimpleCommit("replacement\n")});
  ExpectNothingLost();
  EXPECT_TRUE(
      repo_.TryGit({"--no-replace-objects", "cat-file", "-e", old + ":d/b"})
          .ok());
}

TEST_F(RepackNeedsTest, PackedRefs) {
  repo_.SetRef("refs/heads/other", repo_.SimpleCommit("other\n"));
  repo_.Git({"pack-refs", "--all"});
  ExpectNothingLost();
}

TEST_F(RepackNeedsTest, UnbornHeadWithOtherBranches) {
  repo_.Git({"symbolic-ref", "HEAD", "refs/heads/unborn"});
  ExpectNothingLost();
}

TEST_F(RepackNeedsTest, SubmoduleEntriesNameNoObjectOfOurs) {
  const std::string other = FakeId('1');
  repo_.Git({"update-index", "--add", "--cacheinfo", "160000", other, "sub"});
  ExpectNothingLost();
  repo_.Git({"commit", "-q", "-m", "submodule"});
  ExpectNothingLost();
}

class RepackWorktreeTest : public RepackNeedsTest {
 protected:
  RepackWorktreeTest() : linked_(dir_ / "linked") {
    repo_.Git({"worktree", "add", "-q", "--detach", linked_});
  }

  void InLinked(const std::vector<std::string>& arguments) const {
    Require(RunGit(arguments, linked_).ok(), "git in the linked worktree");
  }
  // A commit of the linked worktree's own.
  void Commit(const std::string& content) const {
    WriteFile(linked_ + "/a", content);
    InLinked({"commit", "-q", "-a", "-m", content});
  }

  std::string linked_;
};

TEST_F(RepackWorktreeTest, DetachedHead) {
  Commit("on a detached HEAD\n");
  ExpectNothingLost();
}

TEST_F(RepackWorktreeTest, DetachedHeadWithoutReflog) {
  repo_.Git({"config", "core.logAllRefUpdates", "false"});
  Commit("on a detached HEAD\n");
  std::filesystem::remove_all(repo_.git_dir() + "/worktrees/linked/logs");
  ExpectNothingLost();
}

TEST_F(RepackWorktreeTest, Reflog) {
  Commit("in the linked reflog\n");
  InLinked({"reset", "-q", "--hard", "HEAD~1"});
  ExpectNothingLost();
}

TEST_F(RepackWorktreeTest, Index) {
  WriteFile(linked_ + "/staged", "staged elsewhere\n");
  InLinked({"add", "staged"});
  InLinked({"update-index", "--split-index"});
  ExpectNothingLost();
}

TEST_F(RepackWorktreeTest, OwnRefsAndTheirReflogs) {
  repo_.Git({"config", "core.logAllRefUpdates", "always"});
  Commit("first\n");
  InLinked({"update-ref", "refs/worktree/x", "HEAD"});
  InLinked({"reset", "-q", "--hard", "HEAD~1"});
  Commit("second\n");
  InLinked({"update-ref", "refs/worktree/x", "HEAD"});
  InLinked({"reset", "-q", "--hard", "HEAD~1"});
  // Only refs/worktree/x and its reflog still name the two.
  std::filesystem::remove(repo_.git_dir() + "/worktrees/linked/logs/HEAD");
  std::filesystem::remove(repo_.git_dir() + "/worktrees/linked/ORIG_HEAD");
  ExpectNothingLost();
}

TEST_F(RepackWorktreeTest, RunInALinkedWorktreeKeepsWhatTheMainOneHas) {
  repo_.Git({"config", "core.logAllRefUpdates", "false"});
  repo_.Git({"checkout", "-q", "--detach"});
  WriteFile(repo_.path() + "/a", "on the main detached HEAD\n");
  repo_.Git({"commit", "-q", "-a", "-m", "detached"});
  WriteFile(repo_.path() + "/staged", "staged in the main one\n");
  repo_.Git({"add", "staged"});
  std::filesystem::remove_all(repo_.git_dir() + "/logs");
  repo_.PackAll();
  const RepositoryState before = ReadState(repo_.path());
  const ProcessResult result = Repack(linked_, {"-d"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_EQ(ReadState(repo_.path()), before);
  EXPECT_THAT(Packs(), SizeIs(1));
}

TEST_F(RepackWorktreeTest, RunInALinkedWorktreeKeepsRefsOfTheMainOne) {
  repo_.SetRef("refs/bisect/bad", repo_.SimpleCommit("bad\n"));
  repo_.PackAll();
  const RepositoryState before = ReadState(repo_.path());
  ASSERT_TRUE(Repack(linked_, {"-d"}).ok());
  EXPECT_EQ(ReadState(repo_.path()), before);
}

}  // namespace
}  // namespace zpack::testing
