// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A path on the command line is that repository, or none: another one that lies
// around it is never taken instead, unless that is asked for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

// A repository 'outer' with a repository 'outer/inner.git'.
class NamedRepositoryTest : public ::testing::Test {
 protected:
  NamedRepositoryTest()
      : outer_(dir_ / "outer", RepoBuilder::Kind::kWorkTree),
        inner_(dir_ / "outer/inner.git"),
        file_(dir_ / "x.zpack") {
    outer_.History(2);
    inner_.SetRef("refs/heads/main", inner_.SimpleCommit("inner"));
    Require(RunZpack({"convert", "-q", inner_.path(), file_}).ok(), "convert");
  }

  // Every command that takes a repository says of `path` that it is none.
  void ExpectNoRepository(const std::string& path) {
    const std::string archive = ReadFile(file_);
    const std::vector<std::vector<std::string>> commands = {
        {"convert", "-f", "--base", file_, path, file_},
        {"convert", path, dir_ / "new.zpack"},
        {"verify", "--against", path, file_},
        {"repack", "-d", path}};
    for (const auto& command : commands) {
      const ProcessResult result = RunZpack(command);
      EXPECT_EQ(result.exit_code, 128) << command.front() << ' ' << path;
      EXPECT_THAT(result.out, IsEmpty());
      EXPECT_THAT(result.err, HasSubstr("fatal: not a git repository: '"));
    }
    EXPECT_EQ(ReadFile(file_), archive);
    EXPECT_FALSE(Exists(dir_ / "new.zpack"));
  }

