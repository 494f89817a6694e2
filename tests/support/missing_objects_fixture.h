// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Repositories that have lost an object, and what 'repack' of Git and of
// git-zpack makes of them. Thread-compatible.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/repack_fixture.h"

namespace zpack::testing {

class MissingObjectsFixture : public RepackFixture {
 protected:
  // What is found below a root: a tag of a commit with a parent, a tree, a
  // directory and a file.
  struct Chain {
    std::string blob, subtree, tree, parent, commit, tag;

    std::map<std::string, std::string> Parts() const {
      return {{"blob", blob},     {"subtree", subtree}, {"tree", tree},
              {"parent", parent}, {"commit", commit},   {"tag", tag}};
    }
  };

  // A way to keep objects alive.
  struct Root {
    // Paths below the git directory and their contents.
    std::map<std::string, std::string> files;
    // Parts of the chain that the root needs, the one that it names first.
    std::vector<std::string> parts;
    // How messages call it.
    std::string name;
    // Parts that are left out, too, although the root does not need them.
    std::vector<std::string> others = {};
  };

  using Roots = std::map<std::string, Root>;

  // Options of 'git repack', and of 'git-zpack repack'.
  struct Mode {
    std::vector<std::string> git;
    std::vector<std::string> zpack;
  };

  struct Outcome {
    ProcessResult result;
    std::set<std::string> objects;
  };

  MissingObjectsFixture() : RepackFixture(RepoBuilder::Kind::kWorkTree) {
    chain_.blob = repo_.WriteBlob("needed\n");
    chain_.subtree =
        repo_.WriteTree(TreeEntryBytes("100644", "file", chain_.blob));
    chain_.tree =
        repo_.WriteTree(TreeEntryBytes("40000", "dir", chain_.subtree));
    chain_.parent = repo_.SimpleCommit("of the parent\n");
    CommitFields fields;
    fields.tree = chain_.tree;
    fields.parents = {chain_.parent};
    chain_.commit = repo_.WriteCommit(fields);
    chain_.tag = repo_.WriteTag(chain_.commit, "commit", "tag");
    base_ = repo_.SimpleCommit("base\n");
    base_blob_ = repo_.Git({"rev-parse", base_ + ":file"});
    repo_.SetRef("refs/heads/main", base_);
    unneeded_ = repo_.WriteBlob("unneeded\n");
    MakeIndexes();
    MakeSkeleton();
  }

  // A repository without objects, and a pack for each object that may be
  // missing.
  void MakeSkeleton() {
    const std::string skeleton = dir_ / "skeleton";
    std::filesystem::create_directories(skeleton + "/objects/pack");
    std::filesystem::create_directories(skeleton + "/refs/heads");
    std::filesystem::create_directories(skeleton +
                                        "/worktrees/linked/refs/worktree");
    std::filesystem::create_directories(dir_ / "linked");
    for (const char* name : {"HEAD", "config", "refs/heads/main"}) {
      std::filesystem::copy(repo_.git_dir() + '/' + name,
                            skeleton + '/' + name);
    }
    const std::string linked = skeleton + "/worktrees/linked/";
    WriteFile(linked + "HEAD", base_ + '\n');
    WriteFile(linked + "commondir", "../..\n");
    WriteFile(linked + "gitdir", dir_ / "linked/.git\n");
    const std::vector<std::string> all = LooseObjects();
    auto missing = chain_.Parts();
    missing["nothing"] = "";
    for (const auto& [name, id] : missing) {
      std::string ids;
      for (const std::string& each : all) {
        if (each != id) ids += each + '\n';
      }
      std::filesystem::create_directories(dir_ / "packs/" + name);
      repo_.Git({"pack-objects", "-q", dir_ / "packs/" + name + "/pack"}, ids);
      packed_[name] = {all.begin(), all.end()};
      packed_[name].erase(id);
    }
  }

