// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'convert --dry-run' tells what a conversion would make, and makes nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Json = nlohmann::json;

class DryRunTest : public ::testing::Test {
 protected:
  DryRunTest() : repo_(dir_ / "repo") {
    repo_.History(3);
    fs::create_directories(out_);
  }

  ProcessResult Convert(std::vector<std::string> options) const {
    options.insert(options.begin(), "convert");
    options.insert(options.end(), {repo_.path(), file_});
    return RunZpack(options);
  }

  Json ConvertJson(std::vector<std::string> options) const {
    options.emplace_back("--json");
    const ProcessResult result = Convert(options);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    return Json::parse(result.out, nullptr, false);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string out_ = dir_ / "out";
  std::string file_ = out_ + "/x.zpack";
};

TEST_F(DryRunTest, TellsTheSizeAndLeavesNothing) {
  const Json told = ConvertJson({"--dry-run"});
  EXPECT_EQ(told["dry_run"], true);
  EXPECT_EQ(told["verified"], true);
  EXPECT_THAT(ListDirectory(out_), IsEmpty());
  const Json made = ConvertJson({});
  EXPECT_EQ(made["dry_run"], false);
  EXPECT_EQ(told["file_bytes"], made["file_bytes"]);
  EXPECT_EQ(told["file_bytes"], fs::file_size(file_));
}

TEST_F(DryRunTest, SummarySaysThatNothingWasConverted) {
  EXPECT_THAT(Convert({"--dry-run"}).err,
              HasSubstr("Would convert 18 objects"));
  EXPECT_THAT(Convert({"--dry-run", "--no-verify"}).err,
              HasSubstr(", not verified; "));
}

TEST_F(DryRunTest, AnExistingFileStays) {
  WriteFile(file_, "mine");
  const ProcessResult refused = Convert({"--dry-run"});
  EXPECT_EQ(refused.exit_code, 128);
  EXPECT_THAT(refused.err, HasSubstr("already exists"));
  EXPECT_TRUE(Convert({"--dry-run", "--force"}).ok());
  EXPECT_EQ(ReadFile(file_), "mine");
}

TEST_F(DryRunTest, OfAnUpdateTellsWhatWouldBeAdded) {
  ASSERT_TRUE(Convert({"-q"}).ok());
  const std::string before = ReadFile(file_);
  EXPECT_EQ(ConvertJson({"--dry-run", "--update"})["update"], "unchanged");
  repo_.WriteBlob("new");
  const ProcessResult dry = Convert({"--dry-run", "--update"});
  EXPECT_THAT(dry.err, HasSubstr("Would copy 18 objects in "));
  EXPECT_THAT(dry.err, HasSubstr(", add 1 in "));
  const Json told = ConvertJson({"--dry-run", "--update"});
  EXPECT_EQ(told["update"], "updated");
  EXPECT_TRUE(ReadFile(file_) == before);
  EXPECT_EQ(told["file_bytes"], ConvertJson({"--update"})["file_bytes"]);
}

TEST_F(DryRunTest, WhatAnInterruptedRunLeftStays) {
  const std::string left = out_ + "/.x.zpack.zpack-tmp";
  WriteFile(left, "blocks");
  EXPECT_TRUE(Convert({"--dry-run", "-q"}).ok());
  EXPECT_EQ(ReadFile(left), "blocks");
  EXPECT_THAT(ListDirectory(out_), ElementsAre(".x.zpack.zpack-tmp"));
}

TEST_F(DryRunTest, AFailureLeavesNothing) {
  fs::remove(repo_.LooseObjectPath(repo_.Git({"rev-parse", "HEAD^{tree}"})));
  const ProcessResult result = Convert({"--dry-run"});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, StartsWith("fatal: "));
  EXPECT_THAT(ListDirectory(out_), IsEmpty());
}

TEST_F(DryRunTest, OptionsThatNeedAFileAreRefused) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--resume"},
                                             {"--redundancy", "5%"}}) {
    std::vector<std::string> all = options;
    all.emplace_back("--dry-run");
    const ProcessResult result = Convert(all);
    EXPECT_EQ(result.exit_code, 129) << options.front();
    EXPECT_THAT(result.err, HasSubstr("cannot be used together"));
  }
  EXPECT_EQ(RunZpack({"convert", "--dry-run", repo_.path(), "-"}).exit_code,
            129);
}

}  // namespace
}  // namespace zpack::testing
