// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of 'git-zpack repack' share: a repository, runs over it, and the
// git binary as judge of what comes out. Thread-compatible.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {

// Every file below `root` with its bytes; links with where they lead.
inline std::map<std::string, std::string> Snapshot(const std::string& root) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = entry.path().lexically_relative(root).string();
    if (entry.is_symlink()) {
      files[name] = "-> " + fs::read_symlink(entry.path()).string();
    } else {
      files[name] =
          entry.is_directory() ? "directory" : ReadFile(entry.path().string());
    }
  }
  return files;
}

// Files in `directory` whose names end with `extension`, without it.
inline std::vector<std::string> FilesWith(const std::string& directory,
                                          const std::string& extension) {
  std::vector<std::string> names;
  for (std::string& name : ListDirectory(directory)) {
    if (!name.ends_with(extension)) continue;
    name.resize(name.size() - extension.size());
    names.push_back(std::move(name));
  }
  return names;
}

class RepackFixture : public ::testing::Test {
 protected:
  explicit RepackFixture(RepoBuilder::Kind kind = RepoBuilder::Kind::kBare)
      : repo_(dir_ / "repo", kind) {
    // Most tests are about the packs alone.
    repo_.Git({"config", "repack.writeBitmaps", "false"});
  }

  static ProcessResult Repack(const std::string& repository,
                              const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"repack", "-q"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(repository);
    return RunZpack(arguments);
  }
  ProcessResult Repack(const std::vector<std::string>& options) const {
    return Repack(repo_.path(), options);
  }

  std::string pack_directory() const {
    return repo_.git_dir() + "/objects/pack";
  }
  std::vector<std::string> Packs() const {
    return FilesWith(pack_directory(), ".pack");
  }

  bool Has(const std::string& id) const {
    return repo_.TryGit({"cat-file", "-e", id}).ok();
  }

  // The longest chain of deltas in a pack of the repository.
  unsigned LongestChain(const std::string& pack) const {
    unsigned longest = 0;
    for (const std::string& line : SplitLines(repo_.Git(
             {"verify-pack", "-v", pack_directory() + '/' + pack + ".idx"}))) {
      unsigned length = 0;
      if (std::sscanf(line.c_str(), "chain length = %u:", &length) == 1) {
        longest = std::max(longest, length);
      }
    }
    return longest;
  }

  // Names of loose objects.
  std::vector<std::string> LooseObjects() const {
    namespace fs = std::filesystem;
    std::vector<std::string> ids;
    for (const std::string& name :
         ListDirectory(repo_.git_dir() + "/objects")) {
      if (name.size() != 2) continue;
      for (const std::string& rest :
           ListDirectory(repo_.git_dir() + "/objects/" + name)) {
        ids.push_back(name + rest);
      }
    }
    return ids;
  }

  // Git finds nothing wrong with the pack, and makes the same indexes for it.
  void ExpectGoodPack(const std::string& directory,
                      const std::string& name) const {
    const std::string path = directory + '/' + name;
    const ProcessResult verified = repo_.TryGit({"verify-pack", path + ".idx"});
    EXPECT_EQ(verified.exit_code, 0) << ::testing::PrintToString(verified);
    const std::string idx = dir_ / "check.idx";
    const ProcessResult indexed = repo_.TryGit(
        {"index-pack", "--strict", "--rev-index", "-o", idx, path + ".pack"});
    EXPECT_EQ(indexed.exit_code, 0) << ::testing::PrintToString(indexed);
    if (!indexed.ok()) return;
    EXPECT_TRUE(ReadFile(idx) == ReadFile(path + ".idx"));
    EXPECT_TRUE(ReadFile(dir_ / "check.rev") == ReadFile(path + ".rev"));
    std::filesystem::remove(idx);
    std::filesystem::remove(dir_ / "check.rev");
  }