  // Runs 'git update-index <arguments>' on an empty index.
  void Index(const std::vector<std::string>& arguments,
             const std::string& input = "") const {
    std::vector<std::string> all = {"update-index", "--add"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    repo_.Git(all, input);
  }
  // The index of the repository, and the file that shares its entries. The
  // next index begins empty.
  std::map<std::string, std::string> TakeIndex() const {
    std::map<std::string, std::string> files;
    for (const std::string& name : ListDirectory(repo_.git_dir())) {
      if (name != "index" && !name.starts_with("sharedindex.")) continue;
      files[name] = ReadFile(repo_.git_dir() + '/' + name);
      std::filesystem::remove(repo_.git_dir() + '/' + name);
    }
    return files;
  }

  void MakeIndexes() {
    const std::string needed = "100644," + chain_.blob + ",file";
    const std::string other = "100644," + base_blob_ + ",file";
    std::string stages = "0 " + FakeId('0') + "\tfile\n";
    for (const char* stage : {"1", "2", "3"}) {
      stages += "100644 " + chain_.blob + ' ' + stage + "\tfile\n";
    }
    Index({"--cacheinfo", needed});
    indexes_["entry"] = TakeIndex();
    Index({"--index-info"}, stages);
    indexes_["conflict"] = TakeIndex();
    Index({"--index-info"}, stages);
    Index({"--cacheinfo", other});
    indexes_["resolved"] = TakeIndex();
    repo_.Git({"read-tree", chain_.tree});
    indexes_["trees"] = TakeIndex();
    Index({"--split-index", "--cacheinfo", needed});
    indexes_["shared"] = TakeIndex();
    Index({"--split-index", "--cacheinfo", needed});
    Index({"--cacheinfo", other});
    indexes_["replaced"] = TakeIndex();
    Index({"--split-index", "--cacheinfo", needed});
    Index({"--force-remove", "file"});
    indexes_["removed"] = TakeIndex();
    Index({"--split-index", "--cacheinfo", other});
    Index({"--cacheinfo", needed});
    indexes_["own"] = TakeIndex();
  }

  std::map<std::string, std::string> LinkedIndex(const char* kind) const {
    std::map<std::string, std::string> files;
    for (const auto& [name, content] : indexes_.at(kind)) {
      files["worktrees/linked/" + name] = content;
    }
    return files;
  }

  // The repository for one comparison.
  std::string Make(const Root& root, const std::string& missing) const {
    const std::string path = dir_ / "case";
    std::filesystem::remove_all(path);
    std::filesystem::copy(dir_ / "skeleton", path,
                          std::filesystem::copy_options::recursive);
    std::filesystem::copy(dir_ / "packs/" + missing, path + "/objects/pack");
    for (const auto& [name, content] : root.files) {
      std::filesystem::create_directories(
          std::filesystem::path(path + '/' + name).parent_path());
      WriteFile(path + '/' + name, content);
    }
    return path;
  }

  std::set<std::string> Objects(const std::string& path) const {
    const std::vector<std::string> lines = SplitLines(
        repo_.Git({"--git-dir=" + path, "cat-file", "--batch-all-objects",
                   "--batch-check=%(objectname)"}));
    return {lines.begin(), lines.end()};
  }

  // 'git repack'.
  Outcome RunRepack(const Root& root, const std::string& missing,
                    const Mode& mode) const {
    const std::string path = Make(root, missing);
    std::vector<std::string> command = {"git", "--git-dir=" + path, "repack",
                                        "-q", "-d"};
    command.insert(command.end(), mode.git.begin(), mode.git.end());
    ProcessOptions options;
    options.environment = HermeticEnvironment(dir_.path());
    Outcome outcome;
    outcome.result = RunProcess(command, options);
    outcome.objects = Objects(path);
    return outcome;
  }

  // Compares git-zpack with Git.
  void Compare(const Root& root, const std::string& missing,
               const Mode& mode) const {
    const std::string path = Make(root, missing);
    const auto before = Snapshot(path);
    std::vector<std::string> options = {"-d"};
    options.insert(options.end(), mode.zpack.begin(), mode.zpack.end());
    const ProcessResult ours = Repack(path, options);
    const bool refused = ours.exit_code == 128;
    if (refused) {
      EXPECT_TRUE(Snapshot(path) == before);
    } else {
      EXPECT_EQ(ours.exit_code, 0) << ::testing::PrintToString(ours);
    }
    const std::set<std::string> objects = Objects(path);
    if (missing == "nothing" && mode.zpack.empty()) {
      EXPECT_EQ(objects.contains(unneeded_), refused);
    }
    const bool is_needed =
        std::ranges::find(root.parts, missing) != root.parts.end();
    if (missing != "nothing" && is_needed) {
      const std::string id = chain_.Parts().at(missing);
      EXPECT_THAT(ours.err, ::testing::HasSubstr(id));
      if (missing == root.parts.front()) {
        EXPECT_THAT(ours.err, ::testing::HasSubstr('\'' + root.name + '\''));
      }
      EXPECT_EQ(objects, packed_.at(missing)) << ::testing::PrintToString(ours);
    } else if (!refused) {
      EXPECT_EQ(ours.err, "");
    }
    const Outcome git = RunRepack(root, missing, mode);
    EXPECT_EQ(refused, !git.result.ok()) << ::testing::PrintToString(git.result)
                                         << ::testing::PrintToString(ours);
    EXPECT_THAT(objects, ::testing::IsSupersetOf(git.objects));
  }

  void CompareAll(const Roots& roots, const Mode& mode = {{"-a"}, {}}) const {
    for (const auto& [what, root] : roots) {
      SCOPED_TRACE("root: " + what);
      std::vector<std::string> missing = root.parts;
      missing.insert(missing.end(), root.others.begin(), root.others.end());
      missing.emplace_back("nothing");
      for (const std::string& part : missing) {
        SCOPED_TRACE("missing: " + part);
        Compare(root, part, mode);
      }
    }
  }

  Chain chain_;
  std::string base_, base_blob_, unneeded_;
  // By kind: the files of an index.
  std::map<std::string, std::map<std::string, std::string>> indexes_;
  // By what is missing: all objects that are there.
  std::map<std::string, std::set<std::string>> packed_;
};

}  // namespace zpack::testing
