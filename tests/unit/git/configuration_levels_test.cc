// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The configuration of all levels, with includes, compared with what Git reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "git/config/configuration.h"
#include "git/config/configuration_text.h"
#include "git/repack/repack_configuration.h"
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
using ::testing::Not;
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
                           FindRepository(current_.empty() ? repo_.path() : ".",
                                          Discovery::kNone));
    ZPACK_ASSIGN_OR_RETURN(const RepositoryFormat format,
                           ReadRepositoryFormat(location));
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
    options.directory = current_.empty() ? repo_.path() : current_;
    options.environment = {"HOME=" + home_,
                           "XDG_CONFIG_HOME=",
                           "GIT_CONFIG_NOSYSTEM=1",
                           "LC_ALL=C",
                           "GIT_CONFIG_PARAMETERS=" + parameters_,
                           "PWD=" + pwd_};
    return RunProcess({"git", "config", "--list", "-z"}, options);
  }

  // Both read the same.
  void ExpectSame(const std::string& what) const {
    const GitEnvironment environment(home_, parameters_);
    const Variable pwd("PWD", pwd_);
    const fs::path before = fs::current_path();
    if (!current_.empty()) fs::current_path(current_);
    const ProcessResult expected = ReadGits();
    const auto ours = ReadOurs();
    fs::current_path(before);
    ASSERT_EQ(ours.has_value(), expected.ok())
        << what << ": " << (ours ? "" : ours.error().message) << expected.err;
    if (ours) {
      EXPECT_EQ(*ours, expected.out) << what;
    }
  }

  // The repository includes a file under this condition, or always.
  void Include(const std::string& condition, const std::string& path) const {
    std::string text = ReadFile(InRepo("config"));
    if (condition.empty()) {
      AppendSection("include", std::nullopt, text);
    } else {
      AppendSection("includeIf", condition, text);
    }
    AppendEntry("path", path.c_str(), text);
    WriteFile(InRepo("config"), text + "[after]\n\tx = 1\n");
  }

  testing::TempDir dir_;
  std::string home_ = dir_ / "home";
  testing::RepoBuilder repo_{dir_ / "work/Repo",
                             testing::RepoBuilder::Kind::kWorkTree};
  std::string parameters_;
  // Where commands run, and what they think of it; empty for the repository,
  // and for nothing.
  std::string current_;
  std::string pwd_;
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

// HEAD names a symbolic ref, which names another one, and so on.
TEST_F(ConfigurationLevelsTest, TheBranchIsAtTheEndOfAChain) {
  WriteFile(InRepo("extra"), "[b]\n\tx = y\n");
  for (const char* branch : {"one", "two", "three", "four", "five", "six"}) {
    Include(std::string("onbranch:") + branch, "extra");
  }
  Include("onbranch:**", "extra");
  const std::string commit = repo_.SimpleCommit("a commit");
  const auto point = [&](const std::string& from, const std::string& to) {
    repo_.WriteLooseRef(from, to.size() == testing::IdDigits()
                                  ? to + '\n'
                                  : "ref: " + to + '\n');
  };
  point("HEAD", "refs/heads/one");
  ExpectSame("unborn");
  const std::array<std::string, 6> names = {"one",  "two",  "three",
                                            "four", "five", "six"};
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    point("refs/heads/" + names[i], "refs/heads/" + names[i + 1]);
    ExpectSame("to " + names[i + 1]);
  }
  point("refs/heads/three", commit);
  ExpectSame("to three, which has a commit");
  repo_.Git({"pack-refs", "--all"});
  ExpectSame("packed");
  point("refs/heads/three", "refs/bisect/bad");
  ExpectSame("to no branch");
  point("refs/heads/three", "refs/heads/..");
  ExpectSame("to no name");
  WriteFile(InRepo("refs/heads/three"), "garbage\n");
  ExpectSame("broken");
  point("refs/heads/three", "refs/heads/one");
  ExpectSame("a circle");
}

