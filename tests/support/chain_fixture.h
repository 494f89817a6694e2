// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of files that depend on each other share: a repository, files of
// it, and what a file is compared with.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/update_fixture.h"

namespace zpack::testing {

class ChainFixture : public UpdateFixture {
 protected:
  std::string File(int number) const {
    return dir_ / ("out/x." + std::to_string(number) + ".zpack");
  }
  ProcessResult Convert(std::vector<std::string> options) const {
    options.insert(options.begin(), "convert");
    return RunZpack(options);
  }
  // Writes file `number`, which depends on the one before it.
  void Add(int number, std::vector<std::string> options = {}) const {
    options.emplace_back("-q");
    if (number > 0) options.insert(options.end(), {"--onto", File(number - 1)});
    options.insert(options.end(), {repo_.path(), File(number)});
    const ProcessResult result = Convert(options);
    ASSERT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  }
  // Three files with one commit more each.
  void AddThree() const {
    std::mt19937 random(3);
    std::string text = Lines(random, 300);
    for (int i = 0; i < 3; ++i) {
      text += Lines(random, 2);
      Write("d/f", text);
      Commit("commit " + std::to_string(i));
      Add(i);
    }
  }
  static std::string Output(std::vector<std::string> command) {
    const ProcessResult result = RunZpack(command);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    return result.out;
  }
  static std::string Error(const std::vector<std::string>& command,
                           int exit_code = 128) {
    const ProcessResult result = RunZpack(command);
    EXPECT_EQ(result.exit_code, exit_code) << ::testing::PrintToString(result);
    return result.err + result.out;
  }
  // `file` is intact and has what the repository has.
  void ExpectWhole(const std::string& file) const {
    SCOPED_TRACE(file);
    Output({"verify", "-q", "--level", "connectivity", "--against",
            repo_.path(), file});
    const std::string fresh = dir_ / "fresh.zpack";
    Output({"convert", "-qf", repo_.path(), fresh});
    Output({"diff", fresh, file});
    EXPECT_EQ(Output({"rev-list", "--objects", "--all", file}),
              Output({"rev-list", "--objects", "--all", fresh}));
    EXPECT_EQ(Output({"list-refs", file}), Output({"list-refs", fresh}));
    EXPECT_EQ(Output({"list-files", file}), Output({"list-files", fresh}));
    const std::string restored = dir_ / "back.git";
    Output({"restore", "-qf", file, restored});
    EXPECT_EQ(RunProcess({"git", "-C", restored, "fsck", "--strict"}).exit_code,
              0);
    std::filesystem::remove_all(restored);
  }
  size_t FilesBelow(const std::string& file) const {
    return nlohmann::json::parse(Output({"show", "--json", file}))["depends_on"]
        .size();
  }
};

}  // namespace zpack::testing
