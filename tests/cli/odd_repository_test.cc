// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Repositories whose small files are odd, and that Git reads: they are
// converted, and what the file cannot hold is said.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class OddRepositoryTest : public RepackFixture {
 protected:
  OddRepositoryTest() : tip_(repo_.History(3)) {
    repo_.Git({"repack", "-q", "-a", "-d"});
  }

  ProcessResult Convert(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"convert", "-f"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {repo_.path(), file_});
    return RunZpack(arguments);
  }
  void SetHead(const std::string& content) const {
    fs::remove(repo_.git_dir() + "/HEAD");
    WriteFile(repo_.git_dir() + "/HEAD", content);
  }

  void LinkHead(const std::string& target) const {
    fs::remove(repo_.git_dir() + "/HEAD");
    fs::create_symlink(target, repo_.git_dir() + "/HEAD");
  }

  std::string tip_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(OddRepositoryTest, HeadThatLeadsNowhereIsConvertedWithAWarning) {
  struct Case {
    std::string head;
    std::string stored;
    std::string warning;
  };
  const std::string instead =
      "; HEAD of the file points at 'refs/heads/master'";
  const std::vector<Case> cases = {
      {"ref: refs/heads/.invalid", "refs/heads/master",
       "HEAD, which points at 'refs/heads/.invalid', not a valid ref name" +
           instead},
      {"ref: refs/heads/unborn\n", "refs/heads/unborn",
       "the ref 'refs/heads/unborn' that HEAD points at, which does not "
       "exist"}};
  for (const auto& [head, stored, warning] : cases) {
    for (const bool as_link : {false, true}) {
      SCOPED_TRACE(head + (as_link ? " as a link" : ""));
      as_link ? LinkHead(head.substr(5, head.find('\n') - 5)) : SetHead(head);
      ASSERT_TRUE(repo_.TryGit({"rev-parse", "--git-dir"}).ok());
      ProcessResult result = Convert();
      EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
      EXPECT_THAT(result.err, HasSubstr("warning: not included: " + warning));
      EXPECT_THAT(RunZpack({"list-refs", "--symref", file_}).out,
                  StartsWith("ref: " + stored + " HEAD\n"));
      result = RunZpack({"verify", "-q", "--against", repo_.path(), file_});
      EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
      EXPECT_THAT(result.err, IsEmpty());
      EXPECT_EQ(RunZpack({"report", repo_.path()}).exit_code, 0);
      EXPECT_EQ(Repack({"-d"}).exit_code, 0);
    }
  }
}

