// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs that write files of a chain and are killed at any moment, with kill -9:
// the new file is whole or not there, no other file is changed, and the same
// command then succeeds.
//
// ZPACK_KILL_MOMENTS=50 in the environment kills at 50 moments instead of 5.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/interruption_fixture.h"
#include "writer/container_writer.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kChainKillSeed = 20261128;

class ChainKillTest : public InterruptionFixture {
 protected:
  using Files = std::map<std::string, std::string>;  // contents by name

  ChainKillTest() { fs::create_directories(directory_); }

  // Files without temporary ones.
  Files Read() const {
    Files files;
    for (const std::string& name : ListDirectory(directory_)) {
      if (name.ends_with(".zpack")) {
        files[name] = ReadFile(directory_ + '/' + name);
      }
    }
    return files;
  }
  void Reset(const Files& files) const {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    for (const auto& [name, content] : files) {
      WriteFile(directory_ + '/' + name, content);
    }
  }
  void Add(const std::string& ref) const {
    repo_.SetRef("refs/heads/" + ref, repo_.SimpleCommit(ref));
    repo_.WriteBlob(RawToHex(RandomBytes(ref.size(), 100000)));
  }
  static void Run(const std::vector<std::string>& command) {
    const ProcessResult result = RunZpack(command);
    ASSERT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  }

  // Kills `command` at many moments. The files must be those of before or those
  // that the command leaves.
  void Sweep(const std::vector<std::string>& command) {
    const char* const given = std::getenv("ZPACK_KILL_MOMENTS");
    const int moments = given != nullptr ? std::atoi(given) : 5;
    const Files before = Read();
    const ProcessResult whole = RunZpack(command);
    ASSERT_EQ(whole.exit_code, 0) << ::testing::PrintToString(whole);
    const Files after = Read();
    ASSERT_TRUE(before != after);
    std::mt19937 random(kChainKillSeed);
    std::uniform_real_distribution<double> fraction(0.0, 1.1);
    int killed = 0;
    for (int i = 0; i < moments; ++i) {
      Reset(before);
      ProcessOptions options;
      options.kill_after = std::chrono::microseconds(
          1 + static_cast<int64_t>(fraction(random) * whole.seconds * 1e6));
      const ProcessResult result = RunZpack(command, options);
      killed += result.signal == SIGKILL ? 1 : 0;
      const Files now = Read();
      EXPECT_TRUE(now == after || (now == before && result.exit_code != 0))
          << "seed " << kChainKillSeed << ", moment " << i << ", after "
          << options.kill_after.count() << " us";
      // What it left is taken over.
      if (now == before) {
        const ProcessResult again = RunZpack(command);
        EXPECT_EQ(again.exit_code, 0) << ::testing::PrintToString(again);
      }
      EXPECT_TRUE(Read() == after) << "moment " << i;
      EXPECT_EQ(ListDirectory(directory_).size(), after.size())
          << "a temporary file was left";
    }
    EXPECT_GT(killed, 0);
  }

  const std::string directory_ = dir_ / "chain";
  const std::string first_ = directory_ + "/x.0000.zpack";
  const std::string second_ = directory_ + "/x.0001.zpack";
  const std::string third_ = directory_ + "/x.0002.zpack";
};

TEST_F(ChainKillTest, KilledConvertOntoAFileLeavesNoneOrTheNewOne) {
  Run({"convert", "-q", "--level", "3", repo_.path(), first_});
  Add("new");
  Sweep({"convert", "-q", "--level", "3", "--onto", first_, repo_.path(),
         second_});
  Run({"verify", "-q", "--against", repo_.path(), second_});
}

TEST_F(ChainKillTest, KilledConvertOntoTheLatestFileLeavesNoneOrTheNewOne) {
  const std::vector<std::string> convert = {
      "convert",       "-q",       "--level",   "3",
      "--onto-latest", directory_, repo_.path()};
  Run(convert);
  Add("new");
  Sweep(convert);
  // Another run writes nothing.
  const Files after = Read();
  Run(convert);
  EXPECT_TRUE(Read() == after);
}

// A run that is killed while it adds parity leaves a temporary file beside the
// latest file. The next run gives its file another name.
TEST_F(ChainKillTest, TheNextRunRemovesWhatKilledParityLeft) {
  const std::vector<std::string> convert = {
      "convert",       "-q",       "--level",   "3", "--redundancy", "100%",
      "--onto-latest", directory_, repo_.path()};
  Run(convert);
  const std::string name = ListDirectory(directory_).front();
  const std::string left = directory_ + "/." + name + ".zpack-tmp";
  const std::string bytes = ReadFile(directory_ + '/' + name);
  const auto leave = [&] { WriteFile(left, bytes.substr(0, 1000)); };
  for (const bool changed : {false, true}) {
    SCOPED_TRACE(changed);
    leave();
    if (changed) Add("new");
    Run(convert);
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(ReadFile(directory_ + '/' + name) == bytes);
  }
  Add("newer");
  Run({"convert", "-q", "--dry-run", "--onto-latest", directory_,
       repo_.path()});
  leave();
  Run({"convert", "-q", "--dry-run", "--onto", directory_ + '/' + name,
       repo_.path(), second_});
  EXPECT_TRUE(fs::exists(left));
  // A process that is still at work keeps its file.
  const int held = open(left.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
  Run({"convert", "-q", "--onto", directory_ + '/' + name, repo_.path(),
       directory_ + "/a.zpack"});
  EXPECT_TRUE(fs::exists(left));
  close(held);
  // So does a conversion that can be continued.
  WriteFile(left, std::string(kUnfinishedMarker) + bytes);
  Run({"convert", "-q", "--onto", directory_ + '/' + name, repo_.path(),
       directory_ + "/b.zpack"});
  EXPECT_TRUE(fs::exists(left));
}

TEST_F(ChainKillTest, KilledConsolidateLeavesTheFilesOrTheNewOne) {
  Run({"convert", "-q", "--level", "3", repo_.path(), first_});
  Add("new");
  Run({"convert", "-q", "--level", "3", "--onto", first_, repo_.path(),
       second_});
  Add("newer");
  Run({"convert", "-q", "--level", "3", "--onto", second_, repo_.path(),
       third_});
  const Files chain = Read();
  const std::string next = directory_ + "/x.0003.zpack";
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{third_, next},
        {"--geometric", "2", third_, next},
        // In the place of the latest file.
        {"--force", "--from", "2", third_, third_},
        {"--profile", "fast", "--force", third_, third_}}) {
    SCOPED_TRACE(::testing::PrintToString(options));
    Reset(chain);
    std::vector<std::string> command = {"consolidate", "-q"};
    command.insert(command.end(), options.begin(), options.end());
    Sweep(command);
    Run({"verify", "-q", "--against", repo_.path(), options.back()});
  }
}

}  // namespace
}  // namespace zpack::testing
