// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals, and two processes at once: a destination is always the old one or
// the new one, and whatever is left behind is taken over.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <utility>
#include <vector>

#include "support/interruption_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using InterruptionTest = InterruptionFixture;

TEST_F(InterruptionTest, SigintEndsConvertInOrder) { ExpectSignalEnds(SIGINT); }

TEST_F(InterruptionTest, SigtermEndsConvertInOrder) {
  ExpectSignalEnds(SIGTERM);
}

TEST_F(InterruptionTest, PushDuringConvertIsReportedAndNoFailure) {
  const RepoBuilder repo(dir_ / "pushed");
  repo.SetRef("refs/heads/main", repo.History(3));
  for (uint64_t i = 0; i < 3; ++i) {
    repo.WriteBlob(RawToHex(RandomBytes(i, 250000)));
  }
  ZpackProcess process({"convert", "--progress", "--level", "22",
                        "--block-size", "64k", "--threads", "1", repo.path(),
                        file_});
  ASSERT_TRUE(process.WaitForErr("Compressing objects"));
  repo.SetRef("refs/heads/new", repo.SimpleCommit("new"));
  const ProcessResult result = process.Wait();
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err, HasSubstr("warning: the source moved on: 1 ref, 3 "
                                    "objects, not included\n"));
}

// 128 + SIGHUP would be the exit code for wrong usage.
TEST_F(InterruptionTest, SighupEndsConvertInOrder) { ExpectSignalEnds(SIGHUP); }

TEST_F(InterruptionTest, ShellSeesTheExitCodeOfTheSignal) {
  for (const auto& [name, code] :
       {std::pair("INT", 130), std::pair("TERM", 143)}) {
    // Sent when the first progress is read.
    const ProcessResult result = RunProcess(
        {"bash", "-c",
         "coproc { exec \"$@\" 2>&1; }; pid=$COPROC_PID; read -r -n 1 -u "
         "\"${COPROC[0]}\"; kill -$0 $pid; wait $pid",
         name, ZpackBinary(), "convert", "--progress", "--level", "22",
         "--threads", "1", repo_.path(), file_});
    EXPECT_EQ(result.exit_code, code) << ::testing::PrintToString(result);
  }
}

TEST_F(InterruptionTest, IgnoredSignalsAreNotWaitedFor) {
  std::vector<std::string> command = {
      "sh", "-c", "trap '' HUP INT; exec \"$0\" \"$@\"", ZpackBinary()};
  const std::vector<std::string> convert = SlowConvert();
  command.insert(command.end(), convert.begin(), convert.end());
  Process process(command);
  ASSERT_TRUE(process.WaitForErr("Counting objects"));
  process.Signal(SIGHUP);
  process.Signal(SIGINT);
  // The first signal that is not ignored decides.
  process.Signal(SIGTERM);
  EXPECT_EQ(process.Wait().signal, SIGTERM);
}

TEST_F(InterruptionTest, AllSignalsMayBeIgnored) {
  Process process({"sh", "-c", "trap '' HUP INT TERM; exec \"$0\" \"$@\"",
                   ZpackBinary(), "convert", "--progress", "--level", "1",
                   repo_.path(), file_});
  ASSERT_TRUE(process.WaitForErr("Counting objects"));
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) process.Signal(signal);
  EXPECT_EQ(process.Wait().exit_code, 0);
  EXPECT_TRUE(Exists(file_));
}

TEST_F(InterruptionTest, SecondSignalEndsItAtOnce) {
  ZpackProcess process(SlowConvert());
  ASSERT_TRUE(process.WaitForErr("Counting objects"));
  process.Signal(SIGTERM);
  process.Signal(SIGINT);
  const ProcessResult result = process.Wait();
  EXPECT_TRUE(result.signal == SIGTERM || result.signal == SIGINT)
      << ::testing::PrintToString(result);
  // The next run clears up what may be left.
  EXPECT_EQ(RunZpack({"convert", "-q", "--level", "1", repo_.path(), file_})
                .exit_code,
            0);
  EXPECT_THAT(ListDirectory(dir_ / "out"), ElementsAre("x.zpack"));
}

