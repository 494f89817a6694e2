// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack -d -b' that is killed or fails between its steps: the
// multi-pack-index that is there lists packs that are there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <regex>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::Not;
using ::testing::SizeIs;

// Git, which notes which files are in the directory of packs before it writes a
// multi-pack-index. At that moment, it fails or kills what started it.
constexpr const char* kGit = R"(#!/bin/sh
case " $* " in
*" multi-pack-index "*)
  ls "$TEST_PACKS" > "$TEST_SEEN"
  case $TEST_MOMENT in
  fail) exit 1 ;;
  before) kill -KILL $PPID; exit 1 ;;
  after) "$TEST_GIT" "$@"; kill -KILL $PPID; exit ;;
  stop) kill -TERM $PPID; exec sleep 600 ;;
  esac ;;
esac
exec "$TEST_GIT" "$@"
)";

class RepackBitmapOrderTest : public RepackFixture {
 protected:
  RepackBitmapOrderTest() {
    repo_.History(3);
    repo_.Git({"repack", "-q"});
    repo_.History(6);
    repo_.Git({"repack", "-q"});
    repo_.Git({"prune-packed"});
    repo_.Git({"multi-pack-index", "write", "--bitmap"});
    repo_.History(8);
    old_ = Packs();
    EXPECT_THAT(old_, SizeIs(2));
    needed_ = Needed();
    const std::string git = dir_ / "bin/git";
    fs::create_directories(dir_ / "bin");
    WriteFile(git, kGit);
    fs::permissions(git, fs::perms::owner_all);
    std::string real = RunProcess({"sh", "-c", "command -v git"}).out;
    real.pop_back();
    environment_ = {"PATH=" + (dir_ / "bin") + ':' + std::getenv("PATH"),
                    "TEST_GIT=" + real, "TEST_PACKS=" + pack_directory(),
                    "TEST_SEEN=" + (dir_ / "seen")};
  }

