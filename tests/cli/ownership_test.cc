// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A repository of somebody else is used only when its user says so, by Git's
// rules. Only root can give files away, so others skip these tests.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr uid_t kSomebody = 12345;

class OwnershipTest : public ::testing::Test {
 protected:
  OwnershipTest() : repo_(dir_ / "repo", RepoBuilder::Kind::kWorkTree) {
    repo_.History(1);
    fs::create_directories(dir_ / "home");
    // The tests edit the configuration of the repository.
    Require(RunZpack({"convert", "-q", "--without", "config", repo_.path(),
                      dir_ / "x.zpack"})
                .ok(),
            "convert");
  }

  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs to be root";
    Give(repo_.path());
  }

  static void Give(const std::string& path, uid_t user = kSomebody) {
    Require(lchown(path.c_str(), user, static_cast<gid_t>(-1)) == 0, "chown");
  }

  // Of a comparison with `path`, where the user's configuration is in 'home'.
  ProcessResult Run(const std::string& path,
                    std::vector<std::string> environment = {}) {
    ProcessOptions options;
    options.environment = std::move(environment);
    options.environment.push_back("HOME=" + dir_ / "home");
    options.environment.emplace_back("XDG_CONFIG_HOME=");
    options.environment.emplace_back("GIT_CONFIG_NOSYSTEM=1");
    return RunProcess(
        {ZpackBinary(), "verify", "-q", "--against", path, dir_ / "x.zpack"},
        options);
  }

  bool IsRefused(const std::string& path,
                 const std::vector<std::string>& environment = {}) {
    const ProcessResult result = Run(path, environment);
    if (result.ok()) return false;
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err,
                HasSubstr("detected dubious ownership in repository at '" +
                          path + '\''));
    EXPECT_THAT(result.err, HasSubstr("git config --global --add "
                                      "safe.directory '" +
                                      path + '\''));
    EXPECT_THAT(SplitLines(result.err), ::testing::SizeIs(1));
    return true;
  }

  // Whether the repository is refused with these values of safe.directory.
  bool IsRefusedWith(const std::vector<std::string>& values) {
    std::string text = "[safe]\n";
    for (const std::string& value : values) {
      text += "\tdirectory = \"" + value + "\"\n";
    }
    WriteFile(dir_ / "home/.gitconfig", text);
    return IsRefused(repo_.path());
  }

  TempDir dir_;
  RepoBuilder repo_;
};

TEST_F(OwnershipTest, EveryCommandRefusesWithTheRemedyOfGit) {
  EXPECT_TRUE(IsRefused(repo_.path()));
  const std::string why = "dubious ownership in repository at";
  EXPECT_THAT(RunZpack({"convert", repo_.path(), dir_ / "y.zpack"}).err,
              HasSubstr(why));
  EXPECT_THAT(RunZpack({"repack", "-d", repo_.path()}).err, HasSubstr(why));
  fs::create_directories(dir_ / "repo/sub");
  EXPECT_THAT(RunZpack({"repack", "--discover", dir_ / "repo/sub"}).err,
              HasSubstr(why + " '" + repo_.path() + '\''));
}

TEST_F(OwnershipTest, GitDirectoryWorkTreeAndGitFileCount) {
  Give(repo_.path(), 0);
  EXPECT_FALSE(IsRefused(repo_.path()));
  Give(repo_.git_dir());
  EXPECT_TRUE(IsRefused(repo_.path()));
  EXPECT_TRUE(IsRefused(repo_.git_dir()));
  Give(repo_.git_dir(), 0);
  // Git does not look at what is in it.
  Give(repo_.git_dir() + "/HEAD");
  EXPECT_FALSE(IsRefused(repo_.path()));
  WriteFile(dir_ / "other/.git", "gitdir: ../repo/.git\n");
  EXPECT_FALSE(IsRefused(dir_ / "other"));
  Give(dir_ / "other/.git");
  EXPECT_TRUE(IsRefused(dir_ / "other"));
}

TEST_F(OwnershipTest, BareRepositoryIsNamedByItself) {
  const std::string bare = dir_ / "bare.git";
  Require(RunZpack({"restore", "-q", dir_ / "x.zpack", bare}).ok(), "restore");
  EXPECT_FALSE(IsRefused(bare));
  Give(bare);
  EXPECT_TRUE(IsRefused(bare));
  EXPECT_FALSE(IsRefused(
      bare, {"GIT_CONFIG_PARAMETERS='safe.directory'='" + bare + '\''}));
}

TEST_F(OwnershipTest, ListedDirectoriesAreSafe) {
  EXPECT_FALSE(IsRefusedWith({repo_.path()}));
  EXPECT_FALSE(IsRefusedWith({repo_.path() + '/'}));
  EXPECT_FALSE(IsRefusedWith({"/elsewhere", repo_.path()}));
  EXPECT_FALSE(IsRefusedWith({"~/../repo"}));
  EXPECT_TRUE(IsRefusedWith({repo_.git_dir()}));
  EXPECT_TRUE(IsRefusedWith({dir_.path()}));
  EXPECT_TRUE(IsRefusedWith({repo_.path() + "sitory"}));
  fs::create_directory_symlink(repo_.path(), dir_ / "link");
  EXPECT_FALSE(IsRefusedWith({dir_ / "link"}));
}