  // The git directory that 'convert --json' used.
  std::string GitDirectory(const std::vector<std::string>& arguments,
                           const ProcessOptions& options = {}) {
    std::vector<std::string> command = {"convert", "-f", "--json"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.push_back(dir_ / "y.zpack");
    const ProcessResult result = RunZpack(command, options);
    if (!result.ok()) return result.err;
    return Json::parse(result.out)["git_directory"];
  }

  // With '--discover' from `path`, with these variables.
  std::string Discover(const std::string& path,
                       const std::vector<std::string>& environment = {}) {
    ProcessOptions options;
    options.environment = environment;
    return GitDirectory({"--discover", path}, options);
  }

  TempDir dir_;
  RepoBuilder outer_;
  RepoBuilder inner_;
  std::string file_;
};

TEST_F(NamedRepositoryTest, IncompleteRepositoryIsNotTheOneAroundIt) {
  const std::string unreachable = outer_.WriteBlob("nothing refers to this");
  outer_.PackAll();
  for (const char* const part : {"HEAD", "objects", "refs"}) {
    fs::rename(inner_.path() + '/' + part, dir_ / "away");
    ExpectNoRepository(inner_.path());
    fs::rename(dir_ / "away", inner_.path() + '/' + part);
  }
  EXPECT_EQ(GitDirectory({inner_.path()}), inner_.path());
  EXPECT_EQ(outer_.Git({"cat-file", "-t", unreachable}), "blob");
}

TEST_F(NamedRepositoryTest, PathInsideARepositoryIsNone) {
  fs::create_directories(dir_ / "outer/sub");
  WriteFile(dir_ / "outer/file", "x");
  ExpectNoRepository(dir_ / "outer/sub");
  ExpectNoRepository(dir_ / "outer/file");
  ExpectNoRepository(outer_.git_dir() + "/refs");
  ExpectNoRepository(inner_.path() + "/objects");
  ExpectNoRepository(dir_ / "outer/gone");
  EXPECT_THAT(RunZpack({"convert", "", dir_ / "new.zpack"}).err,
              HasSubstr("not a git repository"));
}

TEST_F(NamedRepositoryTest, RefusalNamesTheRepositoryAroundThePath) {
  fs::create_directories(dir_ / "outer/sub");
  const ProcessResult result =
      RunZpack({"convert", dir_ / "outer/sub", dir_ / "y.zpack"});
  EXPECT_EQ(result.err, "fatal: not a git repository: '" + dir_ / "outer/sub" +
                            "'; the one around it is '" + outer_.git_dir() +
                            "', which --discover finds\n");
}

TEST_F(NamedRepositoryTest, EveryFormOfARepositoryNamesIt) {
  const std::string git_dir = outer_.git_dir();
  EXPECT_EQ(GitDirectory({outer_.path()}), git_dir);
  EXPECT_EQ(GitDirectory({outer_.path() + '/'}), git_dir);
  EXPECT_EQ(GitDirectory({git_dir}), git_dir);
  EXPECT_EQ(GitDirectory({inner_.path()}), inner_.path());
  outer_.Git({"worktree", "add", "-q", "-b", "topic", dir_ / "linked"});
  EXPECT_EQ(GitDirectory({dir_ / "linked"}), git_dir + "/worktrees/linked");
  EXPECT_EQ(GitDirectory({dir_ / "linked/.git"}),
            git_dir + "/worktrees/linked");
  fs::create_directory_symlink(outer_.path(), dir_ / "link");
  EXPECT_EQ(GitDirectory({dir_ / "link"}), git_dir);
  ProcessOptions here;
  here.directory = outer_.path();
  EXPECT_EQ(GitDirectory({"."}, here), git_dir);
}

TEST_F(NamedRepositoryTest, GitFilesThatLeadNowhereAreNamed) {
  const auto error = [&](const std::string& content) {
    WriteFile(dir_ / "outer/sub/.git", content);
    return RunZpack({"convert", dir_ / "outer/sub", dir_ / "y.zpack"}).err;
  };
  EXPECT_THAT(error("gitdir: ../gone\n"),
              HasSubstr("fatal: not a git repository: '../gone'"));
  EXPECT_THAT(error("../inner.git\n"), HasSubstr("invalid gitfile format"));
  EXPECT_EQ(error("gitdir: ../inner.git\n").find("fatal"), std::string::npos);
}

TEST_F(NamedRepositoryTest, VariablesOfGitDoNotReplaceThePath) {
  ProcessOptions options;
  options.environment = {"GIT_DIR=" + outer_.git_dir(),
                         "GIT_WORK_TREE=" + outer_.path()};
  EXPECT_EQ(GitDirectory({inner_.path()}, options), inner_.path());
  EXPECT_EQ(GitDirectory({"--discover", inner_.path() + "/refs"}, options),
            inner_.path());
}

TEST_F(NamedRepositoryTest, DiscoveryFindsTheNearestRepositoryAbove) {
  fs::create_directories(dir_ / "outer/a/b");
  EXPECT_EQ(Discover(dir_ / "outer/a/b"), outer_.git_dir());
  EXPECT_EQ(Discover(outer_.path()), outer_.git_dir());
  EXPECT_EQ(Discover(inner_.path() + "/refs/heads"), inner_.path());
  WriteFile(dir_ / "outer/a/file", "x");
  EXPECT_EQ(Discover(dir_ / "outer/a/file"), outer_.git_dir());
  fs::create_directories(dir_ / "none");
  EXPECT_THAT(
      Discover(dir_ / "none", {"GIT_CEILING_DIRECTORIES=/",
                               "GIT_DISCOVERY_ACROSS_FILESYSTEM=1"}),
      HasSubstr("(or any of the parent directories): '" + dir_ / "none'"));
}

TEST_F(NamedRepositoryTest, DiscoveryServesVerifyAndRepackToo) {
  const std::string inside = inner_.path() + "/refs";
  const ProcessResult verified =
      RunZpack({"verify", "--discover", "--against", inside, file_});
  EXPECT_EQ(verified.exit_code, 0);
  EXPECT_THAT(verified.out, HasSubstr(", compared with '" + inner_.path()));
  const ProcessResult repacked = RunZpack({"repack", "--discover", inside});
  EXPECT_EQ(repacked.exit_code, 0);
  EXPECT_THAT(repacked.err, HasSubstr('\'' + inner_.path() + '\''));
  EXPECT_EQ(RunZpack({"verify", "--discover", file_}).exit_code, 129);
}

TEST_F(NamedRepositoryTest, DiscoveryStopsBelowCeilings) {
  fs::create_directories(dir_ / "outer/a/b");
  const std::string start = dir_ / "outer/a/b";
  const auto below = [&](const std::string& ceilings) {
    return Discover(start, {"GIT_CEILING_DIRECTORIES=" + ceilings});
  };
  EXPECT_THAT(below(outer_.path()), HasSubstr("not a git repository"));
  EXPECT_THAT(below("relative:" + dir_ / "outer/a"),
              HasSubstr("not a git repository"));
  // Where the search starts, and what is above the repository, do not count.
  EXPECT_EQ(below(start), outer_.git_dir());
  EXPECT_EQ(below(dir_.path()), outer_.git_dir());
  EXPECT_EQ(below(dir_ / "elsewhere"), outer_.git_dir());
  fs::create_directory_symlink(outer_.path(), dir_ / "link");
  EXPECT_THAT(below(dir_ / "link/"), HasSubstr("not a git repository"));
  EXPECT_EQ(below(':' + dir_ / "link"), outer_.git_dir());
}

TEST_F(NamedRepositoryTest, RelativeCeilingsAreIgnored) {
  fs::create_directories(dir_ / "outer/a/b");
  ProcessOptions here;
  here.directory = dir_.path();
  here.environment = {"GIT_CEILING_DIRECTORIES=outer"};
  EXPECT_EQ(GitDirectory({"--discover", "outer/a/b"}, here), outer_.git_dir());
}

TEST_F(NamedRepositoryTest, DiscoveryStopsWhereAnotherFileSystemBegins) {
  fs::create_directories(dir_ / "outer/mount");
  const auto run = [&](const std::string& before) {
    return RunProcess({"unshare", "-rm", "sh", "-c",
                       "mount -t tmpfs none \"$1\" && mkdir \"$1\"/sub && " +
                           before +
                           " \"$0\" convert --discover \"$1\"/sub \"$2\"",
                       ZpackBinary(), dir_ / "outer/mount", dir_ / "y.zpack"});
  };
  if (!RunProcess({"unshare", "-rm", "mount", "-t", "tmpfs", "none",
                   dir_ / "outer/mount"})
           .ok()) {
    GTEST_SKIP() << "needs user namespaces";
  }
  const ProcessResult stopped = run("");
  EXPECT_EQ(stopped.exit_code, 128);
  EXPECT_THAT(stopped.err, HasSubstr("any parent up to mount point '" +
                                     dir_ / "outer/mount'"));
  EXPECT_EQ(run("GIT_DISCOVERY_ACROSS_FILESYSTEM=1").exit_code, 0);
}

TEST_F(NamedRepositoryTest, SummariesNameTheGitDirectory) {
  const std::string name = '\'' + outer_.git_dir() + '\'';
  const std::string file = dir_ / "o.zpack";
  EXPECT_THAT(RunZpack({"convert", outer_.path(), file}).err, HasSubstr(name));
  EXPECT_THAT(RunZpack({"verify", "--against", outer_.path(), file}).out,
              HasSubstr(name));
  EXPECT_THAT(RunZpack({"verify", file}).out, Not(HasSubstr("compared")));
  EXPECT_THAT(RunZpack({"repack", "-d", outer_.path()}).err, HasSubstr(name));
  const auto directory = [](const std::vector<std::string>& command) {
    return Json::parse(RunZpack(command).out)["git_directory"];
  };
  EXPECT_EQ(directory({"verify", "--json", "--against", outer_.path(), file}),
            outer_.git_dir());
  EXPECT_EQ(directory({"verify", "--json", file}), nullptr);
  EXPECT_EQ(directory({"repack", "--json", outer_.path()}), outer_.git_dir());
}

TEST_F(NamedRepositoryTest, BaseThatSharesNothingIsWarnedOf) {
  const auto convert = [&](const std::vector<std::string>& options,
                           const std::string& repository) {
    std::vector<std::string> command = {"convert", "--base", file_};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {"-f", repository, dir_ / "y.zpack"});
    return RunZpack(command);
  };
  const ProcessResult other = convert({}, outer_.path());
  EXPECT_EQ(other.exit_code, 0);
  EXPECT_THAT(other.err, HasSubstr("warning: "));
  EXPECT_THAT(other.err, HasSubstr("is the file of another repository"));
  EXPECT_EQ(
      Json::parse(convert({"--json"}, outer_.path()).out)["base"]["unrelated"],
      true);
  inner_.SetRef("refs/heads/more", inner_.SimpleCommit("more"));
  EXPECT_THAT(convert({}, inner_.path()).err, Not(HasSubstr("warning")));
  EXPECT_EQ(
      Json::parse(convert({"--json"}, inner_.path()).out)["base"]["unrelated"],
      false);
}