TEST_F(InterruptionTest, SigtermEndsRestoreInOrder) {
  // One object that is streamed for long.
  repo_.WriteBlob(RawToHex(RandomBytes(99, 12000000)));
  ASSERT_EQ(RunZpack({"convert", "-q", "--level", "1", repo_.path(), file_})
                .exit_code,
            0);
  const RepoBuilder old(dir_ / "restored/r.git");
  ZpackProcess process({"restore", "--force", "--progress", "--threads", "1",
                        file_, old.path()});
  ASSERT_TRUE(process.WaitForErr("Writing objects"));
  process.Signal(SIGTERM);
  const ProcessResult result = process.Wait();
  EXPECT_EQ(result.signal, SIGTERM) << ::testing::PrintToString(result);
  EXPECT_THAT(ListDirectory(dir_ / "restored"), ElementsAre("r.git"));
  EXPECT_TRUE(ReadState(old.path()).objects.empty());
}

TEST_F(InterruptionTest, SigpipeOfStandardErrorDoesNotLeaveATemporary) {
  const ProcessResult result = RunProcess(
      {"sh", "-c",
       "\"$0\" convert --progress --level 1 \"$1\" \"$2\" 2>&1 >/dev/null | :",
       ZpackBinary(), repo_.path(), file_});
  EXPECT_EQ(result.exit_code, 0);
  // However it ended: the file is there and whole, or nothing is, or the next
  // run takes over what is left.
  EXPECT_EQ(RunZpack({"convert", "-q", "--force", "--level", "1", repo_.path(),
                      file_})
                .exit_code,
            0);
  EXPECT_THAT(ListDirectory(dir_ / "out"), ElementsAre("x.zpack"));
}

TEST_F(InterruptionTest, SecondConvertToTheSameFileIsRefused) {
  ZpackProcess first(SlowConvert());
  ASSERT_TRUE(first.WaitForErr("Counting objects"));
  const ProcessResult second =
      RunZpack({"convert", "--force", "--level", "1", repo_.path(), file_});
  EXPECT_EQ(second.exit_code, 128);
  EXPECT_THAT(second.err, HasSubstr("another process is writing"));
  EXPECT_THAT(second.err, HasSubstr("x.zpack"));
  // Another name beside it is no conflict.
  EXPECT_EQ(RunZpack({"convert", "-q", "--level", "1", repo_.path(),
                      dir_ / "out/y.zpack"})
                .exit_code,
            0);
  // The first one's temporary is still there, and it can still finish.
  EXPECT_THAT(ListDirectory(dir_ / "out"),
              ElementsAre(".x.zpack.zpack-tmp", "y.zpack"));
  first.Signal(SIGTERM);
  EXPECT_EQ(first.Wait().signal, SIGTERM);
  // It is removed, or kept to be continued; no other run holds it.
  EXPECT_EQ(RunZpack({"convert", "-q", "--level", "1", repo_.path(), file_})
                .exit_code,
            0);
  EXPECT_THAT(ListDirectory(dir_ / "out"), ElementsAre("x.zpack", "y.zpack"));
}

TEST_F(InterruptionTest, OnlyOneOfTwoConvertsWithoutForceWins) {
  const std::vector<std::string> convert = {"convert", "-q",         "--level",
                                            "1",       repo_.path(), file_};
  ZpackProcess first(convert);
  ZpackProcess second(convert);
  const int one = first.Wait().exit_code;
  const int two = second.Wait().exit_code;
  EXPECT_THAT((std::vector<int>{one, two}),
              ::testing::UnorderedElementsAre(0, 128));
  EXPECT_TRUE(RunZpack({"verify", "-q", file_}).ok());
  EXPECT_THAT(ListDirectory(dir_ / "out"), ElementsAre("x.zpack"));
}

}  // namespace
}  // namespace zpack::testing
