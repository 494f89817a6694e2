// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where 'convert' writes to, what it replaces and what it leaves alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class DestinationTest : public ::testing::Test {
 protected:
  DestinationTest() : repo_(dir_ / "repo") {
    repo_.History(2);
    fs::create_directories(out_);
  }

  ProcessResult Convert(const std::string& file,
                        const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"convert", "-q"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {repo_.path(), file});
    return RunZpack(arguments);
  }

  void ExpectRefused(const std::string& file, const std::string& why,
                     const std::vector<std::string>& options = {}) const {
    const ProcessResult result = Convert(file, options);
    EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, ::testing::StartsWith("fatal: "));
    EXPECT_THAT(result.err, HasSubstr(why));
  }

  bool IsGood(const std::string& file) const {
    return RunZpack({"verify", "-q", "--against", repo_.path(), file}).ok();
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string out_ = dir_ / "out";
};

TEST_F(DestinationTest, NewFileIsAllThatIsLeft) {
  ASSERT_TRUE(Convert(out_ + "/x.zpack").ok());
  EXPECT_THAT(ListDirectory(out_), ElementsAre("x.zpack"));
  EXPECT_TRUE(IsGood(out_ + "/x.zpack"));
}

TEST_F(DestinationTest, ExistingFileIsKept) {
  WriteFile(out_ + "/x.zpack", "mine");
  ExpectRefused(out_ + "/x.zpack", "' already exists\nhint: use --force to ");
  EXPECT_EQ(ReadFile(out_ + "/x.zpack"), "mine");
  EXPECT_THAT(ListDirectory(out_), ElementsAre("x.zpack"));
}

TEST_F(DestinationTest, AnExistingZpackFileIsAHintAtUpdate) {
  const std::string file = out_ + "/x.zpack";
  const std::string hint = "\nhint: it is a .zpack file; --update copies";
  ASSERT_TRUE(Convert(file).ok());
  ExpectRefused(file, hint);
  ExpectRefused(file, hint, {"--resume"});
  // What is hinted at works.
  EXPECT_TRUE(Convert(file, {"--update"}).ok());
  EXPECT_THAT(Convert(file, {"--base", file}).err, Not(HasSubstr(hint)));
  WriteFile(file, "mine");
  EXPECT_THAT(Convert(file).err, Not(HasSubstr("--update")));
}

TEST_F(DestinationTest, AnExistingOutputIsAHintAtForce) {
  const std::string file = out_ + "/x.zpack";
  const std::string hint = "' already exists\nhint: use --force to replace it";
  ASSERT_TRUE(Convert(file).ok());
  WriteFile(file + ".zpar", "mine");
  const ProcessResult protect = RunZpack({"protect", "--beside", file});
  EXPECT_EQ(protect.exit_code, 128);
  EXPECT_THAT(protect.err, HasSubstr(file + ".zpar" + hint));
  const ProcessResult consolidate = RunZpack({"consolidate", file, file});
  EXPECT_EQ(consolidate.exit_code, 128);
  EXPECT_THAT(consolidate.err, HasSubstr(file + hint));
  EXPECT_TRUE(RunZpack({"protect", "--beside", "--force", file}).ok());
}

TEST_F(DestinationTest, ForceReplacesAFile) {
  WriteFile(out_ + "/x.zpack", "old");
  ASSERT_TRUE(Convert(out_ + "/x.zpack", {"--force"}).ok());
  EXPECT_TRUE(IsGood(out_ + "/x.zpack"));
  ASSERT_TRUE(Convert(out_ + "/x.zpack", {"-f"}).ok());
  EXPECT_THAT(ListDirectory(out_), ElementsAre("x.zpack"));
}

TEST_F(DestinationTest, ForceKeepsTheModeOfTheFile) {
  WriteFile(out_ + "/x.zpack", "old");
  constexpr auto kPrivate = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(out_ + "/x.zpack", kPrivate);
  ASSERT_TRUE(Convert(out_ + "/x.zpack", {"--force"}).ok());
  EXPECT_EQ(fs::status(out_ + "/x.zpack").permissions(), kPrivate);
}

