// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// exec runs Git over a file, as Git runs in the repository itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/someone.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ExecTest : public ::testing::Test {
 protected:
  ExecTest() : repo_(dir_ / "repo"), tip_(repo_.History(6)) {
    repo_.SetRef("refs/tags/v1", repo_.WriteTag(tip_, "commit", "v1"));
    repo_.SetRef("refs/other/kept", tip_);
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
  }

  ProcessResult Exec(const std::vector<std::string>& command,
                     const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"exec"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {file_, "--"});
    arguments.insert(arguments.end(), command.begin(), command.end());
    return RunZpack(arguments, Options());
  }
  ProcessOptions Options() const {
    ProcessOptions options;
    options.environment = {"XDG_CACHE_HOME=" + (dir_ / "cache")};
    return options;
  }
  std::vector<std::string> Cached() const {
    return ListDirectory(dir_ / "cache/git-zpack/exec");
  }
  void ExpectSame(const std::vector<std::string>& git) const {
    std::vector<std::string> command = {"git"};
    command.insert(command.end(), git.begin(), git.end());
    const ProcessResult expected = repo_.TryGit(git);
    const ProcessResult actual = Exec(command);
    EXPECT_EQ(actual.exit_code, expected.exit_code) << actual.err;
    EXPECT_EQ(actual.out, expected.out) << ::testing::PrintToString(git);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(ExecTest, GitAnswersAsInTheRepository) {
  for (int run = 0; run < 2; ++run) {
    ExpectSame({"log", "-p"});
    ExpectSame({"diff", "HEAD~2", "v1"});
    ExpectSame({"for-each-ref"});
    ExpectSame({"grep", "-c", ".", "HEAD"});
    ExpectSame({"show", "--no-such-option"});
    ExpectSame({"rev-parse", "HEAD", "--symbolic-full-name", "HEAD"});
    EXPECT_THAT(Cached(), SizeIs(1));
  }
}

TEST_F(ExecTest, SymbolicRefsStaySymbolic) {
  repo_.SetRef("refs/remotes/origin/main", tip_);
  for (const auto& [name, target] :
       {std::pair("refs/remotes/origin/HEAD", "refs/remotes/origin/main"),
        std::pair("refs/heads/alias", "refs/heads/main"),
        std::pair("refs/heads/unborn", "refs/heads/none")}) {
    repo_.Git({"symbolic-ref", name, target});
  }
  Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
          "convert");
  ExpectSame({"for-each-ref", "--format=%(refname) %(symref)"});
  ExpectSame({"symbolic-ref", "refs/remotes/origin/HEAD"});
  ExpectSame({"symbolic-ref", "refs/heads/unborn"});
}

TEST_F(ExecTest, TheEmptyTreeNeedNotBeStored) {
  CommitFields fields;
  fields.tree = kEmptyTree;
  fields.parents = {tip_};
  repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
  repo_.SetRef("refs/tags/tree", kEmptyTree);
  Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
          "convert");
  ExpectSame({"for-each-ref"});
  ExpectSame({"ls-tree", "HEAD"});
  ExpectSame({"show", "--stat", "HEAD"});
  ExpectSame({"cat-file", "-t", "tree"});
}

TEST_F(ExecTest, WarnsOfGrafts) {
  WriteFile(repo_.git_dir() + "/info/grafts", tip_ + '\n');
  Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
          "convert");
  const ProcessResult result = Exec({"git", "rev-list", "--count", "HEAD"});
  EXPECT_EQ(result.out, "6\n");
  EXPECT_THAT(result.err, HasSubstr("the grafts in 'info/grafts' are not "
                                    "applied"));
}

TEST_F(ExecTest, ContentsAreFetchedWhenTheyAreNeeded) {
  const std::vector<std::string> missing = {"git", "rev-list", "--objects",
                                            "--missing=print", "--all"};
  EXPECT_EQ(Exec({"git", "log", "--oneline"}).exit_code, 0);
  EXPECT_THAT(Exec(missing).out, HasSubstr("?"));
  EXPECT_EQ(Exec({"git", "log", "-p", "--all"}).exit_code, 0);
  EXPECT_EQ(Exec({"git", "log"}, {"--all"}).exit_code, 0);
  EXPECT_THAT(Exec(missing).out, ::testing::Not(HasSubstr("?")));
  EXPECT_THAT(Cached(), SizeIs(2));
}

