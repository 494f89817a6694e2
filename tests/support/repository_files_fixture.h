// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A repository with a short history, and what convert and restore make of the
// files in it.

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {

class RepositoryFilesFixture : public ::testing::Test {
 protected:
  RepositoryFilesFixture()
      : repo_(dir_ / "repo", RepoBuilder::Kind::kWorkTree) {
    for (const char* content : {"one", "two"}) {
      WriteFile(repo_.path() + "/file", content);
      repo_.Git({"add", "file"});
      repo_.Git({"commit", "-qm", content});
    }
  }

  std::string InGitDir(const std::string& name) const {
    return repo_.git_dir() + '/' + name;
  }
  // Stores an object as Git LFS does, and returns its name.
  std::string WriteLfs(const std::string& content) const {
    const std::string name = LfsName(content);
    WriteFile(InGitDir(name), content);
    return name;
  }
  void WriteHook(const std::string& name) const {
    WriteFile(InGitDir("hooks/" + name), "#!/bin/sh\nexit 0\n");
    std::filesystem::permissions(InGitDir("hooks/" + name),
                                 std::filesystem::perms::owner_exec,
                                 std::filesystem::perm_options::add);
  }

  ProcessResult Convert(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), "convert");
    options.insert(options.end(), {"-f", repo_.path(), file_});
    return RunZpack(options);
  }
  ProcessResult Restore(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), "restore");
    options.insert(options.end(), {"-f", file_, restored_});
    return RunZpack(options);
  }
  ProcessResult VerifyAgainst(const std::string& repository) const {
    return RunZpack({"verify", "--against", repository, file_});
  }
  std::string InRestored(const std::string& name) const {
    return ReadFile(restored_ + '/' + name);
  }
  std::string ListFiles() const { return RunZpack({"list-files", file_}).out; }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_ = dir_ / "x.zpack";
  std::string restored_ = dir_ / "restored.git";
};

}  // namespace zpack::testing
