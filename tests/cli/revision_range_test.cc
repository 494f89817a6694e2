// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Revisions that leave commits out, and names that search messages, mean what
// they mean to Git.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two lines of history that meet twice, and one that meets neither:
//
//   base(6) - left1 - left2 - merge(left) - left3    refs/heads/left
//          \- right1 ---------/ \- right2            refs/heads/right
//   alone1 - alone2                                  refs/heads/alone
class RevisionRangeTest : public ::testing::Test {
 protected:
  RevisionRangeTest() : repo_(dir_ / "repo"), base_(repo_.History(6)) {
    const std::string left1 = Commit("left1", {base_});
    const std::string left2 = Commit("left2", {left1});
    const std::string right1 = Commit("right1", {base_});
    const std::string merge = Commit("merge", {left2, right1});
    repo_.SetRef("refs/heads/left", Commit("left3", {merge}));
    repo_.SetRef("refs/heads/right", Commit("right2", {right1, left1}));
    repo_.SetRef("refs/heads/alone", Commit("alone2", {Commit("alone1", {})}));
    const std::string tag =
        repo_.WriteTag(repo_.Git({"rev-parse", "left~1"}), "commit", "v1");
    repo_.SetRef("refs/tags/v1", tag);
    repo_.SetRef("refs/tags/outer", repo_.WriteTag(tag, "tag", "outer"));
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
  }

  std::string Commit(const std::string& subject,
                     const std::vector<std::string>& parents) {
    CommitFields fields;
    const std::string blob = repo_.WriteBlob(subject);
    const std::string inner =
        repo_.WriteTree(TreeEntryBytes("100644", "deep " + subject, blob));
    fields.tree = repo_.WriteTree(
        TreeEntryBytes("40000", "dir", inner) +
        TreeEntryBytes("100644", "file", repo_.WriteBlob("common")) +
        TreeEntryBytes("100644", "name " + subject, blob));
    fields.parents = parents;
    fields.time = 1700000100 + 10 * next_++;
    fields.message = subject + "\n\nBody of " + subject + ": x.y\n";
    return repo_.WriteCommit(fields);
  }

