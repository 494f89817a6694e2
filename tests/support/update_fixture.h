// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A repository, and a file of it that 'convert --update' brings up to date.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/repository_files_fixture.h"

namespace zpack::testing {

class UpdateFixture : public RepositoryFilesFixture {
 protected:
  UpdateFixture() {
    std::filesystem::create_directories(dir_ / "out");
    file_ = dir_ / "out/x.zpack";
  }

  ProcessResult Update(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"convert", "--update"});
    options.insert(options.end(), {repo_.path(), file_});
    return RunZpack(options);
  }

  nlohmann::json UpdateJson(std::vector<std::string> options = {}) const {
    options.emplace_back("--json");
    const ProcessResult result = Update(options);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    return nlohmann::json::parse(result.out, nullptr, false);
  }

  // What the run did to the file: "created", "updated" or "unchanged".
  std::string Outcome(const std::vector<std::string>& options = {}) const {
    const nlohmann::json json = UpdateJson(options);
    return json.is_object() ? json["update"].get<std::string>() : "failed";
  }

  // Tells whether the file was touched.
  std::pair<ino_t, std::filesystem::file_time_type> Stamp() const {
    struct stat status{};
    Require(stat(file_.c_str(), &status) == 0, "stat failed");
    return {status.st_ino, std::filesystem::last_write_time(file_)};
  }

  void ExpectOnlyTheFile() const {
    EXPECT_THAT(ListDirectory(dir_ / "out"), ::testing::ElementsAre("x.zpack"));
  }

  // Changes the working tree of the repository.
  void Write(const std::string& name, const std::string& text) const {
    const auto path = std::filesystem::path(repo_.path()) / name;
    std::filesystem::create_directories(path.parent_path());
    WriteFile(path.string(), text);
  }
  void Commit(const std::string& message) const {
    repo_.Git({"add", "-A"});
    repo_.Git({"commit", "-q", "--allow-empty", "-m", message});
  }
  static std::string Lines(std::mt19937& random, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += "line " + std::to_string(random()) + '\n';
    }
    return text;
  }

  std::string Head() const { return repo_.Git({"rev-parse", "HEAD"}); }
};

}  // namespace zpack::testing
