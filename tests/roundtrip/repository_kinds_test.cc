// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Every way in which a repository can lie on disk, and every state that its
// HEAD can be in, comes back or is refused by name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

class RepositoryKindsTest : public ::testing::Test {
 protected:
  TempDir dir_;
};

TEST_F(RepositoryKindsTest, EmptyRepositoryComesBack) {
  const RepoBuilder repo(dir_ / "empty");
  const std::string restored = ExpectRoundTrip(repo.path(), dir_);
  EXPECT_EQ(ReadState(restored).objects.size(), 0U);
  EXPECT_EQ(ReadState(restored).head, "ref: refs/heads/main\n");
}

TEST_F(RepositoryKindsTest, UnbornHeadWithObjectsComesBack) {
  const RepoBuilder repo(dir_ / "unborn");
  repo.WriteBlob("nobody refers to this");
  repo.SetRef("refs/heads/other", repo.SimpleCommit("x"));
  repo.Git({"symbolic-ref", "HEAD", "refs/heads/not-yet"});
  const std::string restored = ExpectRoundTrip(repo.path(), dir_);
  EXPECT_EQ(ReadState(restored).head, "ref: refs/heads/not-yet\n");
}

TEST_F(RepositoryKindsTest, DetachedHeadComesBack) {
  const RepoBuilder repo(dir_ / "detached");
  const std::string tip = repo.History(3);
  const std::string elsewhere = repo.SimpleCommit("detached", {tip});
  WriteFile(repo.path() + "/HEAD", elsewhere + '\n');
  const std::string restored = ExpectRoundTrip(repo.path(), dir_);
  EXPECT_EQ(ReadState(restored).head, elsewhere + '\n');
}

TEST_F(RepositoryKindsTest, DetachedHeadIsPartOfWhatIsReachable) {
  const RepoBuilder repo(dir_ / "detached");
  const std::string only_head = repo.SimpleCommit("only HEAD");
  WriteFile(repo.path() + "/HEAD", only_head + '\n');
  const std::string restored =
      ExpectRoundTrip(repo.path(), dir_, {"--reachable"});
  EXPECT_EQ(ReadState(restored).objects.size(), 3U);
}

TEST_F(RepositoryKindsTest, HeadOutsideOfRefsHeadsComesBack) {
  const RepoBuilder repo(dir_ / "repo");
  repo.SetRef("refs/custom/head", repo.SimpleCommit("x"));
  WriteFile(repo.path() + "/HEAD", "ref: refs/custom/head\n");
  ExpectRoundTrip(repo.path(), dir_);
}

TEST_F(RepositoryKindsTest, HeadAtMissingCommitIsRefused) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(1);
  const std::string gone = FakeId('1');
  WriteFile(repo.path() + "/HEAD", gone + '\n');
  ExpectRefused(repo.path(), dir_,
                {"is incomplete: 1 object is missing", gone});
}

TEST_F(RepositoryKindsTest, GarbageInHeadIsRefused) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(1);
  WriteFile(repo.path() + "/HEAD", "ref refs/heads/main\n");
  ExpectRefused(repo.path(), dir_,
                {"not a git repository: ", ", whose HEAD is damaged"});
}

TEST_F(RepositoryKindsTest, HeadThatIsASymbolicLinkStaysSymbolic) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(2);
  fs::remove(repo.path() + "/HEAD");
  fs::create_symlink("refs/heads/main", repo.path() + "/HEAD");
  ASSERT_EQ(ReadState(repo.path()).head, "ref: refs/heads/main\n");
  ExpectRoundTrip(repo.path(), dir_);
}

TEST_F(RepositoryKindsTest, WorkTreeComesBack) {
  const RepoBuilder repo(dir_ / "work", RepoBuilder::Kind::kWorkTree);
  WriteFile(repo.path() + "/sub/dir/file", "content\n");
  repo.Git({"add", "."});
  repo.Git({"commit", "-q", "-m", "first"});
  // Staged, not committed: in the object database, so it is kept.
  WriteFile(repo.path() + "/staged", "staged\n");
  repo.Git({"add", "."});
  const std::string restored = ExpectRoundTrip(repo.path(), dir_);
  EXPECT_EQ(ReadState(restored).objects.size(), 6U);
}

