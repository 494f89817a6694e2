// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack -l': what alternates have is left to them, as by 'git repack -l'.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::IsEmpty;
using ::testing::SizeIs;

// `repo_` borrows from `lender_`.
class RepackLocalTest : public RepackFixture {
 protected:
  RepackLocalTest() : lender_(dir_ / "lender") {
    lender_.History(4);
    lender_.PackAll();
    loose_there_ = lender_.WriteBlob("loose in the alternate\n");
    tip_ = lender_.Git({"rev-parse", "main"});
    WriteFile(Info(), lender_.path() + "/objects\n");
  }

  std::string Info() const {
    return repo_.git_dir() + "/objects/info/alternates";
  }

  // Everything, also what is borrowed.
  void OwnEverything() const {
    repo_.SetRef("refs/heads/main", repo_.SimpleCommit("own\n", {tip_}));
    repo_.SetRef("refs/tags/loose", loose_there_);
    ASSERT_EQ(repo_.Git({"repack", "-a", "-d", "-q"}), "");
  }

  // Ids of the objects in packs of `repository`, and its loose ones.
  static std::vector<std::string> Own(const std::string& repository) {
    const std::string objects = repository + "/objects";
    std::vector<std::string> ids;
    for (const std::string& pack : FilesWith(objects + "/pack", ".idx")) {
      const ProcessResult shown =
          RunGit({"show-index"}, repository,
                 ReadFile(objects + "/pack/" + pack + ".idx"));
      for (const std::string& line : SplitLines(shown.out)) {
        const size_t at = line.find(' ') + 1;
        ids.push_back("packed " + line.substr(at, IdDigits()));
      }
    }
    for (const std::string& name : ListDirectory(objects)) {
      if (name.size() != 2) continue;
      for (const std::string& rest : ListDirectory(objects + '/' + name)) {
        ids.push_back("loose " + name + rest);
      }
    }
    std::ranges::sort(ids);
    return ids;
  }

  // Ours leaves the same objects in the same places as Git on a copy.
  void ExpectAsGit(const std::vector<std::string>& options) const {
    SCOPED_TRACE(::testing::PrintToString(options));
    const std::string copy = dir_ / "copy";
    fs::remove_all(copy);
    fs::copy(repo_.path(), copy, fs::copy_options::recursive);
    std::vector<std::string> words = {"repack", "-q", "-a", "-d"};
    words.insert(words.end(), options.begin(), options.end());
    ASSERT_EQ(RunGit(words, copy).exit_code, 0);
    const RepositoryState before = ReadState(repo_.path());
    const auto lender = Snapshot(lender_.path());
    words.erase(words.begin(), words.begin() + 2);
    const ProcessResult ours = Repack(words);
    EXPECT_EQ(ours.exit_code, 0) << ours.err;
    EXPECT_EQ(Own(repo_.path()), Own(copy));
    EXPECT_EQ(ReadState(repo_.path()), before);
    EXPECT_TRUE(Snapshot(lender_.path()) == lender);
  }

  RepoBuilder lender_;
  std::string loose_there_;
  std::string tip_;
};

TEST_F(RepackLocalTest, LeavesWhatAlternatesHaveAsGitDoes) {
  OwnEverything();
  repo_.SetRef("refs/tags/own", repo_.WriteBlob("loose here\n"));
  ASSERT_THAT(Own(repo_.path()), ::testing::Not(IsEmpty()));
  ExpectAsGit({"-l"});
  EXPECT_THAT(Own(repo_.path()), SizeIs(4));
}

// What alternates have and nothing here needs is none of this repository's.
TEST_F(RepackLocalTest, UnreachableObjectsOfAlternatesStayThere) {
  const std::string packed = lender_.WriteBlob("packed, not needed here\n");
  lender_.SetRef("refs/tags/packed", packed);
  lender_.PackAll();
  repo_.SetRef("refs/heads/main", repo_.SimpleCommit("own\n", {tip_}));
  ASSERT_EQ(repo_.Git({"repack", "-a", "-d", "-q"}), "");
  // Nothing needs it here either, and it is here.
  repo_.WriteBlob("loose here\n");
  ExpectAsGit({"-k"});
  EXPECT_THAT(Own(repo_.path()),
              ::testing::Not(::testing::Contains("packed " + packed)));
}

TEST_F(RepackLocalTest, LooseCopiesGoOnlyForPackedOnes) {
  repo_.SetRef("refs/tags/loose", loose_there_);
  repo_.SetRef("refs/heads/main", tip_);
  repo_.WriteBlob("loose in the alternate\n");
  const std::string content = lender_.Git({"cat-file", "commit", tip_}) + '\n';
  repo_.WriteObject("commit", content);
  ASSERT_THAT(LooseObjects(),
              ::testing::UnorderedElementsAre(loose_there_, tip_));
  ExpectAsGit({"-l"});
  EXPECT_THAT(LooseObjects(), ::testing::ElementsAre(loose_there_));
}

// Also without -l, and if nothing needs them.
TEST_F(RepackLocalTest, LooseCopiesOfWhatPacksThereHaveGo) {
  repo_.SetRef("refs/heads/main", repo_.SimpleCommit("own\n", {}));
  repo_.WriteObject("commit", lender_.Git({"cat-file", "commit", tip_}) + '\n');
  const std::string here = repo_.WriteBlob("stray here\n");
  ASSERT_THAT(LooseObjects(), ::testing::Contains(tip_));
  ExpectAsGit({});
  EXPECT_THAT(LooseObjects(), ::testing::ElementsAre(here));
}

