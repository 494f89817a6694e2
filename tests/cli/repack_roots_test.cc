// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack -d' when something that keeps objects alive cannot be read: it
// removes nothing, and says what it could not read.

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"
#include "support/repack_fixture.h"
#include "zpack/repack.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::SizeIs;

// A user whom permissions bind.
constexpr uid_t kNobody = 65534;

class RepackRootsTest : public RepackFixture {
 protected:
  RepackRootsTest() : RepackFixture(RepoBuilder::Kind::kWorkTree) {
    WriteFile(repo_.path() + "/a", "a\n");
    repo_.Git({"add", "-A"});
    repo_.Git({"commit", "-q", "-m", "first"});
    repo_.Git({"worktree", "add", "-q", "--detach", dir_ / "linked"});
    const std::string own = repo_.SimpleCommit("of one worktree\n");
    WriteFile(Linked("refs/worktree/x"), own + '\n');
    WriteFile(repo_.git_dir() + "/info/grafts", own + '\n');
    repo_.Git({"branch", "other"});
    repo_.Git({"pack-refs", "--all"});
    repo_.SetRef("refs/heads/third", own);
    WriteFile(repo_.git_dir() + "/MERGE_HEAD", own + '\n');
    repo_.PackAll();
    const RepoBuilder lender(dir_ / "lender");
    lender.History(2);
    lender.PackAll();
    WriteFile(repo_.git_dir() + "/objects/info/alternates",
              lender.path() + "/objects\n");
    WriteFile(repo_.path() + "/staged", "staged\n");
    repo_.Git({"add", "staged"});
    repo_.Git({"repack", "-q", "-d"});
    WriteFile(repo_.git_dir() + "/shallow", "");
  }
  ~RepackRootsTest() override {
    // So that everything can be removed again.
    Require(Process({"chmod", "-R", "u+rwx", dir_.path()}).Wait().ok(),
            "chmod");
  }

  std::string Linked(const std::string& name) const {
    return repo_.git_dir() + "/worktrees/linked/" + name;
  }

  // Whoever is not root owns everything already.
  void GiveTo(uid_t user) const {
    if (geteuid() != 0) return;
    Require(
        Process({"chown", "-R", std::to_string(user), dir_.path()}).Wait().ok(),
        "chown");
  }

  // Runs 'repack -d' in this process' place as a user whom permissions bind;
  // returns the message, or the warnings when it succeeded.
  std::string RepackAsNobody() const {
    const std::string answer = dir_ / "answer";
    WriteFile(answer, "");
    GiveTo(kNobody);
    const pid_t child = fork();
    Require(child >= 0, "fork");
    if (child == 0) {
      if (geteuid() == 0) {
        Require(setgroups(0, nullptr) == 0 && setuid(kNobody) == 0, "setuid");
      }
      setenv("HOME", dir_.path().c_str(), 1);
      unsetenv("XDG_CONFIG_HOME");
      RepackOptions options;
      options.redundant = Redundant::kRemove;
      options.run.threads = 1;
      const auto stats = zpack::Repack(repo_.path(), options);
      std::string text = stats ? "" : stats.error().message;
      if (stats) {
        for (const std::string& line : stats->warnings) text += line + '\n';
      }
      WriteFile(answer, text);
      _exit(0);
    }
    int status = 0;
    Require(waitpid(child, &status, 0) == child && status == 0, "waitpid");
    GiveTo(geteuid());
    return ReadFile(answer);
  }
};

TEST_F(RepackRootsTest, WhatCannotBeReadStopsRemoval) {
  const std::string git = repo_.git_dir();
  const std::vector<std::string> packs = Packs();
  ASSERT_THAT(packs, SizeIs(2));
  // A directory that can be searched but not listed, and what cannot be read at
  // all.
  const auto list = fs::perms::owner_read;
  const auto all = fs::perms::owner_all;
  const std::vector<std::pair<std::string, fs::perms>> cases = {
      {git, list},
      {git + "/index", all},
      {git + "/HEAD", all},
      {git + "/config", all},
      {git + "/packed-refs", all},
      {git + "/refs", list},
      {git + "/refs/heads", list},
      {git + "/refs/heads/third", all},
      {git + "/logs", list},
      {git + "/logs", all},
      {git + "/logs/refs/heads", list},
      {git + "/logs/HEAD", all},
      {git + "/shallow", all},
      {git + "/MERGE_HEAD", all},
      {git + "/info", all},
      {git + "/info/grafts", all},
      {git + "/worktrees", list},
      {git + "/worktrees", all},
      {Linked(""), list},
      {Linked(""), all},
      {Linked("index"), all},
      {Linked("HEAD"), all},
      {Linked("logs"), list},
      {Linked("logs/HEAD"), all},
      {Linked("refs"), list},
      {Linked("refs/worktree/x"), all},
      {git + "/objects/info/alternates", all},
      {git + "/objects/pack", list},
      {dir_ / "lender/objects/pack", list},
      {dir_ / "lender", all}};
  for (const auto& [path, bits] : cases) {
    SCOPED_TRACE(path);
    const auto before = fs::status(path).permissions();
    fs::permissions(path, bits, fs::perm_options::remove);
    EXPECT_THAT(RepackAsNobody(), HasSubstr("Permission denied"));
    fs::permissions(path, before);
    EXPECT_EQ(Packs(), packs);
  }
  EXPECT_EQ(RepackAsNobody(), "");
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_TRUE(Has(":staged"));
}