  void ExpectSameList(std::vector<std::string> arguments) const {
    std::vector<std::string> ours = {"rev-list", file_};
    ours.insert(ours.end(), arguments.begin(), arguments.end());
    arguments.insert(arguments.begin(), "rev-list");
    const ProcessResult expected = repo_.TryGit(arguments);
    ASSERT_EQ(expected.exit_code, 0) << expected.err;
    const ProcessResult actual = RunZpack(ours);
    EXPECT_EQ(actual.exit_code, 0) << actual.err;
    EXPECT_EQ(actual.out, expected.out) << ::testing::PrintToString(arguments);
  }
  void ExpectSameName(const std::string& name) const {
    const ProcessResult ours = RunZpack({"rev-list", "-n", "1", file_, name});
    EXPECT_EQ(ours.exit_code, 0) << ours.err;
    EXPECT_EQ(ours.out, repo_.Git({"rev-list", "-n", "1", name}) + '\n')
        << name;
  }
  std::string ErrorOf(const std::string& name) const {
    const ProcessResult result = RunZpack({"cat-file", "-t", file_, name});
    EXPECT_EQ(result.exit_code, 128) << name;
    EXPECT_THAT(result.err, StartsWith("fatal: "));
    return result.err;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string base_;
  uint64_t next_ = 0;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(RevisionRangeTest, RangesListWhatGitLists) {
  const std::vector<std::vector<std::string>> sets = {
      {"main..left"},
      {"left..main"},
      {"right..left"},
      {"left...right"},
      {"left...main"},
      {"alone...left"},
      {"v1...right"},
      {"right...outer"},
      {"..left"},
      {"left.."},
      {"v1..left"},
      {"left", "^right"},
      {"^right", "left", "alone"},
      {"left", "^v1"},
      {"left", "^outer", "^main"},
      {"left^@"},
      {"v1^!"},
      {"v1^-"},
      {"v1^-2"},
      {"right", "^left^@"},
      {"--all", "^main"},
      {"--all", "^left", "^alone"},
      {"left", "^left"},
      {"left", "^left^!"},
      {"left", "^left^-"},
      {"left", "^v1^-2"},
      {"left~2..left"}};
  for (const std::vector<std::string>& set : sets) {
    ExpectSameList(set);
    for (const std::vector<std::string>& options :
         std::vector<std::vector<std::string>>{{"--objects"},
                                               {"--objects", "--count"},
                                               {"-n", "2"},
                                               {"-n", "1", "--objects"},
                                               {"--max-count=0"}}) {
      std::vector<std::string> arguments = options;
      arguments.insert(arguments.end(), set.begin(), set.end());
      ExpectSameList(arguments);
    }
  }
}

// Of commits with the same date, what was named first comes first.
TEST_F(RevisionRangeTest, AllRefsBeginWhereTheyAreNamed) {
  for (const char* const name : {"x", "y", "z"}) {
    CommitFields fields;
    fields.tree =
        repo_.WriteTree(TreeEntryBytes("100644", name, repo_.WriteBlob("one")));
    fields.time = 1700000900;
    fields.message = name;
    repo_.SetRef(std::string("refs/heads/") + name, repo_.WriteCommit(fields));
  }
  Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
          "convert");
  for (const std::vector<std::string>& set :
       std::vector<std::vector<std::string>>{{"--all"},
                                             {"z", "--all"},
                                             {"--all", "z"},
                                             {"y", "--all", "x"},
                                             {"z", "--all", "y", "--all"},
                                             {"^y", "--all"},
                                             {"--all", "^y"},
                                             {"z", "^y", "--all", "^left"},
                                             {"left", "z", "--all", "^x"}}) {
    ExpectSameList(set);
    std::vector<std::string> arguments = {"--objects"};
    arguments.insert(arguments.end(), set.begin(), set.end());
    ExpectSameList(arguments);
    std::vector<std::string> ours = {"log", "--format=%H", file_};
    ours.insert(ours.end(), set.begin(), set.end());
    std::vector<std::string> git = {"log", "--format=%H"};
    git.insert(git.end(), set.begin(), set.end());
    EXPECT_EQ(RunZpack(ours).out, repo_.Git(git) + '\n')
        << ::testing::PrintToString(set);
  }
}

TEST_F(RevisionRangeTest, ObjectsWithAPathHaveItsName) {
  repo_.Git({"tag", "-a", "-m", "m", "of-blob", "left:file"});
  repo_.Git({"tag", "-a", "-m", "m", "of-tree", "left:dir"});
  repo_.Git({"tag", "-a", "-m", "m", "nested", "of-tree"});
  repo_.Git({"tag", "light", "left:file"});
  Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
          "convert");
  const std::vector<std::vector<std::string>> sets = {
      {"left:file"},
      {"left:dir"},
      {"left:dir/"},
      {"left:dir/deep left3"},
      {"left:"},
      {"left^{tree}"},
      {"left^{tree}:dir"},
      {"v1:dir"},
      {"v1^{commit}:dir"},
      {"left^{/left1}:dir"},
      {repo_.Git({"rev-parse", "left:file"})},
      {repo_.Git({"rev-parse", "left:dir"})},
      {repo_.Git({"rev-parse", "left:dir"}) + ":deep left3"},
      {"left:file", "left"},
      {"left", "left:file"},
      {"left:dir", "left:dir/deep left3"},
      {"left:dir/deep left3", "left:dir"},
      {"left~1:dir", "right:dir", "left:file", "alone"},
      {"left:file", "^left~1"},
      {"^left", "left:file"},
      {"^left:dir", "left:dir/deep left3", "left:file"},
      {"left", "^left:file"},
      {"left:file..left:dir"},
      {"left:dir", "left~2..right", "right:dir"},
      {"left^!", "left:file"},
      {"of-blob"},
      {"of-tree"},
      {"nested"},
      {"light"},
      {"of-blob", "left:file"},
      {"left:file", "of-blob"},
      {"of-tree^{}"},
      {"of-tree:deep left3"},
      {"nested:deep left3", "of-tree"},
      {"--all", "left:file"}};
  for (const std::vector<std::string>& set : sets) {
    for (const char* const option : {"--objects", "--no-object-names"}) {
      std::vector<std::string> arguments = {"--objects", option};
      arguments.insert(arguments.end(), set.begin(), set.end());
      ExpectSameList(arguments);
    }
  }
}

// As in Git; scripts and aliases add options.
TEST_F(RevisionRangeTest, TheLastOfAnOptionCounts) {
  ExpectSameList({"--max-count=1", "--max-count=2", "--all"});
  ExpectSameList({"--objects", "--objects", "--count", "--count", "left"});
}

TEST_F(RevisionRangeTest, LimitsWithoutExclusions) {
  for (const char* const count : {"0", "1", "3", "100", "-1", "+1", "+0"}) {
    ExpectSameList({"--max-count=" + std::string(count), "--all"});
    ExpectSameList({"--max-count=" + std::string(count), "--objects", "left"});
  }
}