// Git from 2.44 on obeys the variable.
TEST_F(ExecTest, ContentsAreFetchedWhereGitMayNotFetch) {
  ProcessOptions options = Options();
  options.environment.emplace_back("GIT_NO_LAZY_FETCH=1");
  EXPECT_EQ(RunZpack({"exec", file_, "sh", "-c",
                      "git show && echo ${GIT_NO_LAZY_FETCH-unset}"},
                     options)
                .out,
            repo_.TryGit({"show"}).out + "unset\n");
}

TEST_F(ExecTest, OptionsAfterTheCommandBelongToTheCommand) {
  const std::string expected = repo_.TryGit({"grep", "-n", ".", "HEAD"}).out;
  EXPECT_EQ(
      RunZpack({"exec", file_, "git", "grep", "-n", ".", "HEAD"}, Options())
          .out,
      expected);
  EXPECT_EQ(
      RunZpack({"exec", "--all", file_, "git", "log", "--all"}, Options()).out,
      repo_.TryGit({"log", "--all"}).out);
}

TEST_F(ExecTest, ACommandOfGitIsThatOfGit) {
  const std::string expected = repo_.TryGit({"grep", "-c", ".", "HEAD"}).out;
  EXPECT_EQ(Exec({"grep", "-c", ".", "HEAD"}).out, expected);
  EXPECT_EQ(RunZpack({"exec", file_, "log", "-3"}, Options()).out,
            repo_.TryGit({"log", "-3"}).out);
  EXPECT_EQ(Exec({"/bin/sh", "-c", "echo grep"}).out, "grep\n");
}

// Git asks for the blobs of each commit by themselves.
TEST_F(ExecTest, ManySmallFetchesBecomeOneOfAll) {
  repo_.SetRef("refs/heads/long", repo_.History(60));
  Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
          "convert");
  const std::string trace = dir_ / "trace";
  ProcessOptions options = Options();
  options.environment.push_back("GIT_TRACE=" + trace);
  const ProcessResult result = RunZpack(
      {"exec", file_, "git", "log", "--all", "-Sno such text", "--oneline"},
      options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("git zpack exec --all"));
  EXPECT_THAT(result.err, ::testing::Not(HasSubstr("Auto packing")));
  size_t fetches = 0;
  for (const std::string& line : SplitLines(ReadFile(trace))) {
    EXPECT_THAT(line, ::testing::Not(HasSubstr("gc --auto")));
    EXPECT_THAT(line, ::testing::Not(HasSubstr("maintenance run")));
    if (line.find("exec: git-remote-zpack") != std::string::npos) ++fetches;
  }
  EXPECT_GT(fetches, 8U);
  EXPECT_LT(fetches, 14U);
  ExpectSame({"log", "-p", "--all"});
  EXPECT_THAT(
      Exec({"git", "rev-list", "--objects", "--missing=print", "--all"}).out,
      ::testing::Not(HasSubstr("?")));
}

TEST_F(ExecTest, AMovedFileGetsARepositoryOfItsOwn) {
  EXPECT_EQ(Exec({"git", "log"}).exit_code, 0);
  std::filesystem::rename(file_, dir_ / "moved \"file\".zpack");
  file_ = dir_ / "moved \"file\".zpack";
  ExpectSame({"log", "-p"});
  EXPECT_THAT(Cached(), SizeIs(2));
}