TEST_F(RepackLocalTest, EverythingMayBeBorrowed) {
  repo_.SetRef("refs/heads/main", tip_);
  repo_.Git({"repack", "-a", "-d", "-q"});
  ASSERT_THAT(Packs(), SizeIs(1));
  ExpectAsGit({"-l"});
  EXPECT_THAT(Own(repo_.path()), IsEmpty());
  // And is packed again without the option.
  ASSERT_EQ(Repack({"-d"}).exit_code, 0);
  fs::remove(Info());
  EXPECT_EQ(ReadState(repo_.path()).fsck_exit_code, 0);
}

TEST_F(RepackLocalTest, UnreachableObjectsAreLeftToAlternates) {
  OwnEverything();
  const std::string stray = repo_.WriteBlob("stray\n");
  repo_.PackAll();
  ExpectAsGit({"-l", "-k"});
  EXPECT_TRUE(Has(stray));
}

// Also without -l, as by Git: it would cost a file for each of them.
TEST_F(RepackLocalTest, WhatPacksOfAlternatesHaveIsNotLoosened) {
  OwnEverything();
  const std::string there = lender_.WriteBlob("stray in both\n");
  lender_.PackAll();
  repo_.WriteBlob("stray in both\n");
  const std::string here = repo_.WriteBlob("stray here\n");
  repo_.PackAll();
  ExpectAsGit({"-A"});
  EXPECT_THAT(LooseObjects(), ::testing::ElementsAre(here));
  EXPECT_TRUE(Has(there));
}

TEST_F(RepackLocalTest, DamagedCopyOfAnAlternateIsNoReasonNotToLoosen) {
  OwnEverything();
  const std::string stray = lender_.WriteBlob(RandomBytes(1, 5000));
  lender_.PackAll();
  repo_.WriteBlob(RandomBytes(1, 5000));
  repo_.PackAll();
  const std::string packs = lender_.path() + "/objects/pack";
  for (const std::string& name : FilesWith(packs, ".pack")) {
    const std::string path = packs + '/' + name + ".pack";
    std::string bytes = ReadFile(path);
    for (size_t at = 2000; at < bytes.size() - 20; ++at) bytes[at] ^= 1;
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    WriteFile(path, bytes);
  }
  ASSERT_EQ(Repack({"-d", "-A"}).exit_code, 0);
  EXPECT_THAT(LooseObjects(), ::testing::Contains(stray));
}

TEST_F(RepackLocalTest, FilteredObjectsAreLeftToAlternates) {
  OwnEverything();
  const std::string own = repo_.WriteBlob("stray here\n");
  repo_.PackAll();
  if (GitIsSince(43)) {
    ExpectAsGit({"-l", "--filter=blob:none"});
  } else {
    ASSERT_EQ(Repack({"-d", "-l", "--filter=blob:none"}).exit_code, 0);
  }
  // The commit, its tree and its blob, and the stray.
  EXPECT_THAT(Own(repo_.path()), SizeIs(4));
  EXPECT_THAT(Own(repo_.path()), ::testing::Contains("packed " + own));
}

TEST_F(RepackLocalTest, NoBitmapOfWhatIsElsewhere) {
  OwnEverything();
  const ProcessResult result = Repack({"-d", "-l", "-b"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err,
            "warning: disabling bitmap writing, as some objects are not being "
            "packed\n");
  EXPECT_THAT(ListDirectory(pack_directory()), SizeIs(3));
}

TEST_F(RepackLocalTest, DamagedCopyOfAnAlternateIsNotReliedOn) {
  OwnEverything();
  const std::string path = lender_.LooseObjectPath(loose_there_);
  fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
  WriteFile(path, "");
  ASSERT_EQ(Repack({"-d", "-l"}).exit_code, 0);
  EXPECT_THAT(Own(repo_.path()), ::testing::Contains("packed " + loose_there_));
  EXPECT_TRUE(repo_.TryGit({"cat-file", "blob", loose_there_}).ok());
}

// An alternate that is the repository itself, in part, lends it nothing.
TEST_F(RepackLocalTest, AlternateWithLinksToOwnObjectsLosesNothing) {
  OwnEverything();
  const std::string mirror = dir_ / "mirror";
  fs::create_directories(mirror + "/info");
  fs::create_directory_symlink(pack_directory(), mirror + "/pack");
  WriteFile(Info(), mirror + '\n');
  const RepositoryState before = ReadState(repo_.path());
  ASSERT_EQ(Repack({"-d", "-l"}).exit_code, 0);
  EXPECT_EQ(ReadState(repo_.path()), before);
  fs::remove(mirror + "/pack");
  fs::create_directory(mirror + "/pack");
  for (const std::string& name : ListDirectory(pack_directory())) {
    fs::create_symlink(pack_directory() + '/' + name, mirror + "/pack/" + name);
  }
  ASSERT_EQ(Repack({"-d", "-l", "-F"}).exit_code, 0);
  EXPECT_EQ(ReadState(repo_.path()), before);
}

}  // namespace
}  // namespace zpack::testing