TEST_F(NamedRepositoryTest, BaseOfAnEmptyRepositoryIsNotWarnedOf) {
  const RepoBuilder empty(dir_ / "empty");
  ASSERT_TRUE(RunZpack({"convert", "-f", "-q", empty.path(), file_}).ok());
  const ProcessResult grown =
      RunZpack({"convert", "--base", file_, inner_.path(), dir_ / "y.zpack"});
  EXPECT_EQ(grown.exit_code, 0);
  EXPECT_THAT(grown.err, Not(HasSubstr("warning")));
}

TEST_F(NamedRepositoryTest, ARepositoryInPlaceOfAFileIsNamed) {
  for (const std::string& path : {outer_.path(), inner_.path()}) {
    const std::string why = "'" + path +
                            "' is a Git repository, not a .zpack file; to make "
                            "a file of it: git zpack convert '" +
                            path + "' <file>";
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"verify", path},
          {"show", path},
          {"show", "--stats", path},
          {"restore", path, dir_ / "out"},
          {"salvage", path, dir_ / "out"},
          {"list-refs", path},
          {"list-files", path},
          {"ls-tree", path, "HEAD"},
          {"cat-file", "-p", path, "HEAD"},
          {"rev-list", path, "HEAD"},
          {"archive", path, "HEAD"},
          {"diff", file_, path},
          {"exec", path, "git", "log"},
          {"protect", path},
          {"repair", path}}) {
      const ProcessResult result = RunZpack(command);
      EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(command);
      EXPECT_EQ(result.err, "fatal: " + why + '\n');
    }
  }
  // Of several files, the others are checked.
  const ProcessResult several = RunZpack({"verify", file_, outer_.path()});
  EXPECT_EQ(several.exit_code, 128);
  EXPECT_THAT(several.out, HasSubstr("x.zpack"));
  EXPECT_THAT(RunZpack({"verify", dir_.path()}).err,
              HasSubstr("not a regular file"));
}