TEST_F(ExecTest, AForgedTrailerDoesNotReachTheRepositoryOfAnotherFile) {
  constexpr size_t kHashSize = 32;
  const std::string good = file_;
  const std::string bytes = ReadFile(good);
  const RepoBuilder other(dir_ / "other");
  other.SetRef("refs/heads/main", other.SimpleCommit("forged"));
  file_ = dir_ / "forged.zpack";
  Require(RunZpack({"convert", "-q", other.path(), file_}).ok(), "convert");
  std::string forged = ReadFile(file_);
  // A file ends with its hash.
  forged.replace(forged.size() - kHashSize, kHashSize,
                 bytes.substr(bytes.size() - kHashSize));
  WriteFile(file_, forged);
  Exec({"git", "log"});
  file_ = good;
  ExpectSame({"log", "-p"});
}

TEST_F(ExecTest, ManyAtOnce) {
  std::vector<std::string> arguments = {
      "sh", "-c",
      "for i in 1 2 3 4; do \"$0\" exec \"$1\" -- git log -p & done; wait",
      ZpackBinary(), file_};
  const ProcessResult result = RunProcess(arguments, [&] {
    ProcessOptions options = Options();
    const auto hermetic = HermeticEnvironment(dir_.path());
    options.environment.insert(options.environment.end(), hermetic.begin(),
                               hermetic.end());
    return options;
  }());
  EXPECT_THAT(result.err, IsEmpty());
  const std::string one = repo_.Git({"log", "-p"}) + '\n';
  EXPECT_EQ(result.out.size(), 4 * one.size());
  EXPECT_THAT(Cached(), SizeIs(1));
}

TEST_F(ExecTest, ARepositoryThatWasCutOffIsMadeAgain) {
  namespace fs = std::filesystem;
  EXPECT_EQ(Exec({"git", "log"}).exit_code, 0);
  const std::string repository =
      dir_ / "cache/git-zpack/exec/" + Cached().front();
  // Of the first pack, which Git has fetched for the clone.
  const auto pack_file = [&](const std::string& extension) {
    std::ifstream in(repository + "/zpack-seal");
    std::string line;
    while (std::getline(in, line)) {
      line.resize(std::min(line.find(' '), line.size()));
      if (line.ends_with(extension)) break;
    }
    return "objects/pack/" + line;
  };
  for (const std::string file :
       {"HEAD", "packed-refs", "zpack-seal", ".pack", ".idx"}) {
    for (const bool to_half : {false, true}) {
      SCOPED_TRACE(file);
      const std::string path =
          repository + '/' + (file.starts_with('.') ? pack_file(file) : file);
      fs::permissions(path, fs::perms::owner_all);
      fs::resize_file(path, to_half ? fs::file_size(path) / 2 : 0);
      ExpectSame({"log", "-p"});
      ExpectSame({"show-ref"});
    }
  }
  EXPECT_THAT(Cached(), SizeIs(1));
}

TEST_F(ExecTest, ARepositoryThatLostAFileIsMadeAgain) {
  EXPECT_EQ(Exec({"git", "log"}).exit_code, 0);
  const std::string repository =
      dir_ / "cache/git-zpack/exec/" + Cached().front() + '/';
  for (const std::string file : {"HEAD", "packed-refs", "zpack-seal"}) {
    SCOPED_TRACE(file);
    ASSERT_TRUE(std::filesystem::remove(repository + file));
    ExpectSame({"for-each-ref"});
    ExpectSame({"log", "-p"});
  }
}

TEST_F(ExecTest, APipeInTheCacheHangsNothing) {
  EXPECT_EQ(Exec({"git", "log"}).exit_code, 0);
  for (const std::string file :
       {"HEAD", "packed-refs", "zpack-seal", "config", "zpack-fetches",
        "refs/heads/pipe", "objects/info/alternates", "shallow"}) {
    SCOPED_TRACE(file);
    const std::string path =
        dir_ / "cache/git-zpack/exec/" + Cached().front() + '/' + file;
    std::filesystem::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    ExpectSame({"log", "-p"});
  }
}

TEST_F(ExecTest, ARepositoryKeepsWhatCommandsWriteToIt) {
  EXPECT_EQ(Exec({"git", "update-ref", "refs/mine", "HEAD"}).exit_code, 0);
  EXPECT_EQ(Exec({"git", "pack-refs", "--all"}).exit_code, 0);
  EXPECT_EQ(Exec({"git", "gc", "-q"}).exit_code, 0);
  EXPECT_EQ(Exec({"git", "rev-parse", "refs/mine"}).out, tip_ + '\n');
}

