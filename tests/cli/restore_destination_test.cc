// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where 'restore' writes to: nothing but an empty directory, or with --force a
// bare repository, is ever replaced.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/restore_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using RestoreDestinationTest = RestoreFixture;

TEST_F(RestoreDestinationTest, NewDirectoryIsABareRepository) {
  ASSERT_TRUE(Restore(out_ + "/r.git").ok());
  EXPECT_TRUE(IsGood(out_ + "/r.git"));
  EXPECT_THAT(ListDirectory(out_), ElementsAre("r.git"));
  EXPECT_EQ(RunGit({"rev-parse", "--is-bare-repository"}, out_ + "/r.git").out,
            "true\n");
  // Usable as one: clone, fetch, push, gc.
  EXPECT_TRUE(RunGit({"clone", "-q", "r.git", "clone"}, out_).ok());
  EXPECT_TRUE(
      RunGit({"push", "-q", "origin", "HEAD:refs/heads/new"}, out_ + "/clone")
          .ok());
  EXPECT_TRUE(RunGit({"gc", "-q"}, out_ + "/r.git").ok());
}

// The default of Git 3.0.
TEST_F(RestoreDestinationTest, HintIsACommandForStrictSafety) {
  const std::string directory = out_ + "/it's r.git";
  const ProcessResult restored = RunZpack({"restore", file_, directory});
  const std::string_view hint = "hint: to read it: ";
  const size_t at = restored.err.find(hint);
  ASSERT_NE(at, std::string::npos) << restored.err;
  const std::string command = restored.err.substr(at + hint.size());
  ProcessOptions options;
  options.directory = directory;
  options.environment = HermeticEnvironment(out_);
  for (const char* entry :
       {"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository",
        "GIT_CONFIG_VALUE_0=explicit"}) {
    options.environment.emplace_back(entry);
  }
  const ProcessResult refused = RunProcess({"git", "log", "--all"}, options);
  EXPECT_EQ(refused.exit_code, 128);
  const ProcessResult shown = RunProcess({"sh", "-c", command}, options);
  EXPECT_TRUE(shown.ok()) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("commit "));
}

TEST_F(RestoreDestinationTest, TheLongestNameIsPossible) {
  const std::string name(255, 'n');
  const ProcessResult restored = Restore(out_ + '/' + name);
  ASSERT_TRUE(restored.ok()) << restored.err;
  EXPECT_TRUE(IsGood(out_ + '/' + name));
  EXPECT_THAT(ListDirectory(out_), ElementsAre(name));
}

TEST_F(RestoreDestinationTest, ForceKeepsTheFileItRestoresFrom) {
  ASSERT_TRUE(Restore(out_ + "/r.git").ok());
  fs::rename(file_, out_ + "/r.git/backup.zpack");
  file_ = out_ + "/r.git/backup.zpack";
  ExpectRefused(out_ + "/r.git", "which would be replaced", {"--force"});
  EXPECT_TRUE(Exists(file_));
}

TEST_F(RestoreDestinationTest, LinkWithTheTemporarysNameIsNotFollowed) {
  WriteFile(out_ + "/victim/mine", "precious");
  fs::create_directory_symlink("victim", out_ + "/.r.git.zpack-tmp");
  ExpectRefused(out_ + "/r.git", "is in the way");
  EXPECT_EQ(ReadFile(out_ + "/victim/mine"), "precious");
  EXPECT_THAT(ListDirectory(out_), ElementsAre(".r.git.zpack-tmp", "victim"));
}

TEST_F(RestoreDestinationTest, DirectoryKeepsItsMode) {
  fs::create_directory(out_ + "/r.git");
  fs::permissions(out_ + "/r.git", fs::perms::owner_all);
  ASSERT_TRUE(Restore(out_ + "/r.git").ok());
  EXPECT_EQ(fs::status(out_ + "/r.git").permissions(), fs::perms::owner_all);
}

TEST_F(RestoreDestinationTest, NewDirectoryHasTheModeThatTheUmaskLeaves) {
  const ProcessResult result =
      RunProcess({"sh", "-c", "umask 027; exec \"$0\" restore -q \"$1\" \"$2\"",
                  ZpackBinary(), file_, out_ + "/r.git"});
  ASSERT_TRUE(result.ok()) << ::testing::PrintToString(result);
  EXPECT_EQ(fs::status(out_ + "/r.git").permissions(), fs::perms{0750});
}