TEST_F(DestinationTest, ForceWithoutAnExistingFileIsFine) {
  EXPECT_TRUE(Convert(out_ + "/x.zpack", {"--force"}).ok());
}

TEST_F(DestinationTest, TheLongestNameIsPossible) {
  for (const size_t size : {239, 240, 245, 255}) {
    const std::string name(size, 'n');
    ASSERT_TRUE(Convert(out_ + '/' + name).ok());
    EXPECT_TRUE(IsGood(out_ + '/' + name));
    EXPECT_THAT(ListDirectory(out_), ElementsAre(name));
    fs::remove(out_ + '/' + name);
  }
}

TEST_F(DestinationTest, SymbolicLinkIsFollowed) {
  WriteFile(dir_ / "elsewhere/real.zpack", "old");
  fs::create_symlink("../elsewhere/real.zpack", out_ + "/link.zpack");
  ExpectRefused(out_ + "/link.zpack", "already exists");
  EXPECT_EQ(ReadFile(dir_ / "elsewhere/real.zpack"), "old");
  ASSERT_TRUE(Convert(out_ + "/link.zpack", {"--force"}).ok());
  EXPECT_TRUE(fs::is_symlink(out_ + "/link.zpack"));
  EXPECT_TRUE(IsGood(dir_ / "elsewhere/real.zpack"));
  EXPECT_THAT(ListDirectory(dir_ / "elsewhere"), ElementsAre("real.zpack"));
  EXPECT_THAT(ListDirectory(out_), ElementsAre("link.zpack"));
}

TEST_F(DestinationTest, DanglingSymbolicLinkIsFollowed) {
  fs::create_directories(dir_ / "elsewhere");
  fs::create_symlink("../elsewhere/new.zpack", out_ + "/link.zpack");
  ASSERT_TRUE(Convert(out_ + "/link.zpack").ok());
  EXPECT_TRUE(IsGood(dir_ / "elsewhere/new.zpack"));
}

TEST_F(DestinationTest, CircularSymbolicLinkIsRefused) {
  fs::create_symlink("loop", out_ + "/loop");
  ExpectRefused(out_ + "/loop", "loop", {"--force"});
  EXPECT_THAT(ListDirectory(out_), ElementsAre("loop"));
}

TEST_F(DestinationTest, DirectoryIsRefused) {
  fs::create_directories(out_ + "/d");
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, std::vector<std::string>{"--force"}}) {
    ExpectRefused(out_ + "/d", "not a regular file", options);
    ExpectRefused(out_ + "/d/", "not a file name", options);
  }
  EXPECT_THAT(ListDirectory(out_), ElementsAre("d"));
}

TEST_F(DestinationTest, DevicesAndPipesAreRefused) {
  ExpectRefused("/dev/null", "not a regular file", {"--force"});
  ASSERT_EQ(mkfifo((out_ + "/pipe").c_str(), 0600), 0);
  ExpectRefused(out_ + "/pipe", "not a regular file", {"--force"});
  EXPECT_TRUE(fs::is_fifo(out_ + "/pipe"));
}

TEST_F(DestinationTest, MissingDirectoryIsRefusedAndNotMade) {
  ExpectRefused(out_ + "/no/such/x.zpack", "No such file or directory");
  EXPECT_THAT(ListDirectory(out_), IsEmpty());
}

TEST_F(DestinationTest, FileInPlaceOfADirectoryIsRefused) {
  WriteFile(out_ + "/file", "");
  ExpectRefused(out_ + "/file/x.zpack", "Not a directory");
}

TEST_F(DestinationTest, UnwritableDirectoryIsRefused) {
  // Nobody can write there, not even root.
  ExpectRefused("/proc/x.zpack", "/proc/");
  if (geteuid() == 0) return;
  fs::permissions(out_, fs::perms::owner_read | fs::perms::owner_exec);
  ExpectRefused(out_ + "/x.zpack", "Permission denied");
}

TEST_F(DestinationTest, EmptyNameIsRefused) {
  ExpectRefused("", "not a file name");
}