TEST_F(ExecTest, TheRepositoryOfAnotherFileIsNotUsed) {
  namespace fs = std::filesystem;
  Exec({"git", "log"});
  const std::string cache = dir_ / "cache/git-zpack/exec/";
  const std::string name = Cached().front();
  const std::string first = file_;
  const RepoBuilder other(dir_ / "other");
  other.SetRef("refs/heads/main", other.SimpleCommit("other"));
  file_ = dir_ / "other.zpack";
  Require(RunZpack({"convert", "-q", other.path(), file_}).ok(), "convert");
  fs::rename(cache + name, dir_ / "moved");
  Exec({"git", "log"});
  fs::rename(cache + Cached().front(), cache + name);
  file_ = first;
  ExpectSame({"log", "-p"});
}

// Other users may write to the place of the cache, if it is /tmp.
TEST_F(ExecTest, WhatAnotherUserPlantedIsNotUsed) {
  namespace fs = std::filesystem;
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto give_away = [](const std::string& path) {
    Require(chown(path.c_str(), AsSomeone::kNobody, AsSomeone::kNobody) == 0,
            "chown");
  };
  Exec({"git", "log"});
  const std::string cache = dir_ / "cache/git-zpack/exec";
  const std::string repository = cache + '/' + Cached().front();
  fs::create_directory(repository + "/hooks");
  const std::string hook = repository + "/hooks/reference-transaction";
  WriteFile(hook, "#!/bin/sh\ntouch " + (dir_ / "ran") + '\n');
  fs::permissions(hook, fs::perms::owner_all);
  give_away(repository);
  EXPECT_EQ(Exec({"git", "update-ref", "refs/mine", "HEAD"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(dir_ / "ran"));
  for (const std::string& directory : {cache, dir_ / "cache/git-zpack"}) {
    give_away(directory);
    const ProcessResult result = Exec({"git", "log"});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err, HasSubstr("it belongs to another user"));
  }
}

TEST_F(ExecTest, ExitCodesAndSignalsAreThoseOfTheCommand) {
  EXPECT_EQ(Exec({"sh", "-c", "exit 7"}).exit_code, 7);
  EXPECT_EQ(Exec({"sh", "-c", "kill -TERM $$"}).signal, SIGTERM);
  EXPECT_EQ(Exec({"no-such-program"}).exit_code, 127);
  EXPECT_EQ(Exec({dir_.path()}).exit_code, 126);
  EXPECT_EQ(RunZpack({"exec", file_}, Options()).exit_code, 129);
  EXPECT_EQ(
      RunZpack({"exec", dir_ / "none", "--", "true"}, Options()).exit_code,
      128);
}

TEST_F(ExecTest, NoCacheIsAnError) {
  WriteFile(dir_ / "cache", "a file");
  const ProcessResult result = Exec({"git", "log"});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("unable to create"));
}

// Git sets variables there that name the objects of the push, and that keep
// every Git from changing refs.
TEST_F(ExecTest, WorksInAHookThatChecksAPush) {
  const RepoBuilder server(dir_ / "server");
  const std::string hook = server.path() + "/hooks/pre-receive";
  const std::string command = ZpackBinary() + " exec " + file_ + " -- git log";
  WriteFile(hook, "#!/bin/sh\nXDG_CACHE_HOME=" + (dir_ / "cache") + " exec " +
                      command + " --oneline\n");
  std::filesystem::permissions(hook, std::filesystem::perms::owner_all);
  const ProcessResult pushed =
      repo_.TryGit({"push", "-q", server.path(), tip_ + ":refs/heads/main"});
  EXPECT_EQ(pushed.exit_code, 0) << pushed.err;
  EXPECT_THAT(pushed.err, HasSubstr(tip_.substr(0, 7)));
}

}  // namespace
}  // namespace zpack::testing
