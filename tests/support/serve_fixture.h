// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of serving share: a repository, a file made of it below a root,
// and the programs on the PATH. Thread-compatible.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {

// A request of protocol version 2.
inline constexpr const char* kListRefs =
    "0014command=ls-refs\n0014agent=git/2.39.500010009peel\n0000";

class ServeFixture : public ::testing::Test {
 protected:
  ServeFixture() : repo_(dir_ / "repo") {
    const std::string tip = repo_.History(5);
    repo_.SetRef("refs/tags/v1", repo_.WriteTag(tip, "commit", "v1"));
    repo_.SetRef("refs/heads/other", repo_.Git({"rev-parse", tip + "~2"}));
    std::filesystem::create_directories(root_);
    std::filesystem::create_directories(home_);
    Convert(file_);
  }

  void Convert(const std::string& file) const {
    Require(RunZpack({"convert", "-q", "--force", repo_.path(), file}).ok(),
            "convert");
  }

  // Adds a commit, and writes the file `name` of the root, which depends on
  // `base` and has only what is new.
  void AddOnto(const std::string& base, const std::string& name) const {
    repo_.SetRef("refs/heads/more", repo_.SimpleCommit(name));
    Require(RunZpack({"convert", "-q", "--onto", base, repo_.path(),
                      root_ + '/' + name})
                .ok(),
            "convert --onto");
  }

  // The directory of the programs under test.
  static std::string Programs() {
    return std::filesystem::path(ZpackBinary()).parent_path();
  }

  // An environment with the programs on the PATH, and these entries.
  std::vector<std::string> Environment(
      const std::vector<std::string>& entries = {}) const {
    std::vector<std::string> all = HermeticEnvironment(home_);
    const char* const path = std::getenv("PATH");
    all.push_back("PATH=" + Programs() + ':' + (path != nullptr ? path : ""));
    all.insert(all.end(), entries.begin(), entries.end());
    return all;
  }

  ProcessResult Run(const std::vector<std::string>& command,
                    const std::vector<std::string>& entries = {},
                    const std::string& input = "") const {
    ProcessOptions options;
    options.directory = dir_.path();
    options.input = input;
    options.environment = Environment(entries);
    return RunProcess(command, options);
  }

  // Runs 'git <arguments>' in the directory of the test.
  ProcessResult Git(std::vector<std::string> arguments,
                    const std::vector<std::string>& entries = {}) const {
    arguments.insert(arguments.begin(), "git");
    return Run(arguments, entries);
  }

  // Expects success, and returns the output without the last line feed.
  std::string GitOut(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& entries = {}) const {
    ProcessResult result = Git(arguments, entries);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    if (result.out.ends_with('\n')) result.out.pop_back();
    return result.out;
  }

  // Expects a mirror that Git finds no fault with, and that has the refs and
  // reachable objects of the repository.
  void ExpectMirror(const std::string& clone) const {
    const ProcessResult fsck = Git({"-C", clone, "fsck", "--strict"});
    EXPECT_EQ(fsck.exit_code, 0) << ::testing::PrintToString(fsck);
    ExpectRefsAndObjects(clone);
  }
  void ExpectRefsAndObjects(const std::string& clone) const {
    const std::vector<std::string> refs = {
        "for-each-ref", "--format=%(objectname) %(refname) %(symref)"};
    EXPECT_EQ(GitIn(clone, refs), GitIn(repo_.path(), refs));
    const std::vector<std::string> objects = {"rev-list", "--all", "--objects"};
    EXPECT_EQ(GitIn(clone, objects), GitIn(repo_.path(), objects));
  }

  // Clones into a new mirror and expects all of the repository in it.
  void ExpectCloneOf(const std::string& url,
                     const std::vector<std::string>& options = {},
                     const std::vector<std::string>& entries = {}) {
    const std::string clone = dir_ / ("clone" + std::to_string(clones_++));
    std::vector<std::string> command = options;
    command.insert(command.end(), {"clone", "-q", "--mirror", url, clone});
    const ProcessResult result = Git(command, entries);
    ASSERT_EQ(result.exit_code, 0) << url << ::testing::PrintToString(result);
    ExpectMirror(clone);
  }

  std::string GitIn(const std::string& directory,
                    std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"-C", directory});
    return GitOut(arguments);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string root_ = dir_ / "root";
  std::string home_ = dir_ / "home";
  std::string file_ = root_ + "/project.zpack";

 private:
  int clones_ = 0;
};

// Expects exit code 128 and one line 'fatal: ...' that contains `why` on
// standard error. Git adds its own from version 2.47 on, if a helper gave up.
inline void ExpectFatal(const ProcessResult& result, const std::string& why) {
  EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
  EXPECT_THAT(result.err, ::testing::StartsWith("fatal: "));
  EXPECT_THAT(result.err, ::testing::HasSubstr(why));
  std::vector<std::string> lines = SplitLines(result.err);
  std::erase(lines, "fatal: remote helper 'zpack' aborted session");
  EXPECT_THAT(lines, ::testing::SizeIs(1));
}

}  // namespace zpack::testing