TEST_F(RepositoryKindsTest, WorkTreeAndItsGitDirectoryAreOneRepository) {
  const RepoBuilder repo(dir_ / "work", RepoBuilder::Kind::kWorkTree);
  WriteFile(repo.path() + "/sub/dir/file", "content\n");
  repo.Git({"add", "."});
  repo.Git({"commit", "-q", "-m", "first"});
  ExpectRoundTrip(repo.path(), dir_);
  ExpectRoundTrip(repo.path() + "/.git", dir_);
}

TEST_F(RepositoryKindsTest, RelativePathsAreTakenFromHere) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(2);
  ProcessOptions here;
  here.directory = dir_.path();
  EXPECT_EQ(RunZpack({"convert", "repo", "x.zpack"}, here).exit_code, 0);
  for (const char* const name : {"back", "slash/", "./dot", "new/parent"}) {
    const ProcessResult result = RunZpack({"restore", "x.zpack", name}, here);
    ASSERT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(ReadState(dir_ / name), ReadState(repo.path()));
  }
  here.directory = repo.path();
  EXPECT_EQ(RunZpack({"convert", ".", "../y.zpack"}, here).exit_code, 0);
  EXPECT_EQ(ReadFile(dir_ / "x.zpack"), ReadFile(dir_ / "y.zpack"));
}

TEST_F(RepositoryKindsTest, GitFileIsFollowed) {
  const RepoBuilder repo(dir_ / "real");
  repo.History(2);
  WriteFile(dir_ / "work/.git", "gitdir: ../real\n");
  repo.Git({"config", "core.bare", "false"});
  ExpectRoundTrip(dir_ / "work", dir_);
  ExpectRoundTrip(dir_ / "work/.git", dir_);
}

TEST_F(RepositoryKindsTest, LinkedWorktreeBringsItsOwnHeadAndAllObjects) {
  const RepoBuilder repo(dir_ / "main", RepoBuilder::Kind::kWorkTree);
  repo.History(3);
  repo.Git({"worktree", "add", "-q", "-b", "topic", dir_ / "linked"});
  const RepoBuilder linked = RepoBuilder::Existing(dir_ / "linked");
  WriteFile(dir_ / "linked/new", "new\n");
  linked.Git({"add", "new"});
  linked.Git({"commit", "-q", "-m", "in the linked worktree"});
  const std::string restored = ExpectRoundTrip(dir_ / "linked", dir_);
  EXPECT_EQ(ReadState(restored).head, "ref: refs/heads/topic\n");
  ExpectRoundTrip(dir_ / "main", dir_);
}

TEST_F(RepositoryKindsTest, DetachedHeadOfALinkedWorktreeKeepsItsObjects) {
  const RepoBuilder repo(dir_ / "main", RepoBuilder::Kind::kWorkTree);
  repo.History(1);
  repo.Git({"worktree", "add", "-q", "--detach", dir_ / "linked"});
  const std::string only_there = repo.SimpleCommit("only there");
  WriteFile(repo.git_dir() + "/worktrees/linked/HEAD", only_there + '\n');
  fs::remove_all(repo.git_dir() + "/worktrees/linked/logs");
  const std::string restored =
      ExpectRoundTrip(repo.path(), dir_, {"--reachable"});
  EXPECT_EQ(RunGit({"cat-file", "-t", only_there}, restored).out, "commit\n");
}

TEST_F(RepositoryKindsTest, RefsOfOneWorktreeBelongToItAlone) {
  const RepoBuilder repo(dir_ / "main", RepoBuilder::Kind::kWorkTree);
  const std::string tip = repo.History(2);
  repo.Git({"worktree", "add", "-q", "-b", "topic", dir_ / "linked"});
  repo.SetRef("refs/worktree/mine", tip);
  repo.SetRef("refs/bisect/bad", tip);
  repo.SetRef("worktrees/linked/refs/worktree/theirs", tip);
  ExpectRoundTrip(dir_ / "main", dir_);
  ExpectRoundTrip(dir_ / "linked", dir_);
}

