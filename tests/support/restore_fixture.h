// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of 'git-zpack restore' share: a repository, a file made of it, and
// a directory to restore in. Thread-compatible.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {

class RestoreFixture : public ::testing::Test {
 protected:
  RestoreFixture() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    repo_.History(3);
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
    std::filesystem::create_directories(out_);
  }

  // Restores into `directory`, quietly.
  ProcessResult Restore(const std::string& directory,
                        const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"restore", "-q"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {file_, directory});
    return RunZpack(arguments);
  }

  // Exit code 128 and a message that contains `why`.
  void ExpectRefused(const std::string& directory, const std::string& why,
                     const std::vector<std::string>& options = {}) const {
    const ProcessResult result = Restore(directory, options);
    EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, ::testing::StartsWith("fatal: "));
    EXPECT_THAT(result.err, ::testing::HasSubstr(why));
  }

  // Whether it holds what the repository does.
  bool IsGood(const std::string& directory) const {
    return ReadState(directory) == ReadState(repo_.path());
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
  std::string out_ = dir_ / "out";
};

}  // namespace zpack::testing
