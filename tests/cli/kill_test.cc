// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs that are killed at any moment, with kill -9 as well: a destination is
// the old one or the new one, and what is left behind is taken over or
// continued.
//
// ZPACK_KILL_MOMENTS=50 in the environment kills at 50 moments instead of 5.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/interruption_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint32_t kKillSeed = 20240229;
constexpr auto kPatience = std::chrono::minutes(2);

using KillTest = InterruptionFixture;

TEST_F(KillTest, KillLeavesTheOldFileOrTheNewOne) {
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

  std::mt19937 random(kKillSeed);
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
        << "seed " << kKillSeed << ", moment " << i << ", after "
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

TEST_F(KillTest, InterruptedConvertIsResumed) {
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
  const std::string left = ReadFile(Temporary());
  std::vector<std::string> resume = SlowConvert();
  resume.insert(resume.begin() + 1, "--resume");
  EXPECT_THAT(RunZpack(resume).err,
              ::testing::ContainsRegex("\nResumed: [0-9]+ blocks? in .* were "
                                       "there from the interrupted run.\n"));
  fs::remove(file_);
  WriteFile(Temporary(), left);
  resume.insert(resume.begin() + 1, "--json");
  const ProcessResult result = RunZpack(resume);
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(result.out, HasSubstr("\"resumed_blocks\": "));
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("\"resumed_blocks\": 0")));
  EXPECT_THAT(result.out, HasSubstr("\"resumed_bytes\": "));
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("\"resumed_bytes\": 0")));
  EXPECT_THAT(result.out, HasSubstr("\"resume_unused\": null"));
  EXPECT_TRUE(
      RunZpack({"verify", "-q", "--against", repo_.path(), file_}).ok());
  EXPECT_THAT(ListDirectory(dir_ / "out"), ElementsAre("x.zpack"));
}

TEST_F(KillTest, ResumeSaysWhetherThereWasSomethingToResume) {
  const std::vector<std::string> resume = {"convert", "--resume",   "--level",
                                           "1",       repo_.path(), file_};
  EXPECT_THAT(RunZpack(resume).err,
              HasSubstr("\nThere was nothing to resume.\n"));
  fs::remove(file_);
  WriteFile(Temporary(), "something else");
  const ProcessResult other = RunZpack(resume);
  EXPECT_THAT(other.err, HasSubstr("warning: cannot resume, started from the "
                                   "beginning: it is not the beginning"));
  EXPECT_THAT(other.err, ::testing::Not(HasSubstr("nothing to resume")));
  fs::remove(file_);
  WriteFile(Temporary(), "something else");
  std::vector<std::string> json = resume;
  json.insert(json.begin() + 1, "--json");
  EXPECT_THAT(RunZpack(json).out, HasSubstr("\"resume_unused\": \"it is not"));
}

TEST_F(KillTest, KilledConvertIsResumed) {
  const std::vector<std::string> convert = {
      "convert",      "-q",  "--force",    "--level", "3",
      "--block-size", "16k", repo_.path(), file_};
  const ProcessResult whole = RunZpack(convert);
  ASSERT_EQ(whole.exit_code, 0);
  const std::string expected = ReadFile(file_);
  fs::remove(file_);
  std::vector<std::string> resume = convert;
  resume.insert(resume.begin() + 1, "--resume");
  std::mt19937 random(kKillSeed);
  std::uniform_real_distribution<double> fraction(0.0, 1.0);
  for (int i = 0; i < 8; ++i) {
    ProcessOptions options;
    options.kill_after = std::chrono::microseconds(
        1 + static_cast<int64_t>(fraction(random) * whole.seconds * 1e6));
    (void)RunZpack(resume, options);
  }
  EXPECT_EQ(RunZpack(resume).exit_code, 0);
  EXPECT_TRUE(ReadFile(file_) == expected) << "seed " << kKillSeed;
  EXPECT_THAT(ListDirectory(dir_ / "out"), ElementsAre("x.zpack"));
}

TEST_F(KillTest, KilledRestoreLeavesTheOldRepositoryOrTheNewOne) {
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
  std::mt19937 random(kKillSeed);
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
