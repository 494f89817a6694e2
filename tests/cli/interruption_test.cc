// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals, kill -9 and two processes at once: a destination is always the old
// one or the new one, and whatever is left behind is taken over.
//
// ZPACK_KILL_MOMENTS=50 in the environment kills at 50 moments instead of 5.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint32_t kSeed = 20240229;
constexpr auto kPatience = std::chrono::minutes(2);

class InterruptionTest : public ::testing::Test {
 protected:
  InterruptionTest() : repo_(dir_ / "repo"), file_(dir_ / "out/x.zpack") {
    repo_.History(20);
    // Hexadecimal digits: slow to compress at high levels.
    for (uint64_t i = 0; i < 24; ++i) {
      repo_.WriteBlob(RawToHex(RandomBytes(i, 250000)));
    }
    fs::create_directories(dir_ / "out");
  }

  // Takes many times as long as it takes to send a signal.
  std::vector<std::string> SlowConvert() const {
    return {"convert", "--force",      "--progress", "--level",
            "22",      "--block-size", "64k",        "--threads",
            "1",       repo_.path(),   file_};
  }

  void ExpectSignalEnds(int signal) {
    WriteFile(file_, "old");
    ZpackProcess process(SlowConvert());
    ASSERT_TRUE(process.WaitForErr("Counting objects"));
    process.Signal(signal);
    const ProcessResult result = process.Wait();
    // Of the signal itself, so that a shell ends its script, too.
    EXPECT_EQ(result.signal, signal) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, ::testing::Not(HasSubstr("fatal")));
    EXPECT_EQ(ReadFile(file_), "old");
    // A temporary is kept only if the signal came so late that it can be used.
    const bool kept = Exists(Temporary());
    EXPECT_EQ(kept, result.err.find("hint: ") != std::string::npos);
    EXPECT_THAT(ListDirectory(dir_ / "out"), ::testing::SizeIs(kept ? 2U : 1U));
  }

  std::string Temporary() const { return dir_ / "out/.x.zpack.zpack-tmp"; }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
};

TEST_F(InterruptionTest, SigintEndsConvertInOrder) { ExpectSignalEnds(SIGINT); }

TEST_F(InterruptionTest, SigtermEndsConvertInOrder) {
  ExpectSignalEnds(SIGTERM);
}

// 128 + SIGHUP would be the exit code for wrong usage.
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

TEST_F(InterruptionTest, KillLeavesTheOldFileOrTheNewOne) {
  const char* const given = std::getenv("ZPACK_KILL_MOMENTS");
  const int moments = given != nullptr ? std::atoi(given) : 5;
  const std::vector<std::string> convert = {
      "convert",      "-q",   "--force",    "--level", "3",
      "--block-size", "256k", repo_.path(), file_};
  ASSERT_EQ(RunZpack(convert).exit_code, 0);
  const std::string old_bytes = ReadFile(file_);
  repo_.SetRef("refs/heads/new", repo_.SimpleCommit("new"));
  const ProcessResult whole = RunZpack(convert);
  ASSERT_EQ(whole.exit_code, 0);
  const std::string new_bytes = ReadFile(file_);
  ASSERT_TRUE(old_bytes != new_bytes);

  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> fraction(0.0, 1.1);
  int killed = 0;
  for (int i = 0; i < moments; ++i) {
    WriteFile(file_, old_bytes);
    ProcessOptions options;
    options.kill_after = std::chrono::microseconds(
        1 + static_cast<int64_t>(fraction(random) * whole.seconds * 1e6));
    const ProcessResult result = RunZpack(convert, options);
    killed += result.signal == SIGKILL ? 1 : 0;
    const std::string now = ReadFile(file_);
    EXPECT_TRUE(now == old_bytes || now == new_bytes)
        << "seed " << kSeed << ", moment " << i << ", after "
        << options.kill_after.count() << " us";
    if (result.exit_code == 0) {
      EXPECT_TRUE(now == new_bytes);
    }
  }
  EXPECT_GT(killed, 0);
  // What the last one left is taken over.
  EXPECT_EQ(RunZpack(convert).exit_code, 0);
  EXPECT_THAT(ListDirectory(dir_ / "out"), ElementsAre("x.zpack"));
}

