// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Processes that get less memory, threads or file size than they ask for: they
// say so, end in order and leave nothing behind. Sanitizers need more of all of
// these, so this runs without.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kNobody = "65534";

class ResourceLimitsTest : public ::testing::Test {
 protected:
  ResourceLimitsTest() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    repo_.History(20);
    for (uint64_t i = 0; i < 4; ++i) {
      repo_.WriteBlob(RawToHex(RandomBytes(i, 100000)));
    }
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
    fs::create_directories(dir_ / "out");
  }

  // Runs the program under 'ulimit <limit>'.
  ProcessResult RunLimited(const std::string& limit,
                           const std::vector<std::string>& arguments,
                           std::vector<std::string> prefix = {}) const {
    prefix.insert(prefix.end(),
                  {"bash", "-c", "ulimit " + limit + "; exec \"$0\" \"$@\"",
                   ZpackBinary()});
    prefix.insert(prefix.end(), arguments.begin(), arguments.end());
    ProcessOptions options;
    options.environment = HermeticEnvironment(dir_.path());
    return RunProcess(prefix, options);
  }

  // Runs the program so that `count` allocations fail, beginning with the
  // number `first`.
  ProcessResult RunWithoutMemory(const std::vector<std::string>& arguments,
                                 uint64_t first, uint64_t count) const {
    ProcessOptions options;
    options.environment = HermeticEnvironment(dir_.path());
    options.environment.push_back("LD_PRELOAD=" ZPACK_MEMORY_PRELOAD);
    options.environment.push_back("ZPACK_LAST_ALLOCATION=" +
                                  std::to_string(first));
    if (count != UINT64_MAX) {
      options.environment.push_back("ZPACK_ALLOCATIONS_FAIL=" +
                                    std::to_string(count));
    }
    std::vector<std::string> words = {ZpackBinary()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return RunProcess(words, options);
  }

  static std::string Memory(uint64_t kilobytes) {
    return "-v " + std::to_string(kilobytes);
  }

  // Kilobytes of address space with which the program starts at all.
  uint64_t LeastMemory() const {
    uint64_t kilobytes = 8 << 10;
    while (!RunLimited(Memory(kilobytes), {"--version"}).ok()) {
      kilobytes += 8 << 10;
    }
    return kilobytes;
  }

  // Ends as it should, and what it leaves is gone afterwards.
  void Check(const ProcessResult& result, const std::string& output) {
    EXPECT_THAT(result.exit_code, AnyOf(0, 128))
        << ::testing::PrintToString(result);
    if (result.exit_code != 0) {
      EXPECT_THAT(result.err, HasSubstr("fatal: "));
    }
    // A file to be continued is left on purpose.
    if (result.err.find("--resume") != std::string::npos) {
      EXPECT_TRUE(fs::remove(dir_ / "out/.o.zpack-tmp"));
    }
    fs::remove_all(dir_ / ("out/" + output));
    EXPECT_THAT(ListDirectory(dir_ / "out"), IsEmpty());
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
};

TEST_F(ResourceLimitsTest, EveryAmountOfMemoryIsEnoughOrAnError) {
  const uint64_t least = LeastMemory();
  const std::string out = dir_ / "out/o";
  int failed = 0;
  int done = 0;
  for (uint64_t step = 0; step < 20; ++step) {
    const std::string limit = Memory(least + step * step * (2 << 10));
    SCOPED_TRACE(limit);
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{
             {"convert", "--threads", "4", repo_.path(), out},
             {"verify", "--threads", "4", file_},
             {"restore", "--threads", "4", file_, out},
             {"rev-list", "--objects", "--all", file_}}) {
      // Only convert has many places where it can run out.
      if (command.front() != "convert" && step % 3 != 0) continue;
      SCOPED_TRACE(command.front());
      const ProcessResult result = RunLimited(limit, command);
      Check(result, "o");
      ++(result.ok() ? done : failed);
    }
  }
  EXPECT_GT(failed, 4);
  EXPECT_GT(done, 4);
}

// Libraries have places of their own where memory can run out, in any of the
// threads: OpenSSL 3.0 crashed when it had failed to make its context.
TEST_F(ResourceLimitsTest, SalvageEndsInOrderWithEveryAmountOfMemory) {
  const uint64_t least = LeastMemory();
  int failed = 0;
  int done = 0;
  for (uint64_t step = 0; step < 200; ++step) {
    const std::string limit = Memory(least + step * 128);
    SCOPED_TRACE(limit);
    const ProcessResult result = RunLimited(
        limit, {"salvage", "-q", "--threads", "4", file_, dir_ / "out/o"});
    Check(result, "o");
    ++(result.ok() ? done : failed);
  }
  EXPECT_GT(failed, 4);
  EXPECT_GT(done, 4);
}

