// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that updates made: what they grow by, and that everything comes back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/update_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::Contains;
using ::testing::Not;

class FarBasesTest : public UpdateFixture {
 protected:
  std::vector<std::string> Features() const {
    const ProcessResult shown = RunZpack({"show", "--json", file_});
    return nlohmann::json::parse(shown.out)["required_features"];
  }

  // Reads the file in several ways, and compares it with a fresh conversion.
  void ExpectWhole(const std::vector<std::string>& options = {}) const {
    EXPECT_EQ(
        RunZpack({"verify", "-q", "--level", "connectivity", file_}).exit_code,
        0);
    const std::string fresh = dir_ / "fresh.zpack";
    std::vector<std::string> convert = {"convert", "-qf"};
    convert.insert(convert.end(), options.begin(), options.end());
    convert.insert(convert.end(), {repo_.path(), fresh});
    EXPECT_EQ(RunZpack(convert).exit_code, 0);
    EXPECT_EQ(RunZpack({"diff", fresh, file_}).exit_code, 0);
    const std::vector<std::string> walk = {"rev-list", "--objects", "--all"};
    const auto walked = [&](const std::string& file) {
      std::vector<std::string> command = walk;
      command.push_back(file);
      return RunZpack(command).out;
    };
    EXPECT_EQ(walked(file_), walked(fresh));
    EXPECT_EQ(Restore({"-q"}).exit_code, 0);
    EXPECT_EQ(
        RunProcess({"git", "-C", restored_, "fsck", "--strict"}).exit_code, 0);
  }
};

TEST_F(FarBasesTest, UpdatesTakeWhatChanged) {
  std::mt19937 random(1);
  for (int i = 0; i < 150; ++i) {
    Write("d/f" + std::to_string(i), Lines(random, 60));
  }
  Commit("first");
  ASSERT_EQ(Update({"-q"}).exit_code, 0);
  EXPECT_THAT(Features(), Not(Contains("far-bases")));
  for (int night = 0; night < 8; ++night) {
    const auto before = std::filesystem::file_size(file_);
    const std::string name = "d/f" + std::to_string(night % 3);
    Write(name, ReadFile(repo_.path() + '/' + name) + Lines(random, 2));
    Commit("night " + std::to_string(night));
    ASSERT_EQ(Update({"-q"}).exit_code, 0);
    // The blob alone has 900 bytes that do not compress, and the tree 3,000.
    EXPECT_LE(std::filesystem::file_size(file_) - before, 1500U) << night;
  }
  EXPECT_THAT(Features(), Contains("far-bases"));
  ExpectWhole();
}

TEST_F(FarBasesTest, StatisticsCountTheBlocksOfBases) {
  std::mt19937 random(3);
  std::string text = Lines(random, 60);
  Write("other", Lines(random, 600));
  Write("f", text);
  Commit("first");
  ASSERT_EQ(Update({"-q"}).exit_code, 0);
  const auto statistics = [&] {
    return nlohmann::json::parse(
        RunZpack({"show", "--stats", "--json", file_}).out);
  };
  const uint64_t first_block = statistics()["block_data"]["maximum"];
  uint64_t rebuilt = text.size();
  for (int night = 0; night < 3; ++night) {
    text += Lines(random, 2);
    rebuilt += text.size();
    Write("f", text);
    Commit("night " + std::to_string(night));
    ASSERT_EQ(Update({"-q"}).exit_code, 0);
  }
  const auto after = statistics();
  EXPECT_EQ(after["chain_lengths"]["maximum"], 3);
  EXPECT_GE(after["rebuilt_bytes"]["maximum"], rebuilt);
  EXPECT_GT(after["block_data"]["maximum"], first_block);
}

TEST_F(FarBasesTest, DamageOfAnOldObjectInTheRepositoryDoesNotMatter) {
  std::mt19937 random(2);
  const std::string old = Lines(random, 200);
  Write("f", old);
  Write("g", old + "g\n");
  Commit("first");
  ASSERT_EQ(Update({"-q"}).exit_code, 0);
  std::string id = repo_.Git({"rev-parse", "HEAD:f"});
  while (!id.empty() && id.back() == '\n') id.pop_back();
  Write("f", old + "one more\n");
  Write("g", old + "g\none more\n");
  Commit("second");
  // Another object under the id, which has the right size.
  const std::string other = old.substr(1) + "x";
  WriteFile(dir_ / "other", other);
  std::string other_id = repo_.Git({"hash-object", "-w", dir_ / "other"});
  while (!other_id.empty() && other_id.back() == '\n') other_id.pop_back();
  const auto loose = [&](const std::string& name) {
    return repo_.git_dir() + "/objects/" + name.substr(0, 2) + '/' +
           name.substr(2);
  };
  std::filesystem::remove(loose(id));
  std::filesystem::rename(loose(other_id), loose(id));
  ASSERT_EQ(Update({"-q"}).exit_code, 0);
  EXPECT_EQ(
      RunZpack({"verify", "-q", "--level", "connectivity", file_}).exit_code,
      0);
  EXPECT_EQ(RunZpack({"cat-file", "-p", file_, id}).out, old);
  EXPECT_EQ(RunZpack({"cat-file", "-p", file_, "HEAD:f"}).out,
            old + "one more\n");
}

TEST_F(FarBasesTest, RandomHistoriesComeBack) {
  for (const std::string profile : {"balanced", "cold"}) {
    SCOPED_TRACE(profile);
    std::filesystem::remove(file_);
    std::mt19937 random(7);
    const auto below = [&](unsigned n) { return random() % n; };
    std::vector<std::string> branches = {profile};
    repo_.Git({"checkout", "-q", "-b", profile});
    for (int step = 0; step < 60; ++step) {
      const std::string name =
          "d" + std::to_string(below(3)) + "/f" + std::to_string(below(40));
      const std::string path = repo_.path() + '/' + name;
      switch (below(8)) {
        case 0:  // a file becomes a directory, or the other way round
          std::filesystem::remove_all(path);
          Write(below(2) == 0 ? name + "/x" : name, Lines(random, 20));
          break;
        case 1:
          std::filesystem::remove_all(path);
          break;
        case 2:
          branches.push_back(profile + std::to_string(branches.size()));
          repo_.Git({"checkout", "-q", "-b", branches.back()});
          break;
        case 3:
          repo_.Git({"checkout", "-q", branches[below(branches.size())]});
          break;
        case 4:
          repo_.Git({"merge", "-q", "-s", "ours", "-m", "merge",
                     branches[below(branches.size())]});
          break;
        default:
          if (std::filesystem::is_directory(path)) {
            Write(name + "/x", Lines(random, 30));
          } else if (std::filesystem::exists(path)) {
            Write(name, ReadFile(path) + Lines(random, 3));
          } else {
            Write(name, Lines(random, 100));
          }
      }
      Commit("step " + std::to_string(step));
      if (below(4) == 0) {
        ASSERT_EQ(Update({"-q", "--profile", profile}).exit_code, 0) << step;
      }
    }
    ASSERT_EQ(Update({"-q", "--profile", profile}).exit_code, 0);
    EXPECT_THAT(Features(), Contains("far-bases"));
    ExpectWhole({"--profile", profile});
  }
}

}  // namespace
}  // namespace zpack::testing