// 'git repack -d' warns, too: packed objects are not lost.
TEST_F(RepackRootsTest, LooseObjectsThatCannotBeRemovedStay) {
  repo_.SetRef("refs/tags/loose", repo_.WriteBlob("loose\n"));
  repo_.SetRef("refs/tags/more", repo_.WriteBlob("more\n"));
  const std::string path =
      repo_.LooseObjectPath(repo_.Git({"rev-parse", "loose"}));
  const std::string other =
      repo_.LooseObjectPath(repo_.Git({"rev-parse", "more"}));
  fs::permissions(DirectoryOf(path), fs::perms::owner_write,
                  fs::perm_options::remove);
  const std::string said = RepackAsNobody();
  EXPECT_THAT(said, HasSubstr("unable to remove 1 loose objects"));
  EXPECT_THAT(said, HasSubstr(path));
  EXPECT_THAT(said, HasSubstr("Permission denied"));
  EXPECT_TRUE(Exists(path));
  EXPECT_FALSE(Exists(other));
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_EQ(ReadState(repo_.path()).fsck_exit_code, 0);
}

// As after a disk was not mounted.
TEST_F(RepackRootsTest, LinkThatLeadsNowhereStopsRemoval) {
  const std::string git = repo_.git_dir();
  for (const std::string& path :
       {git + "/index", git + "/worktrees", git + "/logs", Linked(""),
        Linked("index"), Linked("HEAD"), git + "/MERGE_HEAD"}) {
    SCOPED_TRACE(path);
    const std::string name = path.ends_with('/') ? DirectoryOf(path) : path;
    fs::rename(name, dir_ / "away");
    for (const std::string& target : {dir_ / "nowhere", name}) {
      fs::create_symlink(target, name);
      ExpectRefusal(name);
      fs::remove(name);
    }
    fs::rename(dir_ / "away", name);
  }
}

TEST_F(RepackRootsTest, HeadOfAWorktreeThatIsNoneStopsRemoval) {
  for (const char* content : {"", "garbage\n", "0123\n"}) {
    WriteFile(Linked("HEAD"), content);
    ExpectRefusal("cannot read ref 'HEAD'");
  }
}

TEST_F(RepackRootsTest, DamagedIndexStopsRemoval) {
  for (const std::string& path :
       {repo_.git_dir() + "/index", Linked("index")}) {
    const std::string sound = ReadFile(path);
    for (const std::string& bytes :
         {std::string("garbage"), sound.substr(0, sound.size() / 2)}) {
      WriteFile(path, bytes);
      ExpectRefusal(path);
    }
    WriteFile(path, sound);
  }
}

TEST_F(RepackRootsTest, UnfinishedMergeKeepsItsCommits) {
  const std::string merged = repo_.SimpleCommit("merged\n");
  const std::string picked = repo_.SimpleCommit("picked\n");
  const std::string stashed = repo_.SimpleCommit("stashed\n");
  WriteFile(repo_.git_dir() + "/MERGE_HEAD", picked + '\n' + merged + '\n');
  WriteFile(Linked("rebase-merge/autostash"), stashed + '\n');
  repo_.PackAll();
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_THAT(Packs(), SizeIs(1));
  for (const std::string& id : {merged, picked, stashed}) {
    EXPECT_TRUE(Has(id + ":file")) << id;
  }
}

TEST_F(RepackRootsTest, StrayFileAmongWorktreesIsIgnored) {
  WriteFile(repo_.git_dir() + "/worktrees/notes.txt", "not a worktree\n");
  EXPECT_EQ(Repack({"-d"}).exit_code, 0);
  EXPECT_THAT(Packs(), SizeIs(1));
}

}  // namespace
}  // namespace zpack::testing
