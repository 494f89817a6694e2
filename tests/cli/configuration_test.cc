// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Git's configuration counts wherever Git reads it, in Git's order, and what
// cannot be read stops the work. A version of multi-pack-indexes that is not a
// number shows which place was read, since the message names the value.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ConfigurationTest : public ::testing::Test {
 protected:
  ConfigurationTest() : repo_(dir_ / "repo", RepoBuilder::Kind::kWorkTree) {
    repo_.History(1);
    fs::create_directories(dir_ / "home");
  }

  // Repacks with this environment, and no configuration of the machine's. -m
  // needs midx.version.
  ProcessResult Repack(std::vector<std::string> environment,
                       const std::string& repository = "") {
    ProcessOptions options;
    options.environment = std::move(environment);
    options.environment.push_back("HOME=" + dir_ / "home");
    options.environment.emplace_back("XDG_CONFIG_HOME=");
    options.environment.emplace_back("GIT_CONFIG_NOSYSTEM=1");
    return RunProcess({ZpackBinary(), "repack", "-q", "-m",
                       repository.empty() ? repo_.path() : repository},
                      options);
  }

  // Makes a configuration file with this version of multi-pack-indexes.
  std::string VersionFile(const std::string& name, const std::string& version) {
    WriteFile(dir_ / name, "[midx]\n\tversion = " + version + '\n');
    return dir_ / name;
  }

  void ExpectVersion(const std::string& version,
                     const std::vector<std::string>& environment) {
    const ProcessResult result = Repack(environment);
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err, HasSubstr("bad numeric config value '" + version +
                                      "' for 'midx.version'"));
  }

  void ExpectRefusal(const ProcessResult& result, const std::string& why) {
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err, HasSubstr(why));
    EXPECT_THAT(SplitLines(result.err), ::testing::SizeIs(1));
  }

  TempDir dir_;
  RepoBuilder repo_;
};

TEST_F(ConfigurationTest, TheCommandLineOfGitCounts) {
  ExpectVersion("by -c", {"GIT_CONFIG_PARAMETERS='midx.version'='by -c'"});
  ExpectVersion("counted",
                {"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=midx.version",
                 "GIT_CONFIG_VALUE_0=counted"});
}

TEST_F(ConfigurationTest, FilesThatTheEnvironmentNamesReplaceTheUsual) {
  VersionFile("home/.gitconfig", "home");
  ExpectVersion("global", {"GIT_CONFIG_GLOBAL=" + VersionFile("g", "global")});
  EXPECT_EQ(Repack({"GIT_CONFIG_GLOBAL=/dev/null"}).exit_code, 0);
  EXPECT_EQ(Repack({"GIT_CONFIG_GLOBAL="}).exit_code, 0);
  ProcessOptions options;
  options.environment = {"GIT_CONFIG_GLOBAL=/dev/null",
                         "GIT_CONFIG_SYSTEM=" + VersionFile("s", "system")};
  const ProcessResult result =
      RunProcess({ZpackBinary(), "repack", "-q", "-m", repo_.path()}, options);
  EXPECT_THAT(result.err, HasSubstr("'system'"));
  EXPECT_EQ(Repack({"GIT_CONFIG_GLOBAL=/dev/null",
                    "GIT_CONFIG_SYSTEM=" + VersionFile("s", "system")})
                .exit_code,
            0)
      << "GIT_CONFIG_NOSYSTEM";
}

TEST_F(ConfigurationTest, BothFilesOfTheUserCount) {
  VersionFile("home/.config/git/config", "xdg");
  ExpectVersion("xdg", {});
  VersionFile("home/.gitconfig", "home");
  ExpectVersion("home", {});
}

TEST_F(ConfigurationTest, LevelsDecideInTheOrderOfGit) {
  VersionFile("home/.gitconfig", "home");
  repo_.Git({"config", "midx.version", "local"});
  ExpectVersion("local", {});
  VersionFile("repo/.git/config.worktree", "worktree");
  ExpectVersion("local", {});
  repo_.Git({"config", "extensions.worktreeConfig", "true"});
  ExpectVersion("worktree", {});
  ExpectVersion("command", {"GIT_CONFIG_PARAMETERS='midx.version=command'"});
  EXPECT_EQ(Repack({"GIT_CONFIG_PARAMETERS='midx.version=2'"}).exit_code, 0);
}

TEST_F(ConfigurationTest, IncludedFilesCount) {
  VersionFile("included", "included");
  WriteFile(dir_ / "home/.gitconfig", "[includeIf \"gitdir:" + repo_.path() +
                                          "/\"]\n\tpath = ../included\n");
  ExpectVersion("included", {});
}

TEST_F(ConfigurationTest, WhatCannotBeReadStopsTheWork) {
  ExpectRefusal(Repack({"GIT_CONFIG_COUNT=many"}), "bogus count");
  ExpectRefusal(Repack({"GIT_CONFIG_PARAMETERS='a"}), "bogus format");
  fs::create_symlink("loop", dir_ / "loop");
  ExpectRefusal(Repack({"GIT_CONFIG_GLOBAL=" + dir_ / "loop"}),
                "cannot access '" + dir_ / "loop'");
  ExpectRefusal(Repack({"GIT_CONFIG_GLOBAL=" + dir_.path()}), dir_.path());
  WriteFile(dir_ / "malformed", "[pack\n");
  ExpectRefusal(Repack({"GIT_CONFIG_GLOBAL=" + dir_ / "malformed"}),
                "bad config line 1 in file '" + dir_ / "malformed'");
}

