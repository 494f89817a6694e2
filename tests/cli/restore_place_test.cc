// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What 'restore' does to a directory that is there: an empty one is filled and
// stays what it is, and nothing is lost with a repository that is replaced.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/restore_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using RestorePlaceTest = RestoreFixture;

TEST_F(RestorePlaceTest, LinkedWorktreesAreNeverLost) {
  const RepoBuilder old(out_ + "/old.git");
  old.SetRef("refs/heads/main", old.SimpleCommit("old"));
  old.Git({"worktree", "add", "-q", "--detach", dir_ / "wt", "main"});
  WriteFile(dir_ / "wt/staged", "only here");
  ASSERT_TRUE(RunGit({"add", "staged"}, dir_ / "wt").ok());
  ExpectRefused(old.path(), "has linked worktrees", {"--force"});
  EXPECT_EQ(RunGit({"status", "--porcelain"}, dir_ / "wt").out, "A  staged\n");
  old.Git({"worktree", "remove", "--force", dir_ / "wt"});
  ASSERT_TRUE(Restore(old.path(), {"--force"}).ok());
  EXPECT_TRUE(IsGood(old.path()));
}

TEST_F(RestorePlaceTest, EmptyDirectoryOfWorktreesIsNothingToLose) {
  const RepoBuilder old(out_ + "/old.git");
  fs::create_directory(old.path() + "/worktrees");
  ASSERT_TRUE(Restore(old.path(), {"--force"}).ok());
  EXPECT_TRUE(IsGood(old.path()));
}

// Its name does not tell, as that of '.git' does.
TEST_F(RestorePlaceTest, GitDirectoryOfAWorkTreeElsewhereIsNeverReplaced) {
  const RepoBuilder old(out_ + "/old");
  const std::string tip = old.SimpleCommit("old");
  old.SetRef("refs/heads/main", tip);
  const std::string config = ReadFile(old.path() + "/config");
  for (const std::string value : {"false", "perhaps"}) {
    WriteFile(old.path() + "/config", config + "[core]\n\tbare = " + value);
    ExpectRefused(old.path(), "is not a bare repository", {"--force"});
  }
  WriteFile(old.path() + "/config", config);
  EXPECT_EQ(old.Git({"rev-parse", "main"}), tip);
}

TEST_F(RestorePlaceTest, DirectoriesThatCannotBeRemovedStopTheWork) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  const RepoBuilder old(out_ + "/old.git");
  WriteFile(old.path() + "/logs/refs/heads/main", "of root");
  ASSERT_TRUE(RunProcess({"chown", "-R", "65534:65534", out_, file_}).ok());
  ASSERT_TRUE(RunProcess({"chown", "-R", "0:0", old.path() + "/logs"}).ok());
  ASSERT_EQ(chmod(dir_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(file_.c_str(), 0444), 0);
  const ProcessResult result =
      RunProcess({"setpriv", "--reuid=65534", "--clear-groups", ZpackBinary(),
                  "restore", "-q", "--force", file_, old.path()});
  EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err, HasSubstr("cannot be removed by this user"));
  EXPECT_EQ(ReadFile(old.path() + "/logs/refs/heads/main"), "of root");
  EXPECT_THAT(ListDirectory(out_), ElementsAre("old.git"));
}

TEST_F(RestorePlaceTest, FilesThatAreNotOfGitAreNeverLost) {
  const RepoBuilder old(out_ + "/old.git");
  for (const std::string name : {"index", "lfs/objects/x", "only.zpack"}) {
    const std::string path = old.path() + '/' + name;
    WriteFile(path, "only here");
    ExpectRefused(old.path(), "which would be lost", {"--force"});
    EXPECT_EQ(ReadFile(path), "only here");
    fs::remove_all(old.path() + '/' + name.substr(0, name.find('/')));
  }
  EXPECT_THAT(ListDirectory(out_), ElementsAre("old.git"));
  EXPECT_TRUE(Restore(old.path(), {"--force"}).ok());
}