TEST_F(RestoreDestinationTest, ClosedStandardStreamsSpoilNothing) {
  const ProcessResult result = RunProcess(
      {"sh", "-c", "exec \"$0\" restore --progress \"$1\" \"$2\" <&- >&- 2>&-",
       ZpackBinary(), file_, out_ + "/r.git"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(IsGood(out_ + "/r.git"));
}

TEST_F(RestoreDestinationTest, EmptyDirectoryIsUsed) {
  fs::create_directories(out_ + "/empty");
  ASSERT_TRUE(Restore(out_ + "/empty").ok());
  EXPECT_TRUE(IsGood(out_ + "/empty"));
}

TEST_F(RestoreDestinationTest, CurrentDirectoryIsUsedWhenEmpty) {
  ProcessOptions here;
  here.directory = out_;
  const ProcessResult result = RunZpack({"restore", "-q", file_, "."}, here);
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_TRUE(IsGood(out_));
}

TEST_F(RestoreDestinationTest, DirectoryWithContentIsKept) {
  WriteFile(out_ + "/d/file", "mine");
  ExpectRefused(out_ + "/d", "is not an empty directory");
  ExpectRefused(out_ + "/d", "is not a bare repository", {"--force"});
  EXPECT_EQ(ReadFile(out_ + "/d/file"), "mine");
  // Nor when it has a name that Git uses, too.
  fs::rename(out_ + "/d/file", out_ + "/d/config");
  ExpectRefused(out_ + "/d", "is not an empty directory");
  EXPECT_EQ(ReadFile(out_ + "/d/config"), "mine");
  EXPECT_THAT(ListDirectory(out_), ElementsAre("d"));
}

TEST_F(RestoreDestinationTest, FileIsKept) {
  WriteFile(out_ + "/f", "mine");
  ExpectRefused(out_ + "/f", "is not a directory");
  ExpectRefused(out_ + "/f", "is not a directory", {"--force"});
  EXPECT_EQ(ReadFile(out_ + "/f"), "mine");
}

TEST_F(RestoreDestinationTest, BareRepositoryIsReplacedOnlyByForce) {
  const RepoBuilder old(out_ + "/old.git");
  old.SetRef("refs/heads/old", old.SimpleCommit("old"));
  ExpectRefused(old.path(), "is not an empty directory");
  EXPECT_TRUE(old.TryGit({"rev-parse", "old"}).ok());
  ASSERT_TRUE(Restore(old.path(), {"--force"}).ok());
  EXPECT_TRUE(IsGood(old.path()));
  EXPECT_THAT(ListDirectory(out_), ElementsAre("old.git"));
}

TEST_F(RestoreDestinationTest, WorkTreeIsNeverReplaced) {
  const RepoBuilder work(out_ + "/work", RepoBuilder::Kind::kWorkTree);
  WriteFile(work.path() + "/file", "not committed");
  work.Git({"add", "file"});
  ExpectRefused(work.path(), "is not a bare repository", {"--force"});
  // Its .git directory looks like a bare repository, but holds an index.
  ExpectRefused(work.path() + "/.git", "is not a bare repository", {"--force"});
  EXPECT_EQ(work.Git({"status", "--porcelain"}), "A  file");
}

TEST_F(RestoreDestinationTest, BareRepositoryWithoutConfigurationIsOne) {
  const RepoBuilder old(out_ + "/old.git");
  old.Git({"config", "--unset", "core.bare"});
  ASSERT_TRUE(Restore(old.path(), {"--force"}).ok());
  EXPECT_TRUE(IsGood(old.path()));
}

TEST_F(RestoreDestinationTest, OldRepositorySurvivesADamagedFile) {
  const RepoBuilder old(out_ + "/old.git");
  const std::string tip = old.SimpleCommit("old");
  old.SetRef("refs/heads/main", tip);
  std::string bytes = ReadFile(file_);
  for (const size_t at : {bytes.size() / 4, bytes.size() / 2}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    WriteFile(file_, damaged);
    ExpectRefused(old.path(), "", {"--force"});
    EXPECT_EQ(old.Git({"rev-parse", "main"}), tip);
    EXPECT_THAT(ListDirectory(out_), ElementsAre("old.git"));
  }
}

TEST_F(RestoreDestinationTest, DamagedFileLeavesNothing) {
  std::string bytes = ReadFile(file_);
  bytes.resize(bytes.size() - 1);
  WriteFile(file_, bytes);
  ExpectRefused(out_ + "/a/b/r.git", "");
  EXPECT_THAT(ListDirectory(out_), IsEmpty());
}

// 'restore --keep-going' needs the structure, and says so, too.
TEST_F(RestoreDestinationTest, HintsNameWhatHelpsAgainstTheDamage) {
  const std::string whole = ReadFile(file_);
  const std::string to = out_ + "/r.git";
  WriteFile(file_, whole.substr(0, whole.size() - 1));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"restore", file_, to},
        {"restore", "--keep-going", file_, to},
        {"restore", "--checkout", file_, to},
        {"restore", "--bundle", to, file_},
        {"verify", file_}}) {
    const std::string error = RunZpack(command).err;
    EXPECT_THAT(error, ::testing::Not(HasSubstr("restore --keep-going")));
    EXPECT_THAT(error, HasSubstr("\nhint: for what is left of the file: git "
                                 "zpack salvage '" +
                                 file_ + "' <directory>\n"))
        << ::testing::PrintToString(command);
  }
  // What is hinted at works.
  EXPECT_EQ(RunZpack({"salvage", "-q", file_, to}).exit_code, 0);
  fs::remove_all(to);
  // A damaged block.
  std::string damaged = whole;
  damaged[whole.find("BLCK") + 30] ^= 1;
  WriteFile(file_, damaged);
  for (const std::string command : {"restore", "verify"}) {
    std::vector<std::string> words = {command, file_};
    if (command == "restore") words.push_back(to);
    const std::string error = RunZpack(words).err;
    EXPECT_THAT(error, HasSubstr("hint: to restore all but the damaged "
                                 "objects: git zpack restore --keep-going"));
    EXPECT_THAT(error, HasSubstr("hint: if that fails, for what is left"));
  }
  EXPECT_EQ(RunZpack({"restore", "-q", "--keep-going", file_, to}).exit_code,
            1);
}

