// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The configuration of all levels, with includes, compared with what Git reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "git/config/configuration.h"
#include "git/config/configuration_text.h"
#include "support/matchers.h"
#include "support/repo_builder.h"
#include "support/subprocess.h"
#include "support/temp_dir.h"
#include "zpack/wild_match.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::IsError;
using testing::IsOk;
using testing::ProcessOptions;
using testing::ProcessResult;
using testing::ReadFile;
using testing::RunProcess;
using testing::WriteFile;

// A variable of the environment of this process, as long as the object exists.
class Variable {
 public:
  Variable(std::string name, const std::string& value)
      : name_(std::move(name)) {
    if (const char* const old = std::getenv(name_.c_str())) old_ = old;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() {
    if (old_) {
      setenv(name_.c_str(), old_->c_str(), 1);
    } else {
      unsetenv(name_.c_str());
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> old_;
};

// The environment that decides which files this process reads.
class GitEnvironment {
 public:
  GitEnvironment(const std::string& home, const std::string& parameters)
      : home_("HOME", home), parameters_("GIT_CONFIG_PARAMETERS", parameters) {}

 private:
  Variable home_;
  Variable xdg_{"XDG_CONFIG_HOME", ""};
  Variable system_{"GIT_CONFIG_NOSYSTEM", "1"};
  Variable parameters_;
};

class ConfigurationLevelsTest : public ::testing::Test {
 protected:
  ConfigurationLevelsTest() {
    fs::create_directories(home_ + "/.config/git");
    WriteFile(InRepo("config"), "[core]\n\trepositoryformatversion = 0\n");
  }

  std::string InRepo(const std::string& name) const {
    return repo_.git_dir() + '/' + name;
  }

  // Entries as 'git config --list -z' prints them.
  Result<std::string> ReadOurs() const {
    ZPACK_ASSIGN_OR_RETURN(const RepositoryLocation location,
                           FindRepository(repo_.path(), Discovery::kNone));
    ZPACK_ASSIGN_OR_RETURN(const RepositoryFormat format,
                           ReadRepositoryFormat(location.common_directory));
    ZPACK_ASSIGN_OR_RETURN(const Configuration config,
                           ReadConfiguration(location, format));
    std::string text;
    for (const auto& [name, value] : config.entries()) {
      text += name;
      if (value) text += '\n' + *value;
      text += '\0';
    }
    return text;
  }

  ProcessResult ReadGits() const {
    ProcessOptions options;
    options.directory = repo_.path();
    options.environment = {"HOME=" + home_,
                           "XDG_CONFIG_HOME=", "GIT_CONFIG_NOSYSTEM=1",
                           "LC_ALL=C", "GIT_CONFIG_PARAMETERS=" + parameters_};
    return RunProcess({"git", "config", "--list", "-z"}, options);
  }

  // Both read the same.
  void ExpectSame(const std::string& what) const {
    const GitEnvironment environment(home_, parameters_);
    const ProcessResult expected = ReadGits();
    const auto ours = ReadOurs();
    ASSERT_EQ(ours.has_value(), expected.ok())
        << what << ": " << (ours ? "" : ours.error().message) << expected.err;
    if (ours) EXPECT_EQ(*ours, expected.out) << what;
  }

  // The repository includes a file under this condition, or always.
  void Include(const std::string& condition, const std::string& path) const {
    std::string text = ReadFile(InRepo("config"));
    AppendSection(condition.empty() ? "include" : "includeIf", condition, text);
    AppendEntry("path", path.c_str(), text);
    WriteFile(InRepo("config"), text + "[after]\n\tx = 1\n");
  }

  testing::TempDir dir_;
  std::string home_ = dir_ / "home";
  testing::RepoBuilder repo_{dir_ / "work/Repo",
                             testing::RepoBuilder::Kind::kWorkTree};
  std::string parameters_;
};

TEST_F(ConfigurationLevelsTest, LevelsFollowEachOther) {
  WriteFile(home_ + "/.config/git/config", "[a]\n\tb = xdg\n");
  WriteFile(home_ + "/.gitconfig", "[a]\n\tb = home\n");
  WriteFile(InRepo("config"),
            "[core]\n\trepositoryformatversion = 0\n[extensions]\n"
            "\tworktreeConfig = true\n[a]\n\tb = local\n");
  WriteFile(InRepo("config.worktree"), "[a]\n\tb = worktree\n");
  parameters_ = "'a.b'='command'";
  ExpectSame("all levels");
}

TEST_F(ConfigurationLevelsTest, IncludesAreFoundAsGitFindsThem) {
  WriteFile(InRepo("beside"), "[b]\n\tx = beside\n");
  WriteFile(InRepo("sub/first"), "[include]\n\tpath = second\n[b]\n\tx = 1\n");
  WriteFile(InRepo("sub/second"), "[b]\n\tx = second\n");
  WriteFile(home_ + "/of-home", "[b]\n\tx = home\n");
  WriteFile(dir_ / "malformed", "[b\n");
  const std::string config = ReadFile(InRepo("config"));
  for (const std::string& path :
       {std::string("beside"), std::string("./sub/../beside"),
        std::string("sub/first"), std::string("missing"),
        std::string("~/of-home"), std::string("~nobody-has-this-name/x"),
        dir_ / "malformed", home_ + "/of-home", InRepo("HEAD"), dir_.path(),
        std::string(""), std::string("config")}) {
    WriteFile(InRepo("config"), config);
    Include("", path);
    ExpectSame(path);
  }
  WriteFile(InRepo("config"), config + "[include]\n\tpath\n");
  ExpectSame("no value");
  WriteFile(InRepo("config"), config);
  parameters_ = "'include.path'='" + home_ + "/of-home'";
  ExpectSame("the command line");
  parameters_ = "'include.path'='relative'";
  ExpectSame("relative to the command line");
}

TEST_F(ConfigurationLevelsTest, IncludesMayBeTenDeep) {
  for (int i = 1; i <= 11; ++i) {
    WriteFile(InRepo("file" + std::to_string(i)),
              "[include]\n\tpath = file" + std::to_string(i + 1) + '\n');
  }
  Include("", "file2");
  ExpectSame("ten");
  WriteFile(InRepo("file12"), "[a]\n\tb\n");
  ExpectSame("eleven");
}

TEST_F(ConfigurationLevelsTest, ConditionsHoldAsInGit) {
  repo_.Git({"symbolic-ref", "HEAD", "refs/heads/topic/One"});
  WriteFile(InRepo("extra"), "[b]\n\tx = y\n");
  WriteFile(home_ + "/.gitconfig", "");
  fs::create_directory_symlink(dir_ / "work", home_ + "/link");
  const std::string config = ReadFile(InRepo("config")) +
                             "[remote \"o\"]\n\turl = https://h/a/b.git\n";
  const std::string work = dir_ / "work";
  for (const std::string& condition :
       {"gitdir:" + work + "/",
        "gitdir:" + work + "/Repo",
        "gitdir:" + work + "/Repo/.git",
        "gitdir:" + work + "/*/.git",
        "gitdir:" + work + "/repo/",
        "gitdir/i:" + work + "/repo/",
        "gitdir/i:" + work + "/[q-s]epo/",
        std::string("gitdir:Repo/"),
        std::string("gitdir:repo/"),
        std::string("gitdir:work/**/.git"),
        std::string("gitdir:./"),
        std::string("gitdir:./x"),
        std::string("gitdir:~/link/"),
        std::string("gitdir:~/"),
        std::string("gitdir:~nobody-has-this-name/"),
        std::string("onbranch:topic/One"),
        std::string("onbranch:topic/"),
        std::string("onbranch:*"),
        std::string("onbranch:**"),
        std::string("onbranch:topic/*"),
        std::string("onbranch:topic/one"),
        std::string("hasconfig:remote.*.url:https://h/**"),
        std::string("hasconfig:remote.*.url:https://h/*"),
        std::string("hasconfig:remote.*.url:https://*/a/b.git"),
        std::string("hasconfig:remote.o.url:https://h/**"),
        std::string("unknown:x"),
        std::string("gitdir:"),
        std::string("x")}) {
    WriteFile(InRepo("config"), config);
    Include(condition, "extra");
    ExpectSame(condition);
  }
  repo_.Git(
      {"update-ref", "--no-deref", "HEAD", repo_.SimpleCommit("a commit")});
  WriteFile(InRepo("config"), config);
  Include("onbranch:**", "extra");
  ExpectSame("detached");
}

TEST_F(ConfigurationLevelsTest, UrlsDoNotDecideAboutThemselves) {
  const std::string config = ReadFile(InRepo("config"));
  WriteFile(InRepo("extra"), "[remote \"o\"]\n\turl = https://h/x\n");
  Include("hasconfig:remote.*.url:https://h/*", "extra");
  ExpectSame("a URL in the included file");
  WriteFile(InRepo("config"), config);
  Include("gitdir:Repo/", "extra");
  Include("hasconfig:remote.*.url:https://h/*", "other");
  WriteFile(InRepo("other"), "[b]\n\tx = y\n");
  ExpectSame("a URL in a file that is included for another reason");
}

// The random numbers of a test, which are the same each time.
class Draw {
 public:
  // Up to `most` pieces.
  template <size_t N>
  std::string From(const std::array<std::string_view, N>& pieces, size_t most) {
    std::string text;
    for (size_t i = 1 + random_() % most; i > 0; --i) {
      text += pieces[random_() % N];
    }
    return text;
  }

 private:
  std::mt19937 random_{40};
};

// The conditions whose file was read, one a line.
std::string Holding(std::string_view entries) {
  std::string holding;
  std::string_view last;
  while (!entries.empty()) {
    const std::string_view entry = entries.substr(0, entries.find('\0'));
    if (entry == "b.x\ny") holding += last;
    last = entry;
    entries.remove_prefix(entry.size() + 1);
  }
  return holding;
}

TEST_F(ConfigurationLevelsTest, RandomPatternsMatchAsInGit) {
  constexpr int kBranches = 8;
  constexpr int kPatterns = 250;
  constexpr std::array<std::string_view, 18> kPieces = {
      "a", "b", "B",  "/", "*",   "**",   "**/",        "/**", "?",
      "[", "]", "[a", "!", "a-b", "[!b]", "[[:alpha:]", "-",   "\\"};
  constexpr std::array<std::string_view, 6> kNames = {"a", "b", "B",
                                                      "/", "-", "ab"};
  Draw draw;
  WriteFile(InRepo("extra"), "[b]\n\tx = y\n");
  const std::string config = ReadFile(InRepo("config"));
  const GitEnvironment environment(home_, "");
  for (int i = 0; i < kBranches; ++i) {
    std::string text = config;
    for (int j = 0; j < kPatterns; ++j) {
      AppendSection("includeIf", "onbranch:" + draw.From(kPieces, 6), text);
      AppendEntry("path", "extra", text);
    }
    WriteFile(InRepo("config"), text);
    WriteFile(InRepo("HEAD"),
              "ref: refs/heads/a" + draw.From(kNames, 5) + "b\n");
    const auto ours = ReadOurs();
    ASSERT_THAT(ours, IsOk());
    EXPECT_EQ(Holding(*ours), Holding(ReadGits().out))
        << ReadFile(InRepo("HEAD"));
  }
}

TEST_F(ConfigurationLevelsTest, APipeIsRefused) {
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  Include("", dir_ / "pipe");
  EXPECT_THAT(ReadOurs(), IsError(ErrorCode::kInvalidArgument,
                                  HasSubstr("not a regular file")));
}

// Each file includes the next one many times.
TEST_F(ConfigurationLevelsTest, FewFilesCannotIncludeForever) {
  for (int i = 0; i < 9; ++i) {
    std::string text = "[include]\n";
    for (int j = 0; j < 20; ++j) {
      text += "path = file" + std::to_string(i + 1) + '\n';
    }
    WriteFile(InRepo("file" + std::to_string(i)), text);
  }
  WriteFile(InRepo("file9"), "");
  Include("", "file0");
  EXPECT_THAT(ReadOurs(), IsError(ErrorCode::kLimitExceeded,
                                  HasSubstr("config files include too much")));
}

TEST(WildMatch, CaseIsIgnoredOnRequest) {
  EXPECT_FALSE(WildMatch("A*[b-d]", "abC"));
  EXPECT_TRUE(WildMatch("A*[b-d]", "abC", LetterCase::kIgnore));
  EXPECT_TRUE(WildMatch("[[:upper:]]x", "aX", LetterCase::kIgnore));
  EXPECT_TRUE(WildMatch("[A-C]", "b", LetterCase::kIgnore));
}

}  // namespace
}  // namespace zpack