TEST_F(RepositoryKindsTest, WorkDirectoryOfLinksComesBack) {
  // As contrib/workdir/git-new-workdir makes it.
  const RepoBuilder repo(dir_ / "main");
  repo.History(3);
  repo.Git({"pack-refs", "--all"});
  repo.SetRef("refs/heads/deeper/loose", repo.SimpleCommit("loose"));
  fs::create_directories(dir_ / "linked.git");
  for (const char* const name : {"config", "objects", "refs", "packed-refs"}) {
    fs::create_symlink(repo.path() + '/' + name, dir_ / "linked.git/" + name);
  }
  WriteFile(dir_ / "linked.git/HEAD", "ref: refs/heads/deeper/loose\n");
  ExpectRoundTrip(dir_ / "linked.git", dir_);
}

TEST_F(RepositoryKindsTest, LinksToDirectoriesOfRefsAreFollowed) {
  const RepoBuilder repo(dir_ / "main");
  const std::string tip = repo.History(1);
  WriteFile(dir_ / "elsewhere/branch", tip + '\n');
  fs::create_directory_symlink(dir_ / "elsewhere",
                               repo.path() + "/refs/heads/linked");
  ExpectRoundTrip(repo.path(), dir_);
}

TEST_F(RepositoryKindsTest, SubmoduleCommitsAreNotNeeded) {
  const RepoBuilder repo(dir_ / "repo");
  CommitFields fields;
  fields.tree = repo.WriteTree(
      TreeEntryBytes("100644", ".gitmodules",
                     repo.WriteBlob("[submodule \"s\"]\n\tpath = s\n"
                                    "\turl = https://example.com/s\n")) +
      TreeEntryBytes("160000", "s", FakeId('a')));
  repo.SetRef("refs/heads/main", repo.WriteCommit(fields));
  ExpectRoundTrip(repo.path(), dir_);
  ExpectRoundTrip(repo.path(), dir_, {"--reachable"});
}

TEST_F(RepositoryKindsTest, RealSubmoduleIsARepositoryOfItsOwn) {
  const RepoBuilder inner(dir_ / "inner");
  inner.History(2);
  const RepoBuilder outer(dir_ / "outer", RepoBuilder::Kind::kWorkTree);
  outer.Git({"submodule", "--quiet", "add", inner.path(), "s"});
  outer.Git({"commit", "-q", "-m", "with submodule"});
  ExpectRoundTrip(outer.path(), dir_);
  const std::string restored = ExpectRoundTrip(outer.path() + "/s", dir_);
  EXPECT_EQ(ReadState(restored).objects, ReadState(inner.path()).objects);
}

TEST_F(RepositoryKindsTest, GitDirectoryWithoutItsWorkTreeComesBack) {
  const RepoBuilder inner(dir_ / "inner");
  inner.History(2);
  const RepoBuilder outer(dir_ / "outer", RepoBuilder::Kind::kWorkTree);
  outer.Git({"submodule", "--quiet", "add", inner.path(), "s"});
  // What 'git submodule deinit' leaves, where Git itself cannot run.
  fs::remove_all(outer.path() + "/s");
  const std::string module = outer.git_dir() + "/modules/s";
  const auto expect_inner = [&](const std::string& source) {
    const ProcessResult converted =
        RunZpack({"convert", "-f", "-q", source, dir_ / "s.zpack"});
    ASSERT_TRUE(converted.ok()) << ::testing::PrintToString(converted);
    ASSERT_TRUE(
        RunZpack({"verify", "-q", "--against", source, dir_ / "s.zpack"}).ok());
    ASSERT_TRUE(
        RunZpack({"restore", "-f", "-q", dir_ / "s.zpack", dir_ / "s"}).ok());
    EXPECT_EQ(ReadState(dir_ / "s").objects, ReadState(inner.path()).objects);
    EXPECT_TRUE(RunZpack({"repack", "-d", "-q", source}).ok());
  };
  expect_inner(module);
  fs::rename(module, dir_ / "elsewhere");
  expect_inner(dir_ / "elsewhere");
}

TEST_F(RepositoryKindsTest, NoRepositoryIsRefused) {
  fs::create_directories(dir_ / "plain");
  ExpectRefused(dir_ / "plain", dir_, {"not a git repository", "plain"});
  ExpectRefused(dir_ / "gone", dir_, {"not a git repository", "gone"});
}