TEST_F(RestoreDestinationTest, LinkToADirectoryIsFollowed) {
  fs::create_directories(dir_ / "elsewhere/real");
  fs::create_directory_symlink("../elsewhere/real", out_ + "/link");
  ASSERT_TRUE(Restore(out_ + "/link").ok());
  EXPECT_TRUE(fs::is_symlink(out_ + "/link"));
  EXPECT_TRUE(IsGood(dir_ / "elsewhere/real"));
  EXPECT_THAT(ListDirectory(dir_ / "elsewhere"), ElementsAre("real"));
}

TEST_F(RestoreDestinationTest, StaleTemporaryIsTakenOver) {
  WriteFile(out_ + "/.r.git.zpack-tmp/zpack.lock", "");
  WriteFile(out_ + "/.r.git.zpack-tmp/HEAD", "ref: refs/heads/stale\n");
  WriteFile(out_ + "/.r.git.zpack-tmp/objects/pack/tmp_pack_zpack", "stale");
  WriteFile(out_ + "/.r.git.zpack-tmp/refs/heads/stale", "stale");
  ASSERT_TRUE(Restore(out_ + "/r.git").ok());
  EXPECT_TRUE(IsGood(out_ + "/r.git"));
  EXPECT_THAT(ListDirectory(out_), ElementsAre("r.git"));
}

TEST_F(RestoreDestinationTest, UnwritableParentIsRefused) {
  ExpectRefused("/proc/r.git", "/proc/");
}

TEST_F(RestoreDestinationTest, RestoredRepositoryHasNoHooksOfItsOwn) {
  ASSERT_TRUE(Restore(out_ + "/r.git").ok());
  if (!Exists(out_ + "/r.git/hooks")) return;
  for (const std::string& name : ListDirectory(out_ + "/r.git/hooks")) {
    EXPECT_THAT(name, ::testing::EndsWith(".sample"));
  }
}

TEST_F(RestoreDestinationTest, EveryFileIsReadable) {
  ASSERT_TRUE(Restore(out_ + "/r.git").ok());
  EXPECT_THAT(ListDirectory(out_ + "/r.git"), Contains("packed-refs"));
  const std::string packs = out_ + "/r.git/objects/pack";
  EXPECT_THAT(ListDirectory(packs), ::testing::SizeIs(3));  // pack, idx, rev
  for (const std::string& name : ListDirectory(packs)) {
    if (!name.ends_with(".pack")) continue;
    EXPECT_TRUE(RunGit({"verify-pack", packs + '/' + name}, out_).ok());
  }
}

}  // namespace
}  // namespace zpack::testing
