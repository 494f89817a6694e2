// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The roots of repositories with reftables, which lack an object: 'repack -d'
// compared with 'repack -a -d' of Git, which must know reftables (2.45 or
// later).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/missing_objects_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

class RepackReftableRootsTest : public MissingObjectsFixture {
 protected:
  // Of Git. One that begins with kLinked runs in the linked worktree.
  using Commands = std::vector<std::vector<std::string>>;
  static constexpr const char* kLinked = "linked";

  ProcessResult RunIsolated(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command = {"git"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ProcessOptions options;
    options.environment = HermeticEnvironment(dir_.path());
    return RunProcess(command, options);
  }

  // A repository with all objects, in which `commands` were run.
  std::string MakeWhole(const Commands& commands) const {
    const std::string path = dir_ / "whole";
    fs::remove_all(path);
    EXPECT_TRUE(RunIsolated({"init", "-q", "--bare", "--ref-format=reftable",
                             "--initial-branch=main", path})
                    .ok());
    fs::copy(dir_ / "packs/nothing", path + "/objects/pack",
             fs::copy_options::recursive);
    const auto run = [&](std::vector<std::string> command) {
      std::string directory = path;
      if (command.front() == kLinked) {
        directory += "/worktrees/linked-tree";
        command.erase(command.begin());
      }
      std::vector<std::string> all = {"--git-dir=" + directory, "-c",
                                      "core.logAllRefUpdates=always"};
      all.insert(all.end(), command.begin(), command.end());
      const ProcessResult result = RunIsolated(all);
      EXPECT_TRUE(result.ok())
          << ::testing::PrintToString(command) << result.err;
    };
    run({"update-ref", "refs/heads/main", base_});
    for (const auto& command : commands) run(command);
    return path;
  }

  std::string WithoutPart(const std::string& whole,
                          const std::string& missing) const {
    const std::string path = dir_ / "case";
    fs::remove_all(path);
    fs::copy(whole, path, fs::copy_options::recursive);
    fs::remove_all(path + "/objects/pack");
    fs::copy(dir_ / "packs/" + missing, path + "/objects/pack");
    return path;
  }

  std::set<std::string> ObjectsOf(const std::string& path) const {
    const std::vector<std::string> lines = SplitLines(
        RunIsolated({"--git-dir=" + path, "cat-file", "--batch-all-objects",
                     "--batch-check=%(objectname)"})
            .out);
    return {lines.begin(), lines.end()};
  }

  void CompareRoot(const Commands& commands,
                   const std::vector<std::string>& parts) const {
    const std::string whole = MakeWhole(commands);
    std::vector<std::string> all = parts;
    all.emplace_back("nothing");
    for (const std::string& missing : all) {
      SCOPED_TRACE("missing: " + missing);
      const std::string path = WithoutPart(whole, missing);
      const auto before = Snapshot(path);
      const ProcessResult ours = Repack(path, {"-d"});
      const bool refused = ours.exit_code == 128;
      EXPECT_TRUE(refused || ours.exit_code == 0) << ours.err;
      if (refused) {
        EXPECT_TRUE(Snapshot(path) == before);
      }
      const std::set<std::string> objects = ObjectsOf(path);
      if (missing == "nothing") {
        EXPECT_FALSE(refused) << ours.err;
        EXPECT_FALSE(objects.contains(unneeded_));
      } else {
        EXPECT_EQ(objects, packed_.at(missing))
            << ::testing::PrintToString(ours);
        EXPECT_THAT(ours.err, ::testing::HasSubstr(chain_.Parts().at(missing)));
      }
      const std::string copy = WithoutPart(whole, missing);
      const ProcessResult git =
          RunIsolated({"--git-dir=" + copy, "repack", "-q", "-d", "-a"});
      EXPECT_EQ(refused, !git.ok())
          << ::testing::PrintToString(git) << ::testing::PrintToString(ours);
      EXPECT_THAT(objects, ::testing::IsSupersetOf(ObjectsOf(copy)));
    }
  }
};

TEST_F(RepackReftableRootsTest, LoseNothing) {
  if (!GitIsSince(45)) GTEST_SKIP() << "Git knows no reftables";
  const std::vector<std::string> of_commit = {"commit", "tree", "subtree",
                                              "blob", "parent"};
  const std::vector<std::string> of_tag = {"tag",     "commit", "tree",
                                           "subtree", "blob",   "parent"};
  const std::string linked = dir_ / "linked-tree";
  struct Case {
    const char* what;
    Commands commands;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases = {
      {"branch", {{"update-ref", "refs/heads/r", chain_.commit}}, of_commit},
      {"tag", {{"update-ref", "refs/tags/t", chain_.tag}}, of_tag},
      {"tag of a tree",
       {{"update-ref", "refs/tags/t", chain_.tree}},
       {"tree", "subtree", "blob"}},
      {"detached HEAD",
       {{"update-ref", "--no-deref", "HEAD", chain_.commit}},
       of_commit},
      {"stash", {{"update-ref", "refs/stash", chain_.commit}}, of_commit},
      {"reflog of a branch",
       {{"update-ref", "refs/heads/r", chain_.commit},
        {"update-ref", "refs/heads/r", base_}},
       of_commit},
      {"reflog of HEAD",
       {{"update-ref", "--no-deref", "HEAD", chain_.commit},
        {"update-ref", "--no-deref", "HEAD", base_}},
       of_commit},
      {"HEAD of a worktree",
       {{"worktree", "add", "-q", "--detach", linked, base_},
        {kLinked, "update-ref", "--no-deref", "HEAD", chain_.commit}},
       of_commit},
      {"ref of a worktree",
       {{"worktree", "add", "-q", "--detach", linked, base_},
        {kLinked, "update-ref", "refs/bisect/bad", chain_.commit}},
       of_commit},
      {"reflog of a worktree",
       {{"worktree", "add", "-q", "--detach", linked, base_},
        {kLinked, "update-ref", "--no-deref", "HEAD", chain_.commit},
        {kLinked, "update-ref", "--no-deref", "HEAD", base_}},
       of_commit}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    fs::remove_all(linked);
    CompareRoot(one.commands, one.parts);
  }
}

}  // namespace
}  // namespace zpack::testing