TEST_F(DestinationTest, NameThatIsTooLongIsRefused) {
  ExpectRefused(out_ + '/' + std::string(256, 'n'), "File name too long");
  EXPECT_THAT(ListDirectory(out_), IsEmpty());
}

TEST_F(DestinationTest, StaleTemporaryIsTakenOver) {
  WriteFile(out_ + "/.x.zpack.zpack-tmp", std::string(1000000, 'x'));
  ASSERT_TRUE(Convert(out_ + "/x.zpack").ok());
  EXPECT_THAT(ListDirectory(out_), ElementsAre("x.zpack"));
  EXPECT_TRUE(IsGood(out_ + "/x.zpack"));
}

TEST_F(DestinationTest, StaleTemporaryIsRemovedByARunThatFails) {
  WriteFile(out_ + "/.x.zpack.zpack-tmp", "stale");
  repo_.SetRef("refs/heads/broken", FakeId('1'));
  ExpectRefused(out_ + "/x.zpack", "missing");
  EXPECT_THAT(ListDirectory(out_), IsEmpty());
}

TEST_F(DestinationTest, LinkInPlaceOfTheTemporaryIsNotFollowed) {
  WriteFile(dir_ / "precious", "precious");
  fs::create_symlink(dir_ / "precious", out_ + "/.x.zpack.zpack-tmp");
  ExpectRefused(out_ + "/x.zpack", ".x.zpack.zpack-tmp");
  EXPECT_EQ(ReadFile(dir_ / "precious"), "precious");
}

TEST_F(DestinationTest, DirectoryInPlaceOfTheTemporaryIsRefused) {
  fs::create_directories(out_ + "/.x.zpack.zpack-tmp");
  ExpectRefused(out_ + "/x.zpack", ".x.zpack.zpack-tmp");
}

TEST_F(DestinationTest, OtherFilesNearbyAreLeftAlone) {
  WriteFile(out_ + "/.y.zpack.zpack-tmp", "of another conversion");
  WriteFile(out_ + "/x.zpack.zpack-tmp", "no temporary of ours");
  ASSERT_TRUE(Convert(out_ + "/x.zpack").ok());
  EXPECT_EQ(ReadFile(out_ + "/.y.zpack.zpack-tmp"), "of another conversion");
  EXPECT_EQ(ReadFile(out_ + "/x.zpack.zpack-tmp"), "no temporary of ours");
}

TEST_F(DestinationTest, FileInsideTheSourceDoesNoHarm) {
  ASSERT_TRUE(Convert(repo_.path() + "/x.zpack").ok());
  EXPECT_TRUE(IsGood(repo_.path() + "/x.zpack"));
}

TEST_F(DestinationTest, FilesOfTheSourceAreNeverReplaced) {
  repo_.PackAll();
  const std::string packs = repo_.path() + "/objects/pack/";
  for (const std::string& name : ListDirectory(packs)) {
    const std::string before = ReadFile(packs + name);
    ExpectRefused(packs + name, "which is for Git's own files", {"--force"});
    EXPECT_EQ(ReadFile(packs + name), before);
  }
  ExpectRefused(repo_.path() + "/refs/heads/x.zpack", "Git's own files");
  ExpectRefused(repo_.path() + "/config.lock", "Git's own files");
  const std::string config = ReadFile(repo_.path() + "/config");
  fs::create_symlink(repo_.path() + "/config", out_ + "/link");
  for (const std::string& path : {repo_.path() + "/config", out_ + "/link"}) {
    ExpectRefused(path, "belongs to the repository", {"--force"});
  }
  EXPECT_EQ(ReadFile(repo_.path() + "/config"), config);
  // An earlier conversion is.
  ASSERT_TRUE(Convert(repo_.path() + "/x.zpack").ok());
  EXPECT_TRUE(Convert(repo_.path() + "/x.zpack", {"--force"}).ok());
}