TEST_F(OwnershipTest, StarsListAllOrAllBelow) {
  EXPECT_FALSE(IsRefusedWith({"*"}));
  EXPECT_FALSE(IsRefusedWith({dir_ / "*"}));
  EXPECT_FALSE(IsRefusedWith({"/*"}));
  EXPECT_TRUE(IsRefusedWith({dir_ / "repo/*"}));
  EXPECT_TRUE(IsRefusedWith({dir_ / "re*"}));
}

// As Git does from version 2.52 on.
TEST_F(OwnershipTest, ValuesMayBeOptional) {
  EXPECT_FALSE(IsRefusedWith({":(optional)" + repo_.path()}));
  EXPECT_FALSE(IsRefusedWith({":(optional)/*"}));
  EXPECT_TRUE(IsRefusedWith({":(optional)" + (dir_ / "missing/*")}));
  EXPECT_TRUE(IsRefusedWith({":(optional)*"}));
}

TEST_F(OwnershipTest, EmptyValueForgetsThoseBefore) {
  EXPECT_TRUE(IsRefusedWith({"*", ""}));
  EXPECT_TRUE(IsRefusedWith({repo_.path(), ""}));
  EXPECT_FALSE(IsRefusedWith({"*", "", repo_.path()}));
  WriteFile(dir_ / "home/.gitconfig", "[safe]\n\tdirectory = *\n");
  EXPECT_TRUE(
      IsRefused(repo_.path(), {"GIT_CONFIG_PARAMETERS='safe.directory'=''"}));
}

TEST_F(OwnershipTest, RelativeValuesAreIgnoredAndNamed) {
  EXPECT_TRUE(IsRefusedWith({"repo"}));
  EXPECT_THAT(Run(repo_.path()).err,
              HasSubstr("safe.directory 'repo' is ignored: not absolute"));
  EXPECT_TRUE(IsRefusedWith({"."}));
  ProcessOptions here;
  here.directory = repo_.path();
  here.environment = {"GIT_CONFIG_PARAMETERS='safe.directory'='.'"};
  EXPECT_EQ(RunZpack({"verify", "-q", "--against", ".", "../x.zpack"}, here)
                .exit_code,
            0);
}

TEST_F(OwnershipTest, SystemUserAndCommandLineMaySayItTheRepositoryMayNot) {
  WriteFile(dir_ / "config", "[safe]\n\tdirectory = *\n");
  WriteFile(repo_.git_dir() + "/config", "[safe]\n\tdirectory = *\n");
  EXPECT_TRUE(IsRefused(repo_.path()));
  EXPECT_FALSE(
      IsRefused(repo_.path(), {"GIT_CONFIG_GLOBAL=" + dir_ / "config"}));
  EXPECT_FALSE(IsRefused(
      repo_.path(), {"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory",
                     "GIT_CONFIG_VALUE_0=*"}));
  ProcessOptions options;
  options.environment = {"GIT_CONFIG_SYSTEM=" + dir_ / "config",
                         "HOME=" + dir_ / "home"};
  EXPECT_EQ(RunProcess({ZpackBinary(), "verify", "-q", "--against",
                        repo_.path(), dir_ / "x.zpack"},
                       options)
                .exit_code,
            0);
}

TEST_F(OwnershipTest, WhoCalledSudoOwnsToo) {
  EXPECT_FALSE(IsRefused(repo_.path(), {"SUDO_UID=12345"}));
  EXPECT_TRUE(IsRefused(repo_.path(), {"SUDO_UID=12346"}));
  EXPECT_TRUE(IsRefused(repo_.path(), {"SUDO_UID=12345x"}));
  EXPECT_TRUE(IsRefused(repo_.path(), {"SUDO_UID="}));
  Give(repo_.path(), 0);
  EXPECT_FALSE(IsRefused(repo_.path(), {"SUDO_UID=12345"}));
}

TEST_F(OwnershipTest, UnreadableConfigurationOfTheUserIsAnError) {
  fs::create_symlink(".gitconfig", dir_ / "home/.gitconfig");
  const ProcessResult result = Run(repo_.path());
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err,
              HasSubstr("fatal: cannot access '" + dir_ / "home/.gitconfig'"));
}

TEST_F(OwnershipTest, RepackOfALinkedWorkTreeIsAskedForOnce) {
  Give(repo_.path(), 0);
  repo_.Git({"worktree", "add", "-q", "-b", "topic", dir_ / "linked"});
  Give(repo_.git_dir());
  Give(dir_ / "linked");
  ProcessOptions options;
  options.environment = {"GIT_CONFIG_PARAMETERS='safe.directory'='" +
                         dir_ / "linked'"};
  EXPECT_EQ(
      RunZpack({"repack", "-d", "-q", dir_ / "linked"}, options).exit_code, 0);
}

// Git, too, goes on without the files of a home that it may not search.
TEST_F(OwnershipTest, HomeOfAnotherUserIsNoObstacle) {
  Give(repo_.path());
  Give(repo_.git_dir());
  fs::permissions(dir_.path(), fs::perms::all);
  fs::permissions(dir_ / "home", fs::perms::owner_all);
  WriteFile(dir_ / "home/.gitconfig", "[core]\n\tignorecase = false\n");
  ProcessOptions options;
  options.environment = {"HOME=" + dir_ / "home", "XDG_CONFIG_HOME="};
  const ProcessResult result =
      RunProcess({"setpriv", "--reuid=" + std::to_string(kSomebody),
                  "--clear-groups", ZpackBinary(), "verify", "-q", "--against",
                  repo_.path(), dir_ / "x.zpack"},
                 options);
  EXPECT_TRUE(result.ok()) << result.err;
}

}  // namespace
}  // namespace zpack::testing