// Of those of libraries, the first are the most dangerous: libgit2 and OpenSSL
// need memory for reporting that there is none.
TEST_F(ResourceLimitsTest, EveryAllocationMayBeTheLast) {
  const std::string out = dir_ / "out/o";
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{
           {"salvage", "-q", "--threads", "4", file_, out},
           {"verify", "--threads", "4", file_},
           {"restore", "-q", "--threads", "4", file_, out},
           {"restore", "-q", "--bundle", out, file_},
           {"protect", "-q", "--output", out, file_},
           {"cat-file", "--batch", "--batch-all-objects", "--buffer", file_},
           {"archive", "--format=tar.gz", "-o", out, file_, "HEAD"},
           {"archive", "--format=tar.zst", "-o", out, file_, "HEAD"},
           {"convert", "-q", "--threads", "4", repo_.path(), out},
           {"verify", "--threads", "4", "--against", repo_.path(), file_},
           {"report", repo_.path()}}) {
    SCOPED_TRACE(command.front());
    // From some allocation on, of whichever library, none succeeds. Without any
    // memory, what was begun may stay.
    uint64_t last = 0;
    int failed = 0;
    for (ProcessResult result; !result.ok(); last += 1 + last / 16) {
      SCOPED_TRACE(last);
      result = RunWithoutMemory(command, last, UINT64_MAX);
      EXPECT_THAT(result.exit_code, AnyOf(0, 128))
          << ::testing::PrintToString(result);
      failed += result.ok() ? 0 : 1;
      ASSERT_LT(last, uint64_t{1} << 30);
      fs::remove_all(dir_ / "out");
      fs::create_directories(dir_ / "out");
    }
    EXPECT_GT(failed, 50);
    // One fails.
    for (uint64_t one = 0; one < last; one += 1 + last / 40) {
      SCOPED_TRACE(one);
      const ProcessResult result = RunWithoutMemory(command, one, 1);
      // If it was needed for the removal itself, the next run removes this.
      fs::remove_all(dir_ / "out/.o.zpack-tmp");
      Check(result, "o");
    }
  }
}

// Where there are no threads to be had, one does everything.
TEST_F(ResourceLimitsTest, AnyNumberOfThreadsIsEnough) {
  std::vector<std::string> prefix;
  if (geteuid() == 0) {
    // The limit does not hold for root.
    prefix = {"setpriv", "--reuid", kNobody,
              "--regid", kNobody,   "--clear-groups"};
    RunProcess({"chown", "-R", kNobody, dir_.path()});
    std::vector<std::string> probe = prefix;
    probe.insert(probe.end(), {ZpackBinary(), "--version"});
    if (RunProcess({"sh", "-c", "command -v setpriv"}).exit_code != 0 ||
        RunProcess(probe).exit_code != 0) {
      GTEST_SKIP() << "cannot run " << ZpackBinary() << " as another user";
    }
  }
  const std::string out = dir_ / "out/o";
  for (int processes = 1; processes <= 4; ++processes) {
    const std::string limit = "-u " + std::to_string(processes);
    SCOPED_TRACE(limit);
    const auto run = [&](const std::vector<std::string>& command) {
      SCOPED_TRACE(command.front());
      const ProcessResult result = RunLimited(limit, command, prefix);
      EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
      Check(result, "o");
    };
    run({"convert", "-q", "--threads", "4", repo_.path(), out});
    run({"verify", "-q", "--threads", "4", file_});
    run({"restore", "-q", "--threads", "4", file_, out});
    run({"repack", "-q", "-d", "--threads", "4", repo_.path()});
  }
}