// The whole suite also runs with such repositories (ZPACK_TEST_OBJECT_FORMAT).
TEST_F(RepositoryKindsTest, Sha256RepositoryComesBack) {
  const std::string path = dir_ / "sha256";
  fs::create_directories(path + "/inside");
  ASSERT_TRUE(RunGit({"init", "-q", "--object-format=sha256"}, path).ok());
  const RepoBuilder repo = RepoBuilder::Existing(path);
  for (const char* const content : {"first\n", "second\n", "third\n"}) {
    WriteFile(path + "/inside/file", content);
    repo.Git({"add", "."});
    repo.Git({"commit", "-q", "-m", content});
  }
  repo.Git({"tag", "-a", "-m", "packed", "v1"});
  repo.Git({"pack-refs", "--all"});
  repo.Git({"repack", "-q", "-a", "-d"});
  repo.Git({"tag", "-a", "-m", "loose", "v2", "HEAD^"});
  WriteFile(path + "/staged", "staged\n");
  repo.Git({"add", "."});
  const std::string restored = ExpectRoundTrip(path, dir_);
  EXPECT_EQ(ReadState(restored).objects.size(), 15U);
  EXPECT_EQ(RunGit({"rev-parse", "--show-object-format"}, restored).out,
            "sha256\n");
  const ProcessResult inside = RunZpack(
      {"convert", "-q", "--discover", path + "/inside", dir_ / "inside.zpack"});
  ASSERT_TRUE(inside.ok()) << inside.err;
  EXPECT_EQ(ReadFile(dir_ / "inside.zpack"), ReadFile(dir_ / "rt.zpack"));
}

TEST_F(RepositoryKindsTest, UnknownObjectFormatIsRefused) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(1);
  repo.Git({"config", "core.repositoryFormatVersion", "1"});
  repo.Git({"config", "extensions.objectFormat", "md5"});
  ExpectRefused(repo.path(), dir_, {"unsupported object format md5"});
}

TEST_F(RepositoryKindsTest, UnknownRefStorageIsRefused) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(1);
  repo.Git({"config", "core.repositoryFormatVersion", "1"});
  repo.Git({"config", "extensions.refStorage", "new"});
  ExpectRefused(repo.path(), dir_, {"unsupported ref storage new"});
}

TEST_F(RepositoryKindsTest, ExtensionsAndVersionsAreJudgedAsByGit) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(1);
  // Version 0 knows no extensions but a few, and Git ignores unknown ones.
  repo.Git({"config", "extensions.fromTheFuture", "true"});
  repo.Git({"config", "extensions.preciousObjects", "true"});
  ExpectRoundTrip(repo.path(), dir_);
  repo.Git({"config", "extensions.objectFormat", "sha1"});
  ExpectRefused(repo.path(), dir_, {"v1-only extension", "objectformat"});
  ASSERT_FALSE(repo.TryGit({"rev-parse", "HEAD"}).ok());
  WriteFile(repo.path() + "/config", "[core]\n\trepositoryformatversion = 2\n");
  ExpectRefused(repo.path(), dir_, {"expected git repo version <= 1, found 2"});
}

TEST_F(RepositoryKindsTest, UnknownExtensionIsRefusedByName) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(1);
  repo.Git({"config", "core.repositoryFormatVersion", "1"});
  repo.Git({"config", "extensions.fromTheFuture", "true"});
  ExpectRefused(repo.path(), dir_, {"fromthefuture"});
}

TEST_F(RepositoryKindsTest, KnownExtensionsAreAccepted) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(2);
  repo.Git({"config", "core.repositoryFormatVersion", "1"});
  repo.Git({"config", "extensions.preciousObjects", "true"});
  repo.Git({"config", "extensions.worktreeConfig", "true"});
  repo.Git({"config", "extensions.objectFormat", "sha1"});
  repo.Git({"config", "extensions.noop", "true"});
  ExpectRoundTrip(repo.path(), dir_);
}

TEST_F(RepositoryKindsTest, OddCharactersInPathsAreJustBytes) {
  const RepoBuilder repo(dir_ / "a b\t'\"\\{}%s\xff");
  repo.History(2);
  ExpectRoundTrip(repo.path(), dir_);
}

}  // namespace
}  // namespace zpack::testing