// As core.preferSymlinkRefs makes it, after 'git pack-refs'.
TEST_F(OddRepositoryTest, HeadIsALinkToABranchThatIsPacked) {
  repo_.Git({"pack-refs", "--all", "--prune"});
  LinkHead("refs/heads/main");
  ASSERT_EQ(repo_.Git({"rev-parse", "HEAD"}), tip_);
  const ProcessResult result = Convert({"-q"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_EQ(RunZpack({"list-refs", file_}).out,
            repo_.Git({"show-ref", "--head"}) + '\n');
}

// To Git, what is no file is no ref, and links lead to refs from the git
// directory on. Git 2.39 waits for the pipe.
TEST_F(OddRepositoryTest, WhatIsNoFileBelowRefsIsNoRef) {
  const std::string heads = repo_.git_dir() + "/refs/heads/";
  fs::create_symlink("nowhere", heads + "dangling");
  fs::create_symlink("loop", heads + "loop");
  fs::create_symlink("main/below", heads + "through-a-file");
  fs::create_symlink("/nowhere/at/all", repo_.git_dir() + "/refs/heads/far");
  fs::create_symlink("refs/heads/unborn", heads + "symbolic");
  fs::create_symlink("main", heads + "same");
  const std::string expected = repo_.Git({"show-ref", "--head"}) + '\n';
  ASSERT_EQ(mkfifo((heads + "pipe").c_str(), 0600), 0);
  const ProcessResult result = Convert();
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  for (const char* const name : {"dangling", "far", "loop", "through-a-file"}) {
    EXPECT_THAT(result.err, HasSubstr(fmt::format(
                                "warning: not included: 'refs/heads/{}' is a "
                                "link that leads nowhere\n",
                                name)));
  }
  EXPECT_THAT(result.err,
              HasSubstr("warning: not included: 'refs/heads/pipe' is "
                        "not a regular file\n"));
  // Git lists no symbolic ref that leads nowhere.
  EXPECT_EQ(RunZpack({"list-refs", file_}).out, expected);
  EXPECT_THAT(RunZpack({"list-refs", "--symref", file_}).out,
              HasSubstr("ref: refs/heads/unborn refs/heads/symbolic\n"));
  // The refs of a disk that is away keep objects alive.
  const ProcessResult repacked = Repack({"-a", "-d"});
  EXPECT_EQ(repacked.exit_code, 128) << ::testing::PrintToString(repacked);
  EXPECT_THAT(repacked.err, HasSubstr("cannot open '" + heads + "dangling'"));
}

// To Git, such a repository has no branches. They may be on a disk that is
// away.
TEST_F(OddRepositoryTest, DirectoryOfRefsThatIsAwayIsRefused) {
  const std::string heads = repo_.git_dir() + "/refs/heads";
  fs::rename(heads, dir_ / "heads");
  fs::create_symlink(dir_ / "away", heads);
  ASSERT_EQ(repo_.TryGit({"show-ref"}).out, "");
  const ProcessResult result = Convert();
  EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
  EXPECT_EQ(result.err,
            "fatal: cannot open '" + heads + "': No such file or directory\n");
  ExpectRefusal("cannot open '" + heads + "'", {"-a", "-d"});
}

// Git opens such a repository, without HEAD. The id may be all that names the
// newest commits.
TEST_F(OddRepositoryTest, DamagedDetachedHeadIsRefused) {
  SetHead(tip_ + "0\n");
  ASSERT_TRUE(repo_.TryGit({"show-ref"}).ok());
  const ProcessResult result = Convert();
  EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err, HasSubstr("cannot read ref 'HEAD'"));
}

TEST_F(OddRepositoryTest, HeadThatGitRefusesIsRefused) {
  for (const std::string head : {"", "junk\n", "ref: heads/main\n"}) {
    SCOPED_TRACE(head);
    SetHead(head);
    ASSERT_FALSE(RunGit({"--git-dir=.", "log"}, repo_.path()).ok());
    const ProcessResult result = Convert();
    EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
    EXPECT_EQ(result.err, "fatal: not a git repository: '" + repo_.path() +
                              "', whose HEAD is damaged\n");
  }
}

// 'git clone --mirror', 'git repack -a -d' and 'git gc' go on; Git 2.55 keeps
// what the reflog and the index of the work tree name, and Git 2.39 not even
// the reflog. Here, 'convert' goes on, and 'repack' only if there is no HEAD at
// all: it may have named the newest commit.
TEST_F(OddRepositoryTest, LinkedWorktreeWhoseHeadIsNone) {
  const std::string linked = dir_ / "linked";
  repo_.Git({"worktree", "add", "-q", "--detach", linked, "main"});
  WriteFile(linked + "/own", "own\n");
  ASSERT_TRUE(RunGit({"add", "own"}, linked).ok());
  ASSERT_TRUE(RunGit({"commit", "-q", "-m", "own"}, linked).ok());
  const std::string own =
      SplitLines(RunGit({"rev-parse", "HEAD"}, linked).out)[0];
  const std::string name = "worktrees/linked/HEAD";
  const std::string path = repo_.git_dir() + '/' + name;
  enum class Form : uint8_t { kText, kMissing, kDangling, kDirectory };
  struct Case {
    Form form;
    std::string text;
    std::string reason;  // in a warning
  };
  const std::string bad =
      "what HEAD of a work tree names: cannot read ref "
      "'HEAD' of '" +
      DirectoryOf(path) + "': ";
  const std::vector<Case> cases = {
      {Form::kText, "", bad + "it is empty"},
      {Form::kText, "garbage\n", bad + "neither an id nor a ref"},
      {Form::kText, "0123\n", bad + "neither an id nor a ref"},
      {Form::kText, FakeId('0') + '\n', bad + "its id is " + FakeId('0')},
      {Form::kMissing, "", ""},
      {Form::kDangling, "", '\'' + name + "' is not a regular file"},
      {Form::kDirectory, "", ""}};
  for (const auto& [form, text, reason] : cases) {
    SCOPED_TRACE(fmt::format("{} '{}'", static_cast<int>(form), text));
    fs::remove_all(path);
    if (form == Form::kText) WriteFile(path, text);
    if (form == Form::kDangling) fs::create_symlink("nowhere", path);
    if (form == Form::kDirectory) fs::create_directory(path);
    ProcessResult result = Convert({"--reachable"});
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    if (!reason.empty()) {
      EXPECT_THAT(result.err,
                  HasSubstr("warning: not included: " + reason + '\n'));
    }
    EXPECT_TRUE(RunZpack({"cat-file", "-t", file_, own}).ok());
    result = RunZpack({"verify", "-q", "--against", repo_.path(), file_});
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(RunZpack({"report", repo_.path()}).exit_code, 0);
    if (form == Form::kMissing) {
      const std::string copy = Copy("copy");
      EXPECT_EQ(Repack(copy, {"-a", "-d"}).exit_code, 0);
      EXPECT_TRUE(RunGit({"cat-file", "-e", own}, copy).ok());
    } else {
      ExpectRefusal(DirectoryOf(path), {"-a", "-d"});
    }
  }
}

// As 'git config --unset remote.origin.promisor' leaves them. To Git, the
// repository is complete.
TEST_F(OddRepositoryTest, PromisorPacksWithoutARemotePromiseNothing) {
  const std::string promisor =
      pack_directory() + '/' + Packs().front() + ".promisor";
  WriteFile(promisor, "");
  ProcessResult result = Convert();
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  repo_.SimpleCommit("new\n");
  result = Repack({"-d"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  repo_.Git({"fsck"});
  repo_.Git({"config", "remote.origin.promisor", "true"});
  WriteFile(pack_directory() + '/' + Packs().front() + ".promisor", "");
  result = Repack({"-d"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(FilesWith(pack_directory(), ".promisor"), SizeIs(1));
  repo_.Git({"fsck"});
}

TEST_F(OddRepositoryTest, ShallowFileWithLineEndsOfWindowsIsRead) {
  WriteFile(repo_.git_dir() + "/shallow", tip_ + "\r\n");
  ASSERT_EQ(repo_.Git({"rev-list", "--count", "main"}), "1");
  const ProcessResult result = Convert({"-q"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  const std::string restored = dir_ / "restored";
  ASSERT_TRUE(RunZpack({"restore", "-q", file_, restored}).ok());
  EXPECT_EQ(ReadFile(restored + "/shallow"), tip_ + '\n');
}

// Git reads the objects of six, and ignores what the sixth borrows.
TEST_F(OddRepositoryTest, AlternatesAreReadAsDeeplyAsGitReadsThem) {
  const auto borrow = [](const RepoBuilder& to, const std::string& from) {
    WriteFile(to.git_dir() + "/objects/info/alternates", from + "/objects\n");
  };
  std::string last;
  std::string blob;
  for (int i = 6; i > 0; --i) {
    const RepoBuilder lender(dir_ / fmt::format("lender{}", i));
    if (last.empty()) blob = lender.WriteBlob("from far away\n");
    if (!last.empty()) borrow(lender, last);
    last = lender.path();
  }
  borrow(repo_, last);
  repo_.SetRef("refs/tags/lent", blob);
  ASSERT_TRUE(Has(blob));
  EXPECT_EQ(Convert({"-q"}).exit_code, 0);
  const RepoBuilder seventh(dir_ / "lender7");
  borrow(RepoBuilder::Existing(dir_ / "lender6"), seventh.path());
  ASSERT_THAT(repo_.TryGit({"count-objects", "-v"}).err,
              HasSubstr("nesting too deep"));
  const ProcessResult result = Convert({"-q"});
  EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err, AllOf(HasSubstr("nested too deep"),
                                HasSubstr("lender6/objects/info/alternates")));
}

}  // namespace
}  // namespace zpack::testing