// The parents are those of the commit that is found, whatever its name.
TEST_F(RevisionRangeTest, ParentsOfWhatASearchFinds) {
  for (const std::string suffix : {"^!", "^@", "^-"}) {
    for (const std::string name : {"left^{/left}", "left^{/!-left9}"}) {
      ExpectSameList({name + suffix});
    }
    // What Git begins a search with depends on its version.
    EXPECT_TRUE(RunZpack({"rev-list", file_, ":/!-left9" + suffix}).ok());
    EXPECT_TRUE(RunZpack({"rev-list", file_, ":/left" + suffix}).ok());
  }
}

TEST_F(RevisionRangeTest, TreesAndBlobsAreLeftOut) {
  ExpectSameList({"--objects", "left^{tree}", "^main"});
  ExpectSameList({"--objects", "left", "^left:dir"});
  ExpectSameList({"--objects", "left", "^left:file"});
}

// Git meets the second commit of 'old' before the one with the earlier date
// that excludes it, and keeps in mind that objects of it are not wanted.
TEST_F(RevisionRangeTest, WhatIsExcludedLateLeavesOutItsObjects) {
  const auto commit = [&](const std::string& subject, uint64_t time,
                          const std::vector<std::string>& parents) {
    CommitFields fields;
    fields.tree = repo_.WriteTree(TreeEntryBytes(
        "100644", "of " + subject, repo_.WriteBlob("blob " + subject)));
    fields.parents = parents;
    fields.time = time;
    return repo_.WriteCommit(fields);
  };
  const std::string root = commit("c0", 100, {});
  const std::string old = commit("c1", 200, {root});
  const std::string later = commit("c2", 300, {old});
  repo_.SetRef("refs/heads/old", old);
  repo_.SetRef("refs/heads/back", commit("c3", 150, {later}));
  repo_.SetRef("refs/heads/on", commit("c4", 400, {later}));
  repo_.SetRef("refs/tags/tree", repo_.Git({"rev-parse", "old^{tree}"}));
  repo_.SetRef("refs/tags/blob", repo_.Git({"rev-parse", "old:of c1"}));
  Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
          "convert");
  ExpectSameList({"--objects", "tree", "blob", "old", "^back"});
  ExpectSameList({"--objects", "tree", "old", "^on"});
  ExpectSameList({"--objects", "tree", "old", "^back~1"});
  ExpectSameList({"--objects", "tree", "blob", "^back"});
  ExpectSameList({"--objects", "--all", "^back"});
  ExpectSameList({"--objects", "--all", "^on"});
  ExpectSameList({"--objects", "--all", "^on", "^back"});
  ExpectSameList({"--count", "--objects", "-n", "1", "--all", "^back"});
}

TEST_F(RevisionRangeTest, SearchesOfMessages) {
  // Git 2.47 begins with the oldest ref.
  const bool reversed =
      RunGit({"version"}, dir_.path()).out.starts_with("git version 2.47.");
  for (const std::string name :
       {":/left", ":/^right1", ":/Body of r", ":/x[.]y", ":/!-2", ":/!!|left1",
        "left^{/right}", "left^{/^left1}~1", "v1^{/}", "left^{/!-left}"}) {
    if (!reversed || !name.starts_with(":/")) ExpectSameName(name);
  }
  EXPECT_THAT(ErrorOf(":/nowhere to be found"), HasSubstr("nowhere"));
  EXPECT_THAT(ErrorOf(":/[broken"), HasSubstr("invalid search pattern"));
  EXPECT_THAT(ErrorOf(":/!x"), HasSubstr("invalid search pattern"));
}

TEST_F(RevisionRangeTest, SaysWhatIsNotSupported) {
  for (const char* const name :
       {"HEAD@{1}", "@{-1}", "main@{upstream}", "@{u}~2", "main@{yesterday}"}) {
    EXPECT_THAT(ErrorOf(name), HasSubstr("not supported"));
  }
  EXPECT_THAT(ErrorOf(":0:file"), HasSubstr("has no index"));
  EXPECT_THAT(ErrorOf(":file"), HasSubstr("has no index"));
  EXPECT_THAT(ErrorOf("HEAD:./file"), HasSubstr("no current directory"));
}

TEST_F(RevisionRangeTest, ErrorsNameTheMissingSide) {
  for (const char* const range : {"none..left", "left...none", "^none"}) {
    const ProcessResult result = RunZpack({"rev-list", file_, range});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err, HasSubstr("'none'"));
  }
  EXPECT_EQ(RunZpack({"rev-list", file_, "left^-3"}).exit_code, 128);
}

}  // namespace
}  // namespace zpack::testing
