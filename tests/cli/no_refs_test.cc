// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Links that lead nowhere, pipes and sockets in place of refs, reflogs and
// their directories, above all those of a linked worktree: 'convert' goes on
// and says what is not included, 'repack' fails. They may keep objects alive,
// as those on a disk that is away.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "support/obstacle.h"
#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::array kNoRefs = {Obstacle::kDangling, Obstacle::kLoop,
                                Obstacle::kPipe, Obstacle::kSocket};

class NoRefsTest : public RepackFixture {
 protected:
  NoRefsTest() : RepackFixture(RepoBuilder::Kind::kWorkTree) {
    repo_.History(2);
    repo_.Git({"worktree", "add", "-q", "--detach", dir_ / "linked", "main"});
    repo_.Git({"repack", "-q", "-a", "-d"});
  }

  std::string Linked(const std::string& name) const {
    return repo_.git_dir() + "/worktrees/linked/" + name;
  }
  ProcessResult Convert(const std::string& repository) const {
    return RunZpack({"convert", "-f", repository, file_});
  }
  void ExpectWarning(const std::string& repository,
                     const std::string& name) const {
    const ProcessResult result = Convert(repository);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("warning: not included: "), HasSubstr(name)));
    EXPECT_EQ(RunZpack({"report", repository}).exit_code, 0);
  }
  void ExpectNoRepack(const std::string& repository,
                      const std::string& name) const {
    const auto before = FilesWith(pack_directory(), ".pack");
    const ProcessResult result = Repack(repository, {"-a", "-d"});
    EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, AllOf(HasSubstr("fatal: "), HasSubstr(name)));
    EXPECT_EQ(FilesWith(pack_directory(), ".pack"), before);
  }

  std::string file_ = dir_ / "x.zpack";
};

TEST_F(NoRefsTest, DirectoryOfOwnRefsOfAWorktree) {
  for (const char* const name :
       {"refs/bisect", "refs/worktree", "refs/rewritten", "refs/worktree/x"}) {
    for (const Obstacle kind : kNoRefs) {
      SCOPED_TRACE(std::string(name) + ' ' +
                   std::to_string(static_cast<int>(kind)));
      PutObstacle(kind, Linked(name));
      ExpectWarning(repo_.path(), std::string("worktrees/linked/") + name);
      ExpectNoRepack(repo_.path(), name);
      fs::remove_all(Linked("refs"));
    }
  }
}

TEST_F(NoRefsTest, HeadOfAWorktree) {
  for (const Obstacle kind : kNoRefs) {
    SCOPED_TRACE(static_cast<int>(kind));
    PutObstacle(kind, Linked("HEAD"));
    ExpectWarning(repo_.path(), "'worktrees/linked/HEAD' is not a regular");
    ExpectNoRepack(repo_.path(), "worktrees/linked");
  }
}

// As with core.preferSymlinkRefs.
TEST_F(NoRefsTest, HeadOfAWorktreeThatIsALinkToABranch) {
  fs::remove(Linked("HEAD"));
  fs::create_symlink("refs/heads/other", Linked("HEAD"));
  const ProcessResult result = Convert(repo_.path());
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err, Not(HasSubstr("not included")));
  EXPECT_EQ(RunZpack({"cat-extra", file_, "worktrees/linked/HEAD"}).out,
            "ref: refs/heads/other\n");
  EXPECT_TRUE(
      RunZpack({"verify", "-q", "--against", repo_.path(), file_}).ok());
}

TEST_F(NoRefsTest, StashIsARef) {
  fs::create_symlink("/nowhere/at/all", repo_.git_dir() + "/refs/stash");
  ExpectWarning(repo_.path(), "'refs/stash' is a link that leads nowhere");
  ExpectNoRepack(repo_.path(), "refs/stash");
}

TEST_F(NoRefsTest, DirectoryOfLooseObjectsThatIsAway) {
  const std::string path = repo_.git_dir() + "/objects/ab";
  PutObstacle(Obstacle::kDangling, path);
  const ProcessResult result = Convert(repo_.path());
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err, HasSubstr("warning: not included: '" + path +
                                    "' is a link that leads nowhere\n"));
}

TEST_F(NoRefsTest, DirectoryOfReflogsThatIsAway) {
  for (const char* const name : {"logs/refs/heads", "logs/refs"}) {
    for (const Obstacle kind : {Obstacle::kDangling, Obstacle::kLoop}) {
      const std::string path = repo_.git_dir() + '/' + name;
      PutObstacle(kind, path);
      const ProcessResult result = Convert(repo_.path());
      EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
      EXPECT_THAT(result.err, AllOf(HasSubstr("fatal: "), HasSubstr(path)));
      ExpectNoRepack(repo_.path(), name);
    }
  }
}

TEST_F(NoRefsTest, ReftablesOfAWorktree) {
  if (!GitIsSince(45)) GTEST_SKIP() << "Git knows no reftables";
  const std::string path = dir_ / "tables";
  const std::string tree = dir_ / "tables.tree";
  const auto git = [](const std::vector<std::string>& arguments,
                      const std::string& directory) {
    const ProcessResult result = RunGit(arguments, directory);
    EXPECT_TRUE(result.ok()) << ::testing::PrintToString(result);
    return result.out;
  };
  git({"init", "-q", "--ref-format=reftable", path}, dir_.path());
  git({"commit", "-q", "--allow-empty", "-m", "first"}, path);
  git({"worktree", "add", "-q", "--detach", tree}, path);
  git({"commit", "-q", "--allow-empty", "-m", "own"}, tree);
  const std::string own = SplitLines(git({"rev-parse", "HEAD"}, tree))[0];
  const std::string tables = path + "/.git/worktrees/tables.tree/reftable";
  for (const std::string& name : {tables + "/tables.list", tables}) {
    fs::rename(name, dir_ / "away");
    for (const Obstacle kind : {Obstacle::kDangling, Obstacle::kLoop}) {
      SCOPED_TRACE(name);
      PutObstacle(kind, name);
      ExpectWarning(path, name);
      ExpectNoRepack(path, name);
      fs::remove(name);
    }
    fs::rename(dir_ / "away", name);
  }
  EXPECT_EQ(Repack(path, {"-a", "-d"}).exit_code, 0);
  EXPECT_TRUE(RunGit({"cat-file", "-e", own}, path).ok());
}

}  // namespace
}  // namespace zpack::testing
