// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals that arrive while a command runs Git: the command ends by the signal,
// and what is there can be used.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "support/restore_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Git, which ends what started it, or itself, or waits, when its arguments
// contain $TEST_COMMAND.
constexpr const char* kEndingGit = R"(#!/bin/sh
case " $* " in
*" $TEST_COMMAND "*)
  case $TEST_MOMENT in
  kill) kill -KILL $PPID; exit 1 ;;
  stop) kill -TERM $PPID; exec sleep 600 ;;
  both) kill -TERM $PPID; kill -TERM $$ ;;
  alone) kill -TERM $$ ;;
  wait) exec sleep 600 ;;
  esac ;;
esac
exec "$TEST_GIT" "$@"
)";

class GitSignalTest : public RestoreFixture {
 protected:
  GitSignalTest() {
    const std::string git = dir_ / "bin/git";
    fs::create_directories(dir_ / "bin");
    WriteFile(git, kEndingGit);
    fs::permissions(git, fs::perms::owner_all);
    git_ = RunProcess({"sh", "-c", "command -v git"}).out;
    git_.pop_back();
  }

  // With these, the program runs this Git, which does `moment` at `command`.
  ProcessOptions EndingGit(const std::string& command,
                           const std::string& moment) const {
    ProcessOptions options;
    options.environment = HermeticEnvironment();
    options.environment.insert(
        options.environment.end(),
        {"PATH=" + (dir_ / "bin") + ":/usr/bin:/bin", "TEST_GIT=" + git_,
         "TEST_COMMAND=" + command, "TEST_MOMENT=" + moment});
    return options;
  }

  ProcessResult EndedAt(const std::string& command, const std::string& moment,
                        const std::vector<std::string>& arguments) const {
    return RunZpack(arguments, EndingGit(command, moment));
  }

  std::vector<std::string> Checkout() const {
    return {"restore", "-q", "--checkout", file_, place_};
  }

  // Does what the hint and the manual say.
  void ExpectFinishedByHand() const {
    ASSERT_TRUE(RunGit({"config", "core.bare", "false"}, place_).ok());
    const ProcessResult reset = RunGit({"reset", "-q", "--hard"}, place_);
    EXPECT_TRUE(reset.ok()) << reset.err;
    EXPECT_TRUE(IsGood(place_ + "/.git"));
    EXPECT_EQ(RunGit({"status", "--porcelain"}, place_).out, "");
  }

  std::string place_ = out_ + "/work";
  std::string git_;
};

TEST_F(GitSignalTest, KilledCheckoutLeavesARepositoryToCheckOut) {
  for (const std::string command : {"config", "rev-parse", "read-tree"}) {
    EXPECT_EQ(EndedAt(command, "kill", Checkout()).signal, SIGKILL);
    EXPECT_THAT(ListDirectory(place_), ElementsAre(".git"));
    WriteFile(place_ + "/mine", "mine");
    ExpectRefused(place_, "is not an empty directory", {"--checkout"});
    EXPECT_EQ(ReadFile(place_ + "/mine"), "mine");
    fs::remove(place_ + "/mine");
    ExpectFinishedByHand();
    fs::remove_all(place_);
  }
}

TEST_F(GitSignalTest, CheckoutEndsByTheSignalAndSaysHowToGoOn) {
  for (const std::string command : {"config", "rev-parse", "read-tree"}) {
    for (const std::string moment : {"stop", "both"}) {
      const ProcessResult result = EndedAt(command, moment, Checkout());
      EXPECT_EQ(result.signal, SIGTERM)
          << command << ' ' << moment << ::testing::PrintToString(result);
      EXPECT_EQ(result.err,
                "hint: the repository in '" + place_ +
                    "/.git' is complete; to check it out: git -C '" + place_ +
                    "' config core.bare false && git -C '" + place_ +
                    "' reset --hard\n");
      ExpectFinishedByHand();
      fs::remove_all(place_);
    }
  }
}

// The file is read once more when the repository has its name.
TEST_F(GitSignalTest, SignalAfterTheRepositoryIsThereSaysSo) {
  Process process(
      {ZpackBinary(), "restore", "--progress", "--checkout", file_, place_},
      EndingGit("config", "wait"));
  ASSERT_TRUE(process.WaitForErr("Checking checksums"));
  process.Signal(SIGTERM);
  const ProcessResult result = process.Wait();
  EXPECT_EQ(result.signal, SIGTERM) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err, HasSubstr("hint: the repository in '" + place_ +
                                    "/.git' is complete"));
  EXPECT_THAT(ListDirectory(place_), ElementsAre(".git"));
  ExpectFinishedByHand();
}

TEST_F(GitSignalTest, SignalForGitAloneIsAFailure) {
  const ProcessResult result = EndedAt("read-tree", "alone", Checkout());
  EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err, HasSubstr("'git read-tree' failed with exit code"));
  ExpectFinishedByHand();
}

TEST_F(GitSignalTest, ConvertOfABundleEndsByTheSignal) {
  repo_.Git({"bundle", "create", "-q", dir_ / "x.bundle", "--all", "HEAD"});
  for (const std::string command : {"clone", "config"}) {
    for (const std::string moment : {"stop", "both"}) {
      const ProcessResult result =
          EndedAt(command, moment,
                  {"convert", "-q", dir_ / "x.bundle", out_ + "/y.zpack"});
      EXPECT_EQ(result.signal, SIGTERM)
          << command << ' ' << moment << ::testing::PrintToString(result);
      EXPECT_THAT(result.err, Not(HasSubstr("fatal")));
      EXPECT_THAT(ListDirectory(out_), ::testing::IsEmpty());
    }
  }
}

TEST_F(GitSignalTest, RepackEndsByTheSignal) {
  for (const std::string moment : {"stop", "both"}) {
    const ProcessResult result = EndedAt("multi-pack-index", moment,
                                         {"repack", "-q", "-b", repo_.path()});
    EXPECT_EQ(result.signal, SIGTERM)
        << moment << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, Not(HasSubstr("fatal")));
    EXPECT_TRUE(RunGit({"fsck", "--full"}, repo_.path()).ok());
  }
}

}  // namespace
}  // namespace zpack::testing