  ProcessResult RepackAt(const std::string& moment,
                         const std::vector<std::string>& options) const {
    ProcessOptions process;
    process.environment = environment_;
    process.environment.push_back("TEST_MOMENT=" + moment);
    std::vector<std::string> words = {"repack", "-q"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(repo_.path());
    return RunZpack(words, process);
  }

  // Everything that is reachable, as Git reads it.
  std::string Needed() const {
    return repo_.Git({"rev-list", "--objects", "--all"});
  }

  // The packs that the multi-pack-index lists.
  std::vector<std::string> Listed() const {
    const std::string bytes = ReadFile(pack_directory() + "/multi-pack-index");
    const std::regex name("pack-[0-9a-f]+(?=\\.idx)");
    return {std::sregex_token_iterator(bytes.begin(), bytes.end(), name), {}};
  }

  // Nothing is lost, and no index names a pack that is gone.
  void ExpectWhole() const {
    EXPECT_EQ(Needed(), needed_);
    EXPECT_TRUE(repo_.TryGit({"fsck", "--full", "--strict"}).ok());
    if (Exists(pack_directory() + "/multi-pack-index")) {
      EXPECT_THAT(Listed(), IsSubsetOf(Packs()));
      EXPECT_TRUE(repo_.TryGit({"multi-pack-index", "verify"}).ok());
      EXPECT_TRUE(repo_
                      .TryGit({"rev-list", "--use-bitmap-index", "--objects",
                               "--all", "--count"})
                      .ok());
    }
  }

  // The next run does everything.
  void ExpectRecovers() const {
    ASSERT_EQ(Repack({"-d", "-b"}).exit_code, 0);
    ExpectWhole();
    EXPECT_THAT(Packs(), SizeIs(1));
    EXPECT_EQ(Listed(), Packs());
    EXPECT_TRUE(repo_.TryGit({"rev-list", "--test-bitmap", "HEAD"}).ok());
  }

  void ExpectOldPacksAre(bool there) const {
    for (const std::string& pack : old_) {
      for (const char* extension : {".pack", ".idx"}) {
        EXPECT_EQ(Exists(pack_directory() + '/' + pack + extension), there);
      }
    }
  }

  std::vector<std::string> environment_;
  std::vector<std::string> old_;
  std::string needed_;
};

TEST_F(RepackBitmapOrderTest, OldPacksGoAfterTheIndexIsWritten) {
  const ProcessResult result = RepackAt("", {"-d", "-b"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  // Git saw all packs, and listed the new one only.
  const std::vector<std::string> seen = SplitLines(ReadFile(dir_ / "seen"));
  for (const std::string& pack : old_) {
    EXPECT_THAT(seen, Contains(pack + ".pack"));
    EXPECT_THAT(seen, Contains(pack + ".idx"));
  }
  EXPECT_THAT(seen, Contains("multi-pack-index"));
  ExpectOldPacksAre(false);
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_EQ(Listed(), Packs());
  EXPECT_TRUE(repo_.TryGit({"rev-list", "--test-bitmap", "HEAD"}).ok());
  ExpectWhole();
}

TEST_F(RepackBitmapOrderTest, KilledBeforeTheIndexIsWritten) {
  EXPECT_EQ(RepackAt("before", {"-d", "-b"}).signal, SIGKILL);
  ExpectOldPacksAre(true);
  EXPECT_EQ(Listed(), old_);
  ExpectWhole();
  ExpectRecovers();
}

TEST_F(RepackBitmapOrderTest, KilledAfterTheIndexIsWritten) {
  EXPECT_EQ(RepackAt("after", {"-d", "-b"}).signal, SIGKILL);
  // Git may end after what started it.
  ExpectOldPacksAre(true);
  ExpectWhole();
  EXPECT_THAT(Listed(), SizeIs(1));
  ExpectRecovers();
}

TEST_F(RepackBitmapOrderTest, FailureOfGitRemovesNothingIfItWasAskedFor) {
  const ProcessResult asked = RepackAt("fail", {"-d", "-b"});
  EXPECT_EQ(asked.exit_code, 128);
  EXPECT_THAT(asked.err, HasSubstr("nothing was removed"));
  ExpectOldPacksAre(true);
  EXPECT_EQ(Listed(), old_);
  ExpectWhole();
  ExpectRecovers();
}

TEST_F(RepackBitmapOrderTest, FailureOfGitIsAWarningOtherwise) {
  repo_.Git({"config", "--unset", "repack.writeBitmaps"});
  const ProcessResult result = RepackAt("fail", {"-d"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("warning: 'git multi-pack-index"));
  ExpectOldPacksAre(false);
  EXPECT_FALSE(Exists(pack_directory() + "/multi-pack-index"));
  ExpectWhole();
  ExpectRecovers();
}

TEST_F(RepackBitmapOrderTest, InterruptedWhileGitWrites) {
  const ProcessResult result = RepackAt("stop", {"-d", "-b"});
  EXPECT_EQ(result.signal, SIGTERM) << ::testing::PrintToString(result);
  ExpectOldPacksAre(true);
  ExpectWhole();
  ExpectRecovers();
}

// Packs that stay are listed, and without -d all packs stay.
TEST_F(RepackBitmapOrderTest, PacksThatStayAreListed) {
  WriteFile(pack_directory() + '/' + old_[0] + ".keep", "");
  ASSERT_EQ(RepackAt("", {"-b"}).exit_code, 0);
  EXPECT_THAT(Packs(), SizeIs(3));
  EXPECT_EQ(Listed(), Packs());
  ExpectWhole();
  ASSERT_EQ(RepackAt("", {"-d", "-b"}).exit_code, 0);
  EXPECT_THAT(Packs(), SizeIs(2));
  EXPECT_EQ(Listed(), Packs());
  EXPECT_THAT(Listed(), Contains(old_[0]));
  EXPECT_THAT(Listed(), Not(Contains(old_[1])));
  ExpectWhole();
}

}  // namespace
}  // namespace zpack::testing