// The name under which the user knows the directory counts as well.
TEST_F(ConfigurationLevelsTest, ConditionsHoldThroughALink) {
  WriteFile(InRepo("extra"), "[b]\n\tx = y\n");
  fs::create_directory_symlink(dir_ / "work", dir_ / "link");
  fs::create_directory_symlink(dir_ / "work/Repo/.git", dir_ / "bare");
  WriteFile(InRepo("config"), ReadFile(InRepo("config")) + "\tbare = false\n");
  const std::string config = ReadFile(InRepo("config"));
  const std::string link = dir_ / "link";
  for (const std::string& condition :
       {"gitdir:" + link + "/", "gitdir:" + link + "/Repo/",
        "gitdir:" + link + "/Repo/.git", "gitdir/i:" + link + "/repo/",
        "gitdir:" + dir_.path() + "/bare", "gitdir:" + dir_.path() + "/bare/",
        std::string("gitdir:link/"), std::string("gitdir:work/"),
        std::string("gitdir:bare/"), std::string("gitdir:./")}) {
    WriteFile(InRepo("config"), config);
    Include(condition, "extra");
    for (const std::string& current :
         {link + "/Repo", dir_ / "bare", dir_ / "work/Repo",
          link + "/Repo/.git"}) {
      for (const std::string& pwd : {current, dir_ / "elsewhere"}) {
        current_ = current;
        pwd_ = pwd;
        ExpectSame(condition + " in " + current + " as " + pwd);
      }
    }
  }
}

TEST_F(ConfigurationLevelsTest, WorktreesMayHaveTheirOwnPlace) {
  const std::string main = ReadFile(InRepo("config"));
  repo_.SetRef("refs/heads/main", repo_.SimpleCommit("a commit"));
  repo_.Git({"worktree", "add", "-q", "--detach", dir_ / "linked"});
  const std::string linked = InRepo("worktrees/linked/config.worktree");
  const auto expect = [&](const std::string& path) {
    ProcessOptions options;
    options.directory = path;
    options.environment = {"HOME=" + home_, "GIT_CONFIG_NOSYSTEM=1"};
    const std::string bare =
        RunProcess({"git", "rev-parse", "--is-bare-repository"}, options).out;
    const GitEnvironment environment(home_, "");
    const auto location = FindRepository(path, Discovery::kNone);
    ASSERT_THAT(location, IsOk());
    const auto settings = ReadRepackSettings(*location);
    ASSERT_THAT(settings, IsOk());
    EXPECT_EQ(settings->bare ? "true\n" : "false\n", bare) << path;
  };
  const std::string extension = "[extensions]\n\tworktreeConfig = true\n";
  for (const std::string& common :
       {main, main + "\tbare = true\n", main + "\tbare = false\n",
        main + extension, main + "\tbare = true\n" + extension,
        main + "\tbare = false\n" + extension}) {
    WriteFile(InRepo("config"), common);
    for (const std::string own :
         {"", "[core]\n\tbare = true\n", "[core]\n\tbare = false\n"}) {
      SCOPED_TRACE(common + "---\n" + own);
      WriteFile(InRepo("config.worktree"), own);
      WriteFile(linked, own);
      expect(repo_.path());
      expect(dir_ / "linked");
    }
  }
}

TEST_F(ConfigurationLevelsTest, PacksHaveALimitOnlyIfOneIsSet) {
  const std::string config = ReadFile(InRepo("config"));
  const std::vector<std::pair<std::string, uint64_t>> cases = {
      {"", 0},
      {"[pack]\n\tpackSizeLimit = 0\n", 0},
      {"[pack]\n\tpackSizeLimit = 1\n", uint64_t{1} << 20},
      {"[pack]\n\tpackSizeLimit = 3m\n", uint64_t{3} << 20},
  };
  for (const auto& [setting, limit] : cases) {
    SCOPED_TRACE(setting);
    WriteFile(InRepo("config"), config + setting);
    const GitEnvironment environment(home_, "");
    const auto location = FindRepository(repo_.path(), Discovery::kNone);
    ASSERT_THAT(location, IsOk());
    const auto settings = ReadRepackSettings(*location);
    ASSERT_THAT(settings, IsOk());
    EXPECT_EQ(settings->max_pack_size, limit);
  }
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

// As in Git 2.39. Git 2.55 reports the same error, but includes the file.
TEST_F(ConfigurationLevelsTest, AConditionRelativeToNoFileDoesNotHold) {
  WriteFile(dir_ / "x", "[z]\n\ty = 1\n");
  for (const std::string condition : {"gitdir:./", "gitdir/i:./repo/"}) {
    const std::string setting = "includeIf." + condition + ".path";
    for (const std::string& path : {std::string("x"), dir_ / "x"}) {
      const GitEnvironment environment(
          home_, "'" + setting + "'='" + path + "' 'z.after'='2'");
      const auto ours = ReadOurs();
      ASSERT_THAT(ours, IsOk()) << setting;
      EXPECT_THAT(*ours, HasSubstr("z.after\n2"));
      EXPECT_THAT(*ours, Not(HasSubstr("z.y")));
    }
  }
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