TEST_F(InterruptionTest, InterruptedConvertIsResumed) {
  ZpackProcess process(SlowConvert());
  ASSERT_TRUE(process.WaitForErr("Compressing objects"));
  // Until blocks were written; the rest takes many times as long.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (fs::file_size(Temporary()) < 300000 &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  process.Signal(SIGINT);
  const ProcessResult interrupted = process.Wait();
  EXPECT_EQ(interrupted.signal, SIGINT);
  EXPECT_THAT(interrupted.err, HasSubstr("hint: run it again with --resume"));
  EXPECT_THAT(ListDirectory(dir_ / "out"), ElementsAre(".x.zpack.zpack-tmp"));
  std::vector<std::string> resume = SlowConvert();
  resume.insert(resume.begin() + 1, {"--resume", "--json"});
  const ProcessResult result = RunZpack(resume);
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(result.out, HasSubstr("\"resumed_blocks\": "));
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("\"resumed_blocks\": 0")));
  EXPECT_TRUE(
      RunZpack({"verify", "-q", "--against", repo_.path(), file_}).ok());
  EXPECT_THAT(ListDirectory(dir_ / "out"), ElementsAre("x.zpack"));
}

TEST_F(InterruptionTest, KilledConvertIsResumed) {
  const std::vector<std::string> convert = {
      "convert",      "-q",  "--force",    "--level", "3",
      "--block-size", "16k", repo_.path(), file_};
  const ProcessResult whole = RunZpack(convert);
  ASSERT_EQ(whole.exit_code, 0);
  const std::string expected = ReadFile(file_);
  fs::remove(file_);
  std::vector<std::string> resume = convert;
  resume.insert(resume.begin() + 1, "--resume");
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> fraction(0.0, 1.0);
  for (int i = 0; i < 8; ++i) {
    ProcessOptions options;
    options.kill_after = std::chrono::microseconds(
        1 + static_cast<int64_t>(fraction(random) * whole.seconds * 1e6));
    (void)RunZpack(resume, options);
  }
  EXPECT_EQ(RunZpack(resume).exit_code, 0);
  EXPECT_TRUE(ReadFile(file_) == expected) << "seed " << kSeed;
  EXPECT_THAT(ListDirectory(dir_ / "out"), ElementsAre("x.zpack"));
}

TEST_F(InterruptionTest, KilledRestoreLeavesTheOldRepositoryOrTheNewOne) {
  ASSERT_EQ(RunZpack({"convert", "-q", "--level", "1", repo_.path(), file_})
                .exit_code,
            0);
  const RepoBuilder old(dir_ / "r.git");
  old.History(2);
  const RepositoryState old_state = ReadState(old.path());
  const RepositoryState new_state = ReadState(repo_.path());
  const std::vector<std::string> restore = {"restore", "-q", "--force", file_,
                                            old.path()};
  const ProcessResult whole =
      RunZpack({"restore", "-q", file_, dir_ / "other.git"});
  ASSERT_EQ(whole.exit_code, 0);
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> fraction(0.0, 1.1);
  for (int i = 0; i < 3; ++i) {
    ProcessOptions options;
    options.kill_after = std::chrono::microseconds(
        1 + static_cast<int64_t>(fraction(random) * whole.seconds * 1e6));
    (void)RunZpack(restore, options);
    const RepositoryState now = ReadState(old.path());
    EXPECT_TRUE(now == old_state || now == new_state) << "moment " << i;
  }
  EXPECT_EQ(RunZpack(restore).exit_code, 0);
  EXPECT_TRUE(ReadState(old.path()) == new_state);
  EXPECT_FALSE(Exists(dir_ / ".r.git.zpack-tmp"));
}

}  // namespace
}  // namespace zpack::testing