TEST_F(ResourceLimitsTest, ALimitThatOneThreadExceedsIsAWarning) {
  const std::string out = dir_ / "out/o";
  for (std::vector<std::string> command :
       {std::vector<std::string>{"convert", repo_.path(), out},
        {"convert", "--profile", "max", repo_.path(), out},
        {"repack", "-d", repo_.path()}}) {
    SCOPED_TRACE(::testing::PrintToString(command));
    const auto run = [&](const std::string& memory, bool quiet = false) {
      std::vector<std::string> words = command;
      words.insert(words.begin() + 1, "--memory=" + memory);
      if (quiet) words.insert(words.begin() + 1, "-q");
      const ProcessResult result = RunZpack(words);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      fs::remove_all(out);
      return result.err;
    };
    const std::string little = run("1k");
    const std::string start =
        "warning: '--memory 1k' is too little: one thread may take ";
    ASSERT_THAT(little, ::testing::StartsWith(start));
    const std::string least =
        little.substr(start.size(), little.find('\n') - start.size());
    EXPECT_THAT(run(least), Not(HasSubstr("warning: ")));
    const int below = std::stoi(least) - 1;
    EXPECT_GE(below, 64);
    EXPECT_THAT(run(std::to_string(below) + 'm'),
                HasSubstr("one thread may take " + least + '\n'));
    EXPECT_THAT(run("1k", true), IsEmpty());
  }
}

// A delta is rebuilt from its base, even if it is stored in pieces.
TEST_F(ResourceLimitsTest, ALimitThatALargeDeltaExceedsIsAWarning) {
  std::string text(12'000'000, '\0');
  for (char version = '1'; version <= '2'; ++version) {
    text[1000] = version;
    repo_.SetRef(std::string("refs/heads/") + version,
                 repo_.SimpleCommit(text));
  }
  repo_.Git({"repack", "-q", "-a", "-d"});
  const std::string out = dir_ / "out/o";
  const auto run = [&](const std::string& memory,
                       const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"convert", "--memory=" + memory,
                                      repo_.path(), out};
    words.insert(words.begin() + 1, more.begin(), more.end());
    const ProcessResult result = RunZpack(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    fs::remove_all(out);
    return result.err;
  };
  const std::string little = run("96m");
  const std::string start =
      "warning: '--memory 96m' is too little: one thread may take ";
  ASSERT_THAT(little, ::testing::StartsWith(start));
  const std::string least =
      little.substr(start.size(), little.find('\n') - start.size());
  EXPECT_THAT(run(least), Not(HasSubstr("warning: ")));
  EXPECT_THAT(run("96m", {"-q"}), IsEmpty());
  // What is stored whole is read in pieces.
  repo_.Git({"repack", "-q", "-a", "-d", "-F", "--window=0"});
  EXPECT_THAT(run("96m"), Not(HasSubstr("warning: ")));
}

TEST_F(ResourceLimitsTest, LimitOfTheFileSizeIsAnErrorLikeAFullDisk) {
  const std::string out = dir_ / "out/o";
  // In kilobytes.
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"convert", repo_.path(), out},
                                             {"restore", file_, out}}) {
    const ProcessResult result = RunLimited("-f 100", command);
    EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, HasSubstr("File too large"));
    EXPECT_THAT(ListDirectory(dir_ / "out"), IsEmpty());
  }
}

// What a failed restore made is removed even if it failed because no
// descriptor was left.
TEST_F(ResourceLimitsTest, EveryNumberOfDescriptorsIsEnoughOrAnError) {
  const std::string out = dir_ / "out/o";
  int failed = 0;
  int done = 0;
  for (int descriptors = 4; descriptors <= 15; ++descriptors) {
    const std::string limit = "-n " + std::to_string(descriptors);
    for (const std::vector<std::string>& command :
         std::vector<std::vector<std::string>>{
             {"restore", file_, out},
             {"restore", "-f", file_, out},
             {"salvage", file_, out},
             {"restore", "--checkout", file_, out}}) {
      SCOPED_TRACE(limit + ' ' + command.front() + ' ' + command.at(1));
      if (command.at(1) == "-f") {
        RunProcess({"git", "clone", "-q", "--bare", repo_.path(), out});
      }
      const ProcessResult result = RunLimited(limit, command);
      // The loader of programs has its own message.
      if (result.exit_code == 127) {
        fs::remove_all(out);
        continue;
      }
      // Git may be what has too few, after the restore.
      if (!result.ok() && command.at(1) != "-f" &&
          result.err.find("is complete") == std::string::npos) {
        EXPECT_FALSE(fs::exists(out)) << result.err;
      }
      Check(result, "o");
      ++(result.ok() ? done : failed);
    }
  }
  EXPECT_GT(failed, 4);
  EXPECT_GT(done, 4);
}

}  // namespace
}  // namespace zpack::testing