// What only these need would seem to be unreachable.
TEST_F(NamedRepositoryTest, RepackRefusesPartsInOtherPlaces) {
  for (const std::string name :
       {"GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_GRAFT_FILE",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE",
        "GIT_COMMON_DIR", "GIT_REPLACE_REF_BASE"}) {
    ProcessOptions options;
    options.environment = {name + "=/elsewhere"};
    const ProcessResult result = RunZpack({"repack", inner_.path()}, options);
    EXPECT_EQ(result.exit_code, 128) << name;
    EXPECT_THAT(result.err,
                HasSubstr("fatal: " + name + " is set to '/elsewhere'"));
  }
  // Git sets them so for hooks.
  const std::string git_dir = inner_.git_dir();
  ProcessOptions own;
  own.environment = {"GIT_OBJECT_DIRECTORY=" + git_dir + "/objects",
                     "GIT_COMMON_DIR=" + git_dir,
                     "GIT_INDEX_FILE=" + git_dir + "/index",
                     "GIT_GRAFT_FILE=" + git_dir + "/info/grafts",
                     "GIT_SHALLOW_FILE=" + git_dir + "/shallow",
                     "GIT_REPLACE_REF_BASE=refs/replace/"};
  EXPECT_TRUE(RunZpack({"repack", "-q", inner_.path()}, own).ok());
  const std::string linked = dir_ / "linked";
  inner_.Git({"worktree", "add", "-q", "--detach", linked});
  own.environment = {"GIT_INDEX_FILE=" + git_dir + "/worktrees/linked/index",
                     "GIT_OBJECT_DIRECTORY=" + git_dir + "/objects"};
  EXPECT_TRUE(RunZpack({"repack", "-q", linked}, own).ok());
  std::filesystem::create_directory(linked + "/below");
  EXPECT_TRUE(
      RunZpack({"repack", "-q", "--discover", linked + "/below"}, own).ok());
}

// Other commands would not find what Git finds there.
TEST_F(NamedRepositoryTest, ObjectsOfAnotherPlaceAreRefused) {
  const std::string objects = inner_.git_dir() + "/objects";
  const std::vector<std::vector<std::string>> commands = {
      {"convert", "-q", inner_.path(), dir_ / "new.zpack"},
      {"verify", "-q", "--against", inner_.path(), dir_ / "new.zpack"}};
  for (const auto& command : commands) {
    for (const std::string name :
         {"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"}) {
      ProcessOptions options;
      options.environment = {name + "=/elsewhere"};
      const ProcessResult result = RunZpack(command, options);
      EXPECT_EQ(result.exit_code, 128);
      EXPECT_THAT(result.err,
                  HasSubstr("fatal: " + name + " is set to '/elsewhere'"));
    }
    EXPECT_EQ(Exists(dir_ / "new.zpack"), command.front() != "convert");
    ProcessOptions own;
    own.environment = {"GIT_OBJECT_DIRECTORY=" + objects};
    const ProcessResult result = RunZpack(command, own);
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
}

// Git then takes refs from another place, for which a repack would drop
// objects.
TEST_F(NamedRepositoryTest, RefsOfAnotherPlaceAreRefused) {
  ProcessOptions options;
  options.environment = {"GIT_REFERENCE_BACKEND=reftable:/elsewhere"};
  const std::vector<std::vector<std::string>> commands = {
      {"convert", inner_.path(), dir_ / "new.zpack"},
      {"verify", "--against", inner_.path(), file_},
      {"repack", "-d", inner_.path()}};
  for (const auto& command : commands) {
    const ProcessResult result = RunZpack(command, options);
    EXPECT_EQ(result.exit_code, 128) << command.front();
    EXPECT_THAT(result.err, HasSubstr("fatal: GIT_REFERENCE_BACKEND is set to "
                                      "'reftable:/elsewhere'"));
  }
  EXPECT_FALSE(Exists(dir_ / "new.zpack"));
  EXPECT_TRUE(RunZpack({"verify", "-q", file_}, options).ok());
}

}  // namespace
}  // namespace zpack::testing
