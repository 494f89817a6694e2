// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A repository that is restored with reftables has the same refs and reflogs as
// the one that was converted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/repository_files_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RestoreReftableTest : public RepositoryFilesFixture {
 protected:
  // Converts, restores with reftables, and converts the result. Both files hold
  // the same.
  void ExpectTheSame() {
    ASSERT_TRUE(Convert().ok());
    const ProcessResult restored = Restore({"--ref-format=reftable"});
    ASSERT_TRUE(restored.ok()) << restored.err;
    EXPECT_EQ(InRestored("HEAD"), "ref: refs/heads/.invalid\n");
    EXPECT_TRUE(fs::is_regular_file(restored_ + "/refs/heads"));
    EXPECT_FALSE(fs::exists(restored_ + "/packed-refs"));
    EXPECT_FALSE(fs::exists(restored_ + "/logs"));
    EXPECT_THAT(InRestored("config"),
                AllOf(HasSubstr("repositoryformatversion = 1"),
                      HasSubstr("refstorage = reftable")));
    const ProcessResult verified = VerifyAgainst(restored_);
    EXPECT_TRUE(verified.ok()) << verified.err;
    // Back to files, which Git of any version reads.
    const std::string again = dir_ / "again.zpack";
    ASSERT_TRUE(RunZpack({"convert", "-q", "-f", restored_, again}).ok());
    EXPECT_EQ(RunZpack({"list-refs", "--symref", "-d", again}).out,
              RunZpack({"list-refs", "--symref", "-d", file_}).out);
    EXPECT_EQ(RunZpack({"list-files", again}).out, ListFiles());
  }
};

TEST_F(RestoreReftableTest, RefsAndReflogsSurvive) {
  for (const char* content : {"stashed", "stashed later"}) {
    WriteFile(repo_.path() + "/file", content);
    repo_.Git({"stash", "push", "-m", content});
  }
  repo_.Git({"tag", "-a", "-m", "v1", "v1"});
  repo_.Git({"tag", "-a", "-m", "nested", "nested", "v1"});
  repo_.Git({"symbolic-ref", "refs/heads/alias", "refs/heads/main"});
  repo_.Git({"symbolic-ref", "refs/heads/dangling", "refs/heads/none"});
  repo_.Git({"branch", "deep/er/branch"});
  ExpectTheSame();
}

TEST_F(RestoreReftableTest, DetachedHeadSurvives) {
  repo_.Git({"checkout", "-q", "--detach"});
  ExpectTheSame();
}

TEST_F(RestoreReftableTest, UnbornHeadSurvives) {
  repo_.Git({"symbolic-ref", "HEAD", "refs/heads/unborn"});
  ExpectTheSame();
}

TEST_F(RestoreReftableTest, EmptyReflogSurvives) {
  WriteFile(InGitDir("logs/refs/heads/main"), "");
  ExpectTheSame();
}

TEST_F(RestoreReftableTest, LongReflogsSurvive) {
  const std::string id = repo_.Git({"rev-parse", "HEAD"});
  std::string log;
  for (int i = 0; i < 3000; ++i) {
    log += id + ' ' + id + " A U Thor <a@b> " + std::to_string(1700000000 + i) +
           " +0100\tentry " + std::to_string(i) + '\n';
  }
  WriteFile(InGitDir("logs/refs/heads/main"), log);
  ExpectTheSame();
}

TEST_F(RestoreReftableTest, ShallowBoundarySurvives) {
  WriteFile(InGitDir("shallow"), repo_.Git({"rev-parse", "HEAD"}) + '\n');
  ExpectTheSame();
}

TEST_F(RestoreReftableTest, LinkedWorktreesHaveTablesOfTheirOwn) {
  repo_.Git({"worktree", "add", "-q", "-b", "topic", dir_ / "one"});
  repo_.Git({"worktree", "add", "-q", "--detach", dir_ / "two"});
  ExpectTheSame();
  for (const std::string name : {"worktrees/one/", "worktrees/two/"}) {
    EXPECT_EQ(InRestored(name + "HEAD"), "ref: refs/heads/.invalid\n");
    EXPECT_TRUE(fs::exists(restored_ + '/' + name + "reftable/tables.list"));
    EXPECT_TRUE(fs::is_regular_file(restored_ + '/' + name + "refs/heads"));
    EXPECT_FALSE(fs::exists(restored_ + '/' + name + "logs"));
  }
}

// Git cannot compact tables with longer ones.
TEST_F(RestoreReftableTest, LongMessagesAreCutOff) {
  const std::string id = repo_.Git({"rev-parse", "HEAD"});
  const std::string line = id + ' ' + id + " A <a@b> 1700000000 +0100\t";
  WriteFile(InGitDir("logs/refs/heads/main"),
            line + std::string(5000, 'x') + '\n');
  ASSERT_TRUE(Convert().ok());
  ASSERT_TRUE(Restore({"--ref-format=reftable"}).ok());
  ASSERT_TRUE(RunZpack({"convert", "-q", "-f", restored_, file_}).ok());
  EXPECT_EQ(RunZpack({"cat-extra", file_, "logs/refs/heads/main"}).out,
            line + std::string(2048, 'x') + '\n');
}

TEST_F(RestoreReftableTest, EmptyRepository) {
  const RepoBuilder empty(dir_ / "empty");
  ASSERT_TRUE(RunZpack({"convert", "-q", "-f", empty.path(), file_}).ok());
  ASSERT_TRUE(Restore({"--ref-format", "reftable"}).ok());
  EXPECT_TRUE(VerifyAgainst(restored_).ok());
}

TEST_F(RestoreReftableTest, CanBeReplaced) {
  ExpectTheSame();
  ASSERT_TRUE(Restore({"--ref-format=files"}).ok());
  EXPECT_EQ(InRestored("HEAD"), "ref: refs/heads/main\n");
  EXPECT_FALSE(fs::exists(restored_ + "/reftable"));
  EXPECT_TRUE(VerifyAgainst(restored_).ok());
}

TEST_F(RestoreReftableTest, ReflogThatNoTableCanHoldIsNamed) {
  WriteFile(InGitDir("logs/refs/heads/main"), "not an entry\n");
  ASSERT_TRUE(Convert().ok());
  const ProcessResult restored = Restore({"--ref-format=reftable"});
  EXPECT_EQ(restored.exit_code, 128);
  EXPECT_THAT(restored.err,
              HasSubstr("line 1 of the reflog of 'refs/heads/main' cannot be "
                        "stored in a reftable"));
  EXPECT_FALSE(fs::exists(restored_));
  EXPECT_TRUE(Restore({"--ref-format=reftable", "--without", "reflogs"}).ok());
}

TEST_F(RestoreReftableTest, UnknownFormatIsWrongUsage) {
  const ProcessResult result = Restore({"--ref-format=sqlite"});
  EXPECT_EQ(result.exit_code, 129);
  EXPECT_THAT(result.err, HasSubstr("unknown ref storage format 'sqlite'"));
}

}  // namespace
}  // namespace zpack::testing
