// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that leave out the ids of their objects (convert --profile cold), as
// every command reads them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DerivedIdsTest : public ::testing::Test {
 protected:
  DerivedIdsTest() : repo_(dir_ / "repo"), tip_(repo_.History(9)) {
    repo_.SetRef("refs/tags/v1", repo_.WriteTag(tip_, "commit", "v1"));
    Require(RunZpack({"convert", "-q", "--profile", "cold", "--block-size=4k",
                      repo_.path(), cold_})
                .ok(),
            "convert");
    Require(RunZpack({"convert", "-q", repo_.path(), usual_}).ok(), "convert");
  }

  ProcessResult Run(std::vector<std::string> arguments) const {
    ProcessOptions options;
    options.environment = {"XDG_CACHE_HOME=" + (dir_ / "cache")};
    return RunZpack(arguments, options);
  }

  // The same output as for a file with ids.
  void ExpectSame(const std::vector<std::string>& before,
                  const std::vector<std::string>& after) const {
    std::vector<std::string> arguments = before;
    arguments.push_back(cold_);
    arguments.insert(arguments.end(), after.begin(), after.end());
    const ProcessResult cold = Run(arguments);
    arguments[before.size()] = usual_;
    const ProcessResult usual = Run(arguments);
    EXPECT_TRUE(usual.ok()) << usual.err;
    EXPECT_EQ(cold.out, usual.out) << ::testing::PrintToString(before);
    EXPECT_EQ(cold.exit_code, usual.exit_code) << cold.err;
    EXPECT_EQ(cold.err, usual.err);
  }

  std::vector<std::string> Cached() const {
    if (!std::filesystem::exists(dir_ / "cache")) return {};
    return ListDirectory(dir_ / "cache/git-zpack");
  }

  TempDir dir_;
  std::string cold_ = dir_ / "cold.zpack";
  std::string usual_ = dir_ / "usual.zpack";
  RepoBuilder repo_;
  std::string tip_;
};

TEST_F(DerivedIdsTest, EveryCommandReadsThem) {
  ExpectSame({"cat-file", "--batch-check", "--batch-all-objects"}, {});
  ExpectSame({"cat-file", "-p"}, {tip_});
  ExpectSame({"cat-file", "-t"}, {tip_.substr(0, 8)});
  ExpectSame({"cat-file", "-p"}, {"HEAD^{tree}"});
  ExpectSame({"ls-tree", "-r"}, {"HEAD"});
  ExpectSame({"rev-list", "--all", "--objects"}, {});
  ExpectSame({"list-refs", "--symref", "-d"}, {});
  const ProcessResult same = Run({"diff", cold_, usual_});
  EXPECT_TRUE(same.ok()) << same.err;
  for (const std::string& file : {cold_, usual_}) {
    const std::string restored = file + ".git";
    EXPECT_TRUE(Run({"restore", "-q", file, restored}).ok());
    EXPECT_TRUE(RunGit({"fsck", "--full", "--strict"}, restored).ok());
    EXPECT_EQ(RunGit({"for-each-ref"}, restored).out,
              RunGit({"for-each-ref"}, repo_.path()).out);
  }
}

TEST_F(DerivedIdsTest, IdsAreKeptForTheNextCommand) {
  EXPECT_THAT(Cached(), IsEmpty());
  EXPECT_TRUE(Run({"cat-file", "-e", "--no-cache", cold_, tip_}).ok());
  EXPECT_THAT(Cached(), IsEmpty());
  EXPECT_TRUE(Run({"verify", "-q", cold_}).ok());
  EXPECT_TRUE(Run({"list-refs", cold_}).ok());
  EXPECT_TRUE(Run({"show", cold_}).ok());
  EXPECT_THAT(Cached(), IsEmpty());
  EXPECT_TRUE(Run({"cat-file", "-e", cold_, tip_}).ok());
  EXPECT_EQ(Cached().size(), 2U);  // the entry and its checksums
}