TEST_F(ConfigurationTest, UnreadableConfigurationOfTheRepositoryStopsTheWork) {
  repo_.Git({"config", "extensions.worktreeConfig", "true"});
  const std::string worktree = repo_.git_dir() + "/config.worktree";
  fs::create_symlink("config.worktree", worktree);
  ExpectRefusal(Repack({}), "cannot access '" + worktree);
  fs::remove(worktree);
  EXPECT_EQ(Repack({}).exit_code, 0);
  const std::string config = repo_.git_dir() + "/config";
  fs::remove(config);
  fs::create_symlink("config", config);
  ExpectRefusal(Repack({}), config);
}

// Values of all types of settings, used or not: Git refuses before it writes.
TEST_F(ConfigurationTest, ValuesThatGitRefusesAreRefused) {
  const std::string config = repo_.git_dir() + "/config";
  const std::string before = ReadFile(config);
  const std::vector<std::pair<std::string, std::vector<std::string>>> settings =
      {{"core trustCTime", {"", " = x", " = no", " = 10", " = 9999999999"}},
       {"pack depth", {"", " =", " = x", " = -1", " = 9999999999", " = 1k"}},
       {"pack windowMemory", {"", " = -1", " = 9999999999", " = 1.5"}},
       {"core abbrev", {"", " =", " = AUTO", " = no", " = 3", " = 10"}},
       {"pack compression", {" = -2", " = -1", " = 9", " = 10"}},
       {"core looseCompression", {" = -2", " = 0", " = 10", " = best"}},
       {"pack threads", {" = -1", " = 0", " = 2"}},
       {"pack indexVersion", {" = 1", " = 2", " = 3", " = -1"}},
       {"user name", {"", " ="}},
       {"core excludesFile", {"", " = ~no-such-user/x", " = nowhere"}},
       {"push default", {"", " = x", " = current"}},
       {"core autoCRLF", {"", " = input", " = output"}},
       {"core createObject", {" = link", " = copy"}},
       {"index version", {" = x", " = 4"}}};
  for (const auto& [setting, values] : settings) {
    const size_t space = setting.find(' ');
    for (const std::string& value : values) {
      WriteFile(config, before + '[' + setting.substr(0, space) + "]\n\t" +
                            setting.substr(space + 1) + value + '\n');
      const bool git =
          RunProcess({"git", "-C", repo_.path(), "repack", "-q"}).ok();
      EXPECT_EQ(Repack({}).exit_code, git ? 0 : 128) << setting << value;
    }
  }
}

TEST_F(ConfigurationTest, PreciousObjectsAreTheRepositorysOwnWord) {
  repo_.Git({"config", "extensions.preciousObjects", "true"});
  ProcessOptions options;
  options.environment = {
      "GIT_CONFIG_PARAMETERS='extensions.preciousobjects=false'"};
  ExpectRefusal(RunZpack({"repack", "-d", "-q", repo_.path()}, options),
                "precious-objects");
  repo_.Git({"config", "extensions.preciousObjects", "perhaps"});
  ExpectRefusal(RunZpack({"repack", "-d", "-q", repo_.path()}),
                "bad boolean config value 'perhaps'");
}

// A value that ends in a backslash goes on in the next line, and in no further
// one, even if that line is empty or a comment.
TEST_F(ConfigurationTest, ASectionAfterAContinuedValueIsSeen) {
  repo_.Git({"repack", "-adq"});
  const std::string config = ReadFile(repo_.git_dir() + "/config");
  for (const std::string next : {"\n", "# comment\n", "; comment\n", " \n"}) {
    WriteFile(repo_.git_dir() + "/config",
              config + "[alias]\n\tx = y \\\n" + next +
                  "[extensions]\n\tpreciousObjects = true\n");
    ExpectRefusal(RunZpack({"repack", "-d", "-q", repo_.path()}),
                  "precious-objects");
  }
}

TEST_F(ConfigurationTest, ASecretAfterAContinuedValueIsLeftOut) {
  const std::string file = dir_ / "a.zpack";
  for (const std::string next : {"\n", "# comment\n"}) {
    WriteFile(repo_.git_dir() + "/config",
              ReadFile(repo_.git_dir() + "/config") + "[alias]\n\tx = y \\\n" +
                  next + "[credential]\n\thelper = store --file=hunter2\n");
    ASSERT_TRUE(
        RunZpack({"convert", "-q", "--force", repo_.path(), file}).ok());
    EXPECT_THAT(RunZpack({"cat-extra", file, "config"}).out,
                ::testing::Not(HasSubstr("hunter2")));
  }
}

TEST_F(ConfigurationTest, ASha256RepositoryIsSeenAfterAContinuedValue) {
  const std::string path = dir_ / "sha256";
  RunGit({"init", "-q", "--bare", "--object-format=sha256", path}, dir_.path());
  std::string config = ReadFile(path + "/config");
  config.insert(config.find("[extensions]"), "[alias]\n\tx = y \\\n\n");
  WriteFile(path + "/config", config);
  const std::string file = dir_ / "a.zpack";
  ASSERT_TRUE(RunZpack({"convert", "-q", path, file}).ok());
  EXPECT_THAT(RunZpack({"show", file}).out, HasSubstr("sha256"));
}

// Nothing writes to the pipe, so a program that opens it like a file waits.
TEST_F(ConfigurationTest, APipeIsRefused) {
  const std::string pipe = dir_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ExpectRefusal(Repack({"GIT_CONFIG_GLOBAL=" + pipe}), "not a regular file");
  repo_.Git({"config", "include.path", pipe});
  ExpectRefusal(Repack({}), "not a regular file: '" + pipe);
  fs::remove(repo_.git_dir() + "/config");
  ASSERT_EQ(mkfifo((repo_.git_dir() + "/config").c_str(), 0600), 0);
  ExpectRefusal(Repack({}), "not a regular file");
}

}  // namespace
}  // namespace zpack::testing