TEST_F(DestinationTest, ObjectsOfAnAlternateAreNeverReplaced) {
  const RepoBuilder other(dir_ / "other");
  WriteFile(other.path() + "/objects/info/alternates",
            repo_.path() + "/objects\n");
  repo_.PackAll();
  const std::string packs = repo_.path() + "/objects/pack/";
  const std::string pack = packs + ListDirectory(packs).front();
  const std::string before = ReadFile(pack);
  const ProcessResult result =
      RunZpack({"convert", "-q", "--force", other.path(), pack});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("which is for Git's own files"));
  EXPECT_EQ(ReadFile(pack), before);
}

TEST_F(DestinationTest, HardLinkInPlaceOfTheTemporaryIsNotWrittenTo) {
  WriteFile(dir_ / "precious", "precious");
  fs::create_hard_link(dir_ / "precious", out_ + "/.x.zpack.zpack-tmp");
  ASSERT_TRUE(Convert(out_ + "/x.zpack", {"--resume"}).ok());
  EXPECT_EQ(ReadFile(dir_ / "precious"), "precious");
  EXPECT_THAT(ListDirectory(out_), ElementsAre("x.zpack"));
}

TEST_F(DestinationTest, NamesAreBytes) {
  const std::string name = out_ + "/sp ace '\"\n\xff.zpack";
  ASSERT_TRUE(Convert(name).ok());
  EXPECT_TRUE(IsGood(name));
}

TEST_F(DestinationTest, PermissionsFollowTheUmask) {
  const ProcessResult result = RunProcess(
      {"sh", "-c", "umask 027 && exec \"$0\" convert -q \"$1\" \"$2\"",
       ZpackBinary(), repo_.path(), out_ + "/x.zpack"});
  ASSERT_EQ(result.exit_code, 0);
  EXPECT_EQ(fs::status(out_ + "/x.zpack").permissions(), fs::perms{0640});
}

// As with 'cp' and 'gzip -k'.
TEST_F(DestinationTest, WhatIsMadeOfAFileIsOpenToNobodyElse) {
  const std::string file = out_ + "/x.zpack";
  ASSERT_TRUE(Convert(file).ok());
  fs::permissions(file, fs::perms{0600});
  const auto expect_private = [&](const std::vector<std::string>& command,
                                  const std::string& made) {
    SCOPED_TRACE(command.front());
    ASSERT_TRUE(RunZpack(command).ok());
    EXPECT_EQ(fs::status(made).permissions(), fs::perms{0600});
  };
  const auto at = [&](const char* name) { return out_ + '/' + name; };
  expect_private({"protect", "-o", at("inside.zpack"), file},
                 at("inside.zpack"));
  expect_private({"protect", "--beside", "--redundancy", "100%", file},
                 file + ".zpar");
  expect_private({"consolidate", file, at("one.zpack")}, at("one.zpack"));
  expect_private({"convert", "--base", file, repo_.path(), at("base.zpack")},
                 at("base.zpack"));
  expect_private({"convert", "--onto", file, repo_.path(), at("onto.zpack")},
                 at("onto.zpack"));
  // What is copied may be in a file below.
  fs::permissions(at("onto.zpack"), fs::perms{0644});
  expect_private(
      {"convert", "--base", at("onto.zpack"), repo_.path(), at("both.zpack")},
      at("both.zpack"));
  std::string bytes = ReadFile(file);
  bytes[bytes.size() / 2] ^= 1;
  WriteFile(file, bytes);
  fs::permissions(file, fs::perms{0600});
  expect_private({"repair", file}, file + ".repaired");
}

// A file whose mode allows more than the umask gets what the umask allows.
TEST_F(DestinationTest, WhatIsMadeOfAFileFollowsTheUmask) {
  const std::string file = out_ + "/x.zpack";
  ASSERT_TRUE(Convert(file).ok());
  fs::permissions(file, fs::perms{0777});
  const ProcessResult result = RunProcess(
      {"sh", "-c", "umask 027 && exec \"$0\" protect -q -o \"$1\" \"$2\"",
       ZpackBinary(), out_ + "/y.zpack", file});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(fs::status(out_ + "/y.zpack").permissions(), fs::perms{0640});
}

}  // namespace
}  // namespace zpack::testing