// The cache has the ids of the whole file, and verify looks at the file.
TEST_F(DerivedIdsTest, VerifyDoesNotTrustTheCache) {
  EXPECT_TRUE(Run({"cat-file", "-e", cold_, tip_}).ok());
  std::string bytes = ReadFile(cold_);
  const size_t block = bytes.find("BLCK");
  ASSERT_NE(block, std::string::npos);
  bytes[block + 60] = static_cast<char>(bytes[block + 60] ^ 1);
  WriteFile(cold_, bytes);
  const ProcessResult verified = Run({"verify", cold_});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.err, HasSubstr("objects 0 to "));
  const ProcessResult salvaged =
      Run({"salvage", "-q", cold_, dir_ / "salvaged.git"});
  EXPECT_EQ(salvaged.exit_code, 1) << salvaged.err;
}

// Without the ids, those of trees and commits that name a lost object cannot be
// computed.
TEST_F(DerivedIdsTest, KeptIdsLimitWhatALostBlockCosts) {
  EXPECT_TRUE(Run({"cat-file", "-e", cold_, tip_}).ok());
  std::string bytes = ReadFile(cold_);
  const size_t block = bytes.rfind("BLCK");
  ASSERT_NE(block, std::string::npos);
  bytes[block + 60] = static_cast<char>(bytes[block + 60] ^ 1);
  WriteFile(cold_, bytes);
  const auto lost = [&](std::vector<std::string> options,
                        const std::string& name) {
    std::vector<std::string> arguments = {"salvage", "--json"};
    std::ranges::move(options, std::back_inserter(arguments));
    arguments.push_back(cold_);
    arguments.push_back(dir_ / name);
    const ProcessResult salvaged = Run(arguments);
    EXPECT_EQ(salvaged.exit_code, 1) << salvaged.err;
    return nlohmann::json::parse(salvaged.out);
  };
  const auto without = lost({"--no-cache"}, "without.git");
  const auto with = lost({}, "with.git");
  EXPECT_GT(without.at("lost_objects"), with.at("lost_objects"));
  EXPECT_EQ(with.at("lost_ids").size(), with.at("lost_objects"));
  // All commits are in other blocks.
  EXPECT_EQ(std::to_string(with.at("commits").get<int>()) + "\n",
            RunGit({"rev-list", "--all", "--count"}, repo_.path()).out);
}

TEST_F(DerivedIdsTest, ParityInTheFileRepairsIt) {
  EXPECT_TRUE(Run({"protect", "-q", "--redundancy=20%", cold_}).ok());
  const std::string good = ReadFile(cold_);
  std::string bytes = good;
  const size_t block = bytes.find("BLCK");
  bytes[block + 60] = static_cast<char>(bytes[block + 60] ^ 1);
  WriteFile(cold_, bytes);
  const ProcessResult repaired = Run({"repair", "-q", "--in-place", cold_});
  EXPECT_TRUE(repaired.ok()) << repaired.err;
  EXPECT_TRUE(ReadFile(cold_) == good);
  EXPECT_TRUE(Run({"verify", "-q", "--level=connectivity", cold_}).ok());
}

TEST_F(DerivedIdsTest, UpdatesKeepThemOut) {
  repo_.History(3);
  const ProcessResult updated = Run({"convert", "--update", "--profile", "cold",
                                     "--block-size=4k", repo_.path(), cold_});
  EXPECT_TRUE(updated.ok()) << updated.err;
  EXPECT_THAT(Run({"show", cold_}).out, HasSubstr("derived-ids"));
  EXPECT_TRUE(Run({"verify", "--level=connectivity", cold_}).ok());
  // And another profile puts them back.
  EXPECT_TRUE(Run({"convert", "-f", "-q", "--base", cold_, repo_.path(),
                   dir_ / "back.zpack"})
                  .ok());
  EXPECT_THAT(Run({"show", dir_ / "back.zpack"}).out,
              ::testing::Not(HasSubstr("derived-ids")));
  EXPECT_TRUE(
      Run({"verify", "--level=connectivity", dir_ / "back.zpack"}).ok());
}

}  // namespace
}  // namespace zpack::testing
