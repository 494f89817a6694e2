// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Repositories that are not what their commits say, with grafts of the one or
// the other kind: after 'repack -d', others can clone and fetch from them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

using RepackReadersTest = RepackFixture;

TEST_F(RepackReadersTest, BitmapOfARepositoryWithReplacedCommitsCanBeCloned) {
  const std::string head = repo_.History(20);
  // The replacement of a commit has neither its parent nor its tree.
  repo_.Git({"replace", head + "~5", repo_.SimpleCommit("instead\n")});
  ASSERT_TRUE(Repack({"-d", "-b"}).ok());
  ASSERT_THAT(FilesWith(pack_directory(), ".bitmap"), ::testing::SizeIs(1));
  const ProcessResult clone = repo_.TryGit(
      {"clone", "-q", "--bare", "--no-local", repo_.path(), dir_ / "clone"});
  ASSERT_TRUE(clone.ok()) << ::testing::PrintToString(clone);
  EXPECT_TRUE(RunGit({"fsck", "--full"}, dir_ / "clone").ok());
}

class RepackShallowTest : public RepackFixture {
 protected:
  // A clone of depth 2 whose branch then moved to another commit of depth 1, so
  // that the first boundary is unreachable.
  RepackShallowTest() {
    repo_.History(10);
    Require(RunGit({"clone", "-q", "--bare", "--depth=2",
                    "file://" + repo_.path(), clone()},
                   dir_.path())
                .ok(),
            "clone");
    old_ = ReadFile(clone() + "/shallow");
    repo_.History(14);
    Fetch({"--depth=1", "origin", "+main:main"});
  }

  std::string clone() const { return dir_ / "clone"; }
  void Fetch(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"-c", "gc.auto=0", "fetch", "-q"});
    const ProcessResult result = RunGit(arguments, clone());
    Require(result.ok(), "fetch: " + result.err);
  }
  std::string Shallow() const { return ReadFile(clone() + "/shallow"); }

  // The file as Git leaves it in a copy.
  std::string ByGit(const std::vector<std::string>& options) const {
    const std::string copy = dir_ / "copy";
    fs::remove_all(copy);
    fs::copy(clone(), copy, fs::copy_options::recursive);
    std::vector<std::string> arguments = {"repack", "-q", "-d"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    Require(RunGit(arguments, copy).ok(), "git repack");
    return ReadFile(copy + "/shallow");
  }
  void ExpectAsGit(const std::vector<std::string>& options) const {
    const std::string by_git = ByGit(options);
    std::vector<std::string> all = {"-d"};
    all.insert(all.end(), options.begin(), options.end());
    const ProcessResult result = Repack(clone(), all);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(Shallow(), by_git);
    EXPECT_FALSE(Exists(clone() + "/shallow.lock"));
  }

  std::string old_;
};

TEST_F(RepackShallowTest, CommitsThatGoLeaveTheBoundary) {
  ASSERT_THAT(Shallow(), HasSubstr(old_));
  ExpectAsGit({"-a"});
  EXPECT_THAT(Shallow(), ::testing::Not(HasSubstr(old_)));
  Fetch({"--unshallow", "origin"});
  EXPECT_FALSE(Exists(clone() + "/shallow"));
  EXPECT_TRUE(RunGit({"fsck", "--full"}, clone()).ok());
}

TEST_F(RepackShallowTest, CommitsThatStayStayInTheBoundary) {
  for (const char* const option : {"-A", "--cruft", "-k"}) {
    if (option != std::string("-k")) {
      ExpectAsGit({option});
    } else {
      ASSERT_TRUE(Repack(clone(), {"-d", option}).ok());
    }
    EXPECT_THAT(Shallow(), HasSubstr(old_)) << option;
  }
}

// It is there, and may be mended.
TEST_F(RepackShallowTest, DamagedCommitStaysInTheBoundary) {
  ASSERT_TRUE(Repack(clone(), {"-d", "-A"}).ok());
  const RepoBuilder shallow = RepoBuilder::Existing(clone());
  const std::string path = shallow.LooseObjectPath(old_.substr(0, IdDigits()));
  fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
  WriteFile(path, "damaged");
  ASSERT_TRUE(Repack(clone(), {"-d"}).ok());
  EXPECT_THAT(Shallow(), HasSubstr(old_));
}

TEST_F(RepackShallowTest, LockOfOthersStopsTheWorkAndStays) {
  WriteFile(clone() + "/shallow.lock", "being written\n");
  const auto before = Snapshot(clone());
  const ProcessResult result = Repack(clone(), {"-d"});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("shallow.lock': File exists"));
  EXPECT_TRUE(Snapshot(clone()) == before);
  EXPECT_EQ(Repack(clone(), {"-d", "-k"}).exit_code, 0);
}

TEST_F(RepackShallowTest, BoundaryWithoutCommitsIsRemoved) {
  WriteFile(clone() + "/shallow", FakeId('1') + '\n');
  const std::string blob = RepoBuilder::Existing(clone()).WriteBlob("blob\n");
  for (const std::string& ref : SplitLines(
           RunGit({"for-each-ref", "--format=%(refname)"}, clone()).out)) {
    RunGit({"update-ref", "-d", ref}, clone());
  }
  RunGit({"update-ref", "refs/tags/blob", blob}, clone());
  ASSERT_TRUE(Repack(clone(), {"-d"}).ok());
  EXPECT_FALSE(Exists(clone() + "/shallow"));
}

}  // namespace
}  // namespace zpack::testing
