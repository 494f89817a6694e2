// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'verify --sample' and 'verify --since' as a user sees them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ScrubCommands : public ::testing::Test {
 protected:
  ScrubCommands() {
    repository_.History(4);
    Convert({}, older_);
    repository_.SetRef("refs/heads/new", repository_.SimpleCommit("new"));
    Convert({"--base", older_}, file_);
  }

  void Convert(std::vector<std::string> options, const std::string& path) {
    options.insert(options.begin(), {"convert", "-q", "--block-size", "4k"});
    options.insert(options.end(), {repository_.path(), path});
    EXPECT_EQ(RunZpack(options).exit_code, 0);
  }

  TempDir dir_;
  RepoBuilder repository_{dir_ / "r.git"};
  std::string older_ = dir_ / "old.zpack";
  std::string file_ = dir_ / "new.zpack";
};

TEST_F(ScrubCommands, SampleSaysWhatWasChecked) {
  const ProcessResult text =
      RunZpack({"verify", "--sample", "20%", "--seed", "5", file_});
  EXPECT_EQ(text.exit_code, 0) << ::testing::PrintToString(text);
  EXPECT_THAT(text.out, HasSubstr("blocks checked, seed 5\nnot checked: "));
  const ProcessResult result =
      RunZpack({"verify", "--json", "--sample=20%", "--seed=5", file_});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["scope"]["seed"], 5);
  EXPECT_LT(json["scope"]["blocks_checked"], json["scope"]["blocks"]);
  EXPECT_EQ(json["objects_verified"].get<int>() +
                json["scope"]["objects_left_out"].get<int>(),
            json["objects"].get<int>());
}

TEST_F(ScrubCommands, PrintedSeedRepeatsTheSample) {
  const auto sample = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"verify", "--json", "--sample", "20"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(file_);
    return nlohmann::json::parse(RunZpack(arguments).out);
  };
  const auto first = sample({});
  const auto again = sample(
      {"--seed", std::to_string(first["scope"]["seed"].get<uint32_t>())});
  EXPECT_EQ(again["scope"], first["scope"]);
  EXPECT_EQ(again["bytes_verified"], first["bytes_verified"]);
}

TEST_F(ScrubCommands, SinceSaysWhatWasNotHashed) {
  const ProcessResult text = RunZpack({"verify", "--since", older_, file_});
  EXPECT_EQ(text.exit_code, 0) << ::testing::PrintToString(text);
  EXPECT_THAT(text.out, HasSubstr("not hashed: "));
  EXPECT_THAT(text.out, HasSubstr("holds byte for byte; their checksums were "
                                  "checked\n"));
  const auto json = nlohmann::json::parse(
      RunZpack({"verify", "--json", "--since", older_, file_}).out);
  EXPECT_GT(json["scope"]["objects_left_out"], 0);
  EXPECT_TRUE(json["scope"]["seed"].is_null());
  EXPECT_THAT(RunZpack({"verify", file_}).out, Not(HasSubstr("not hashed")));
}

TEST_F(ScrubCommands, DamageIsExitCodeOne) {
  std::string bytes = ReadFile(file_);
  const size_t at = bytes.rfind("BLCK") + 50;
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  WriteFile(file_, bytes);
  EXPECT_EQ(RunZpack({"verify", "--sample", "100%", file_}).exit_code, 1);
  EXPECT_EQ(RunZpack({"verify", "--since", older_, file_}).exit_code, 1);
}

TEST_F(ScrubCommands, WrongUsage) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--sample", "0%"},
        {"--sample", "101%"},
        {"--sample", "x"},
        {"--seed", "1"},
        {"--sample", "5%", "--seed", "-1"},
        {"--sample", "5%", "--since", older_},
        {"--sample", "5%", "--against", repository_.path()},
        {"--sample", "5%", "--level", "connectivity"},
        {"--sample", "5%", "--level", "structure"},
        {"--since", ""},
        {"--since", older_, "--level", "checksums"}}) {
    std::vector<std::string> arguments = {"verify"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(file_);
    EXPECT_EQ(RunZpack(arguments).exit_code, 129)
        << ::testing::PrintToString(arguments);
  }
  EXPECT_EQ(RunZpack({"verify", "--since", file_, file_}).exit_code, 128);
  EXPECT_EQ(RunZpack({"verify", "--since", dir_ / "none", file_}).exit_code,
            128);
}

}  // namespace
}  // namespace zpack::testing