  // 'repack -d' leaves one good pack and the same repository. Returns its name.
  std::string ExpectOnePack(
      const std::vector<std::string>& options = {}) const {
    std::vector<std::string> all = {"-d"};
    all.insert(all.end(), options.begin(), options.end());
    const RepositoryState before = ReadState(repo_.path());
    const ProcessResult result = Repack(all);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(result.out + result.err, "");
    EXPECT_EQ(ReadState(repo_.path()), before);
    const std::vector<std::string> packs = Packs();
    EXPECT_THAT(packs, ::testing::SizeIs(1));
    if (packs.size() != 1) return "";
    EXPECT_THAT(ListDirectory(pack_directory()),
                ::testing::ElementsAre(packs[0] + ".idx", packs[0] + ".pack",
                                       packs[0] + ".rev"));
    EXPECT_THAT(LooseObjects(), ::testing::IsEmpty());
    ExpectGoodPack(pack_directory(), packs[0]);
    return packs[0];
  }

  // Exit code 128, one line that contains `reason`, and nothing has changed.
  void ExpectRefusal(const std::string& reason,
                     const std::vector<std::string>& options = {"-d"}) const {
    const auto before = Snapshot(repo_.path());
    const ProcessResult result = Repack(options);
    EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, ::testing::StartsWith("fatal: "));
    EXPECT_THAT(result.err, ::testing::HasSubstr(reason));
    EXPECT_THAT(SplitLines(result.err), ::testing::SizeIs(1));
    EXPECT_TRUE(Snapshot(repo_.path()) == before);
  }

  using Ids = std::set<std::string>;
  using PackState = std::multiset<std::pair<std::string, Ids>>;

  static Ids IdsIn(const std::string& repository, const std::string& index) {
    Ids ids;
    for (const std::string& line :
         SplitLines(RunGit({"show-index"}, repository, ReadFile(index)).out)) {
      ids.insert(line.substr(line.find(' ') + 1, IdDigits()));
    }
    return ids;
  }
  // The objects of each pack, and the kinds of packs; and loose objects.
  static PackState State(const std::string& repository) {
    const std::string packs = repository + "/objects/pack";
    PackState state;
    for (const std::string& name : FilesWith(packs, ".idx")) {
      std::string kind = "pack";
      for (const char* extension : {".keep", ".promisor", ".mtimes"}) {
        if (Exists(packs + '/' + name + extension)) kind += extension;
      }
      state.emplace(kind, IdsIn(repository, packs + '/' + name + ".idx"));
    }
    Ids loose;
    for (const std::string& name : ListDirectory(repository + "/objects")) {
      if (name.size() != 2) continue;
      for (const std::string& rest :
           ListDirectory(repository + "/objects/" + name)) {
        loose.insert(name + rest);
      }
    }
    state.emplace("loose", loose);
    return state;
  }

  std::string Copy(const std::string& name) const {
    namespace fs = std::filesystem;
    std::string copy = dir_ / name;
    fs::remove_all(copy);
    fs::copy(repo_.path(), copy, fs::copy_options::recursive);
    return copy;
  }

  // Both repack copies of the repository. Returns our copy.
  std::string ExpectAsGit(const std::vector<std::string>& options) const {
    const std::string git = Copy("by-git");
    const std::string zpack = Copy("by-zpack");
    std::vector<std::string> command = {"repack", "-q"};
    command.insert(command.end(), options.begin(), options.end());
    const ProcessResult by_git = RunGit(command, git);
    EXPECT_TRUE(by_git.ok()) << ::testing::PrintToString(by_git);
    const ProcessResult result = Repack(zpack, options);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(State(zpack), State(git)) << ::testing::PrintToString(options);
    const ProcessResult fsck = RunGit({"fsck", "--full", "--strict"}, zpack);
    EXPECT_TRUE(fsck.ok()) << ::testing::PrintToString(fsck);
    return zpack;
  }

  TempDir dir_;
  RepoBuilder repo_;
};

}  // namespace zpack::testing