TEST_F(RestorePlaceTest, EmptyDirectoryStaysTheSame) {
  const std::string path = out_ + "/empty";
  fs::create_directory(path);
  const uid_t owner = geteuid() == 0 ? 12345 : geteuid();
  ASSERT_EQ(chown(path.c_str(), owner, getegid()), 0);
  ASSERT_EQ(chmod(path.c_str(), 02750), 0);
  struct stat before;
  struct stat after;
  ASSERT_EQ(stat(path.c_str(), &before), 0);
  ASSERT_TRUE(Restore(path).ok());
  ASSERT_EQ(stat(path.c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
  EXPECT_THAT(ListDirectory(path), Not(Contains(HasSubstr("zpack-tmp"))));
}

// What a run leaves in an empty directory when it is killed.
TEST_F(RestorePlaceTest, UnfinishedDirectoryIsDoneAgain) {
  const std::string path = out_ + "/r.git";
  const std::string inside = path + "/.zpack-tmp";
  ASSERT_TRUE(Restore(inside).ok());
  WriteFile(path + "/.zpack-tmp.lock", "");
  const std::vector<std::string> moved = {"objects", "config"};
  for (const std::string& name : moved) {
    fs::rename(inside + '/' + name, path + '/' + name);
  }
  fs::copy(path, dir_ / "unfinished", fs::copy_options::recursive);
  EXPECT_FALSE(RunGit({"--git-dir", path, "rev-parse", "HEAD"}, out_).ok());
  ASSERT_TRUE(Restore(path).ok());
  EXPECT_TRUE(IsGood(path));
  EXPECT_THAT(ListDirectory(path), Not(Contains(HasSubstr("zpack-tmp"))));
  // With something else in it, it is somebody's directory.
  WriteFile(dir_ / "unfinished/mine", "mine");
  ExpectRefused(dir_ / "unfinished", "is not an empty directory");
  fs::remove(dir_ / "unfinished/mine");
  fs::remove(dir_ / "unfinished/.zpack-tmp/HEAD");
  ExpectRefused(dir_ / "unfinished", "is not an empty directory");
  EXPECT_TRUE(Exists(dir_ / "unfinished/objects"));
}

// What '--checkout' leaves when it is killed before the repository has its
// name.
TEST_F(RestorePlaceTest, UnfinishedCheckoutIsDoneAgain) {
  const std::string path = out_ + "/work";
  WriteFile(path + "/..git.zpack-tmp/objects/pack/tmp_pack", "unfinished");
  WriteFile(path + "/..git.zpack-tmp.lock", "");
  const ProcessResult result = Restore(path, {"--checkout"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(IsGood(path + "/.git"));
  EXPECT_EQ(RunGit({"status", "--porcelain"}, path).out, "");
}

TEST_F(RestorePlaceTest, UnfinishedCheckoutWithOtherFilesIsLeftAlone) {
  const std::string path = out_ + "/work";
  const std::string staging = path + "/..git.zpack-tmp";
  WriteFile(staging + "/objects/x", "unfinished");
  WriteFile(staging + ".lock", "");
  for (const std::string name : {"mine", "..git.zpack-tmp.mine", "objects"}) {
    WriteFile(path + '/' + name, "mine");
    const std::vector<std::string> before = ListDirectory(path);
    ExpectRefused(path, "is not an empty directory", {"--checkout"});
    EXPECT_EQ(ListDirectory(path), before);
    fs::remove(path + '/' + name);
  }
  fs::remove_all(staging);
  WriteFile(staging, "mine");
  ExpectRefused(path, "is not an empty directory", {"--checkout"});
  EXPECT_EQ(ReadFile(staging), "mine");
  // What is no directory, or leads to nothing, is not one that can be filled.
  ExpectRefused(file_, "is not an empty directory", {"--checkout"});
  fs::create_symlink("nowhere", out_ + "/link");
  ExpectRefused(out_ + "/link", "is not an empty directory", {"--checkout"});
}

TEST_F(RestorePlaceTest, DamagedFileLeavesAnEmptyDirectoryEmpty) {
  std::string bytes = ReadFile(file_);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  WriteFile(file_, bytes);
  fs::create_directory(out_ + "/empty");
  ExpectRefused(out_ + "/empty", "");
  EXPECT_THAT(ListDirectory(out_ + "/empty"), IsEmpty());
}

TEST_F(RestorePlaceTest, ReadOnlyRepositoryIsReplacedAndRemoved) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  const RepoBuilder old(out_ + "/old.git");
  old.SetRef("refs/heads/old", old.SimpleCommit("old"));
  ASSERT_TRUE(RunProcess({"chown", "-R", "65534:65534", out_, file_}).ok());
  ASSERT_TRUE(RunProcess({"chmod", "-R", "a-w", old.path()}).ok());
  ASSERT_EQ(chmod(dir_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(file_.c_str(), 0444), 0);
  for (int i = 0; i < 2; ++i) {
    const ProcessResult result =
        RunProcess({"setpriv", "--reuid=65534", "--clear-groups", ZpackBinary(),
                    "restore", "-q", "--force", file_, old.path()});
    ASSERT_TRUE(result.ok()) << ::testing::PrintToString(result);
    EXPECT_THAT(ListDirectory(out_), ElementsAre("old.git"));
  }
  EXPECT_EQ(fs::status(old.path()).permissions(), fs::perms{0555});
  // Git trusts a repository of the same user only.
  ASSERT_TRUE(RunProcess({"chown", "-R", "0:0", old.path()}).ok());
  EXPECT_TRUE(IsGood(old.path()));
}

TEST_F(RestorePlaceTest, ReadOnlyLeftoverIsRemoved) {
  if (geteuid() != 0) GTEST_SKIP() << "needs another user";
  WriteFile(out_ + "/.r.git.zpack-tmp/objects/stale", "");
  ASSERT_TRUE(RunProcess({"chown", "-R", "65534:65534", out_}).ok());
  ASSERT_TRUE(
      RunProcess({"chmod", "-R", "a-w", out_ + "/.r.git.zpack-tmp"}).ok());
  ASSERT_EQ(chmod(dir_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(file_.c_str(), 0444), 0);
  const ProcessResult result =
      RunProcess({"setpriv", "--reuid=65534", "--clear-groups", ZpackBinary(),
                  "restore", "-q", file_, out_ + "/r.git"});
  EXPECT_TRUE(result.ok()) << ::testing::PrintToString(result);
  EXPECT_THAT(ListDirectory(out_), ElementsAre("r.git"));
}

// Runs a script with a mount namespace of its own: $0 is the program, $1 the
// file, $2 a directory to mount things in. It exits with 77 when it may not
// mount.
ProcessResult RunWithMounts(const std::string& script, const std::string& file,
                            const std::string& directory) {
  return RunProcess({"unshare", "--mount", "sh", "-c",
                     "exec 2>&1; mount -t tmpfs none \"$2\" || exit 77; "
                     "cd \"$2\" || exit 1\n" +
                         script,
                     ZpackBinary(), file, directory});
}

TEST_F(RestorePlaceTest, MountPointIsFilledButNotReplaced) {
  const ProcessResult result = RunWithMounts(
      "mkdir r.git && mount -t tmpfs -o mode=2770 none r.git || exit 77\n"
      "\"$0\" restore -q \"$1\" r.git && git -C r.git fsck &&\n"
      "mountpoint -q r.git && test \"$(stat -c %a r.git)\" = 2770 || exit 1\n"
      "\"$0\" restore -q -f \"$1\" r.git; echo \"code $?\"; ls -A .",
      file_, out_);
  if (result.exit_code == 77) {
    GTEST_SKIP() << "may not mount: " << result.out << result.err;
  }
  EXPECT_THAT(result.out, HasSubstr("is a mount point"));
  EXPECT_THAT(result.out, ::testing::EndsWith("code 128\nr.git\n"));
}

TEST_F(RestorePlaceTest, LowerLayerOfAnOverlayIsFilledButNotReplaced) {
  const ProcessResult result = RunWithMounts(
      "mkdir -p lower/empty upper work all || exit 1\n"
      "git init -q --bare lower/old.git && chmod 777 lower/old.git || exit 1\n"
      "mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none all "
      "|| exit 77\n"
      "\"$0\" restore -q \"$1\" all/empty && git -C all/empty fsck || exit 1\n"
      "\"$0\" restore -q -f \"$1\" all/old.git; echo \"code $?\"; ls -A all",
      file_, out_);
  if (result.exit_code == 77) {
    GTEST_SKIP() << "may not mount: " << result.out << result.err;
  }
  EXPECT_THAT(result.out, HasSubstr("lower layer of an overlay"));
  EXPECT_THAT(result.out, ::testing::EndsWith("code 128\nempty\nold.git\n"));
}

TEST_F(RestorePlaceTest, LinkThatTheTemporaryCouldFollowIsRefused) {
  fs::create_directory(out_ + "/victim");
  fs::create_directory_symlink("victim", out_ + "/.r.git.zpack-tmp.lock");
  ExpectRefused(out_ + "/r.git", "is in the way");
  EXPECT_THAT(ListDirectory(out_ + "/victim"), IsEmpty());
}

}  // namespace
}  // namespace zpack::testing
