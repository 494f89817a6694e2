// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// rev-list prints what 'git rev-list' prints, byte for byte.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/deltas.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class RevListTest : public ::testing::Test {
 protected:
  RevListTest() : repo_(dir_ / "repo") {}

  void Convert(const std::string& block_size = "2m") {
    const ProcessResult result =
        RunZpack({"convert", "-q", "--force", "--block-size", block_size,
                  repo_.path(), file_});
    Require(result.ok(), result.err);
  }
  ProcessResult List(std::vector<std::string> options,
                     const std::vector<std::string>& revisions = {}) const {
    options.insert(options.begin(), "rev-list");
    options.push_back(file_);
    options.insert(options.end(), revisions.begin(), revisions.end());
    return RunZpack(options);
  }
  void ExpectSame(const std::vector<std::string>& options,
                  const std::vector<std::string>& revisions) const {
    std::vector<std::string> git = {"--no-replace-objects", "rev-list"};
    git.insert(git.end(), options.begin(), options.end());
    git.insert(git.end(), revisions.begin(), revisions.end());
    const ProcessResult expected = repo_.TryGit(git);
    EXPECT_EQ(expected.exit_code, 0) << expected.err;
    const ProcessResult actual = List(options, revisions);
    EXPECT_EQ(actual.exit_code, 0) << actual.err;
    EXPECT_THAT(actual.err, IsEmpty());
    EXPECT_EQ(actual.out, expected.out) << ::testing::PrintToString(git);
  }
  // With blocks that hold everything and with tiny ones.
  void ExpectSameWalks(const std::vector<std::string>& revisions = {}) {
    for (const char* const block_size : {"2m", "4k"}) {
      Convert(block_size);
      const std::vector<std::string> all = {"--all"};
      const std::vector<std::string> objects = {"--objects", "--all"};
      ExpectSame(all, {});
      ExpectSame(objects, {});
      ExpectSame({"--count", "--all"}, {});
      ExpectSame({"--count", "--objects", "--all"}, {});
      ExpectSame({"--objects", "--no-object-names", "--all"}, {});
      for (const std::string& revision : revisions) {
        ExpectSame({}, {revision});
        ExpectSame({"--objects"}, {revision});
      }
      if (revisions.size() > 1) ExpectSame({"--objects"}, revisions);
    }
  }

  std::string Entry(std::string_view mode, std::string_view name) const {
    return TreeEntryBytes(mode, name, repo_.WriteBlob(name));
  }
  std::string Commit(const std::string& tree_content, uint64_t time = 1000,
                     const std::vector<std::string>& parents = {}) const {
    CommitFields fields;
    fields.tree = repo_.WriteTree(tree_content);
    fields.parents = parents;
    fields.time = time;
    return repo_.WriteCommit(fields);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_ = dir_ / "x.zpack";
};

TEST_F(RevListTest, AHistory) {
  const std::string tip = repo_.History(30);
  ExpectSameWalks({"HEAD", "main", tip.substr(0, 12)});
}

TEST_F(RevListTest, NothingAtAll) {
  ExpectSameWalks();
  EXPECT_EQ(List({"--count", "--all"}).out, "0\n");
}

TEST_F(RevListTest, DetachedHeadIsAStartAndAnUnbornOneIsNone) {
  repo_.History(3);
  const std::string other = repo_.SimpleCommit("other", {}, 5);
  WriteFile(repo_.path() + "/HEAD", other + '\n');
  ExpectSameWalks({"HEAD"});
  WriteFile(repo_.path() + "/HEAD", "ref: refs/heads/unborn\n");
  ExpectSameWalks();
}

TEST_F(RevListTest, TagsOfEverything) {
  const std::string tip = repo_.History(3);
  const std::string blob = repo_.WriteBlob("tagged");
  const std::string tree = repo_.WriteTree(Entry("100644", "in a tag"));
  const std::string tag = repo_.WriteTag(tip, "commit", "v1");
  repo_.SetRef("refs/tags/v1", tag);
  repo_.SetRef("refs/tags/nested",
               repo_.WriteTag(repo_.WriteTag(tag, "tag", "in"), "tag", "out"));
  repo_.SetRef("refs/tags/blob", repo_.WriteTag(blob, "blob", "of blob"));
  repo_.SetRef("refs/tags/tree", repo_.WriteTag(tree, "tree", "of tree"));
  repo_.SetRef("refs/tags/a", tag);
  ExpectSameWalks({"v1", "nested", "blob", "tree"});
}

TEST_F(RevListTest, RefsToTreesAndBlobs) {
  repo_.History(2);
  repo_.SetRef("refs/odd/blob", repo_.WriteBlob("alone"));
  repo_.SetRef("refs/odd/tree",
               repo_.WriteTree(Entry("100644", "b") + Entry("100755", "c")));
  repo_.WriteLooseRef("refs/odd/symbolic", "ref: refs/odd/tree\n");
  repo_.WriteLooseRef("refs/odd/dangling", "ref: refs/odd/none\n");
  ExpectSameWalks({"odd/blob", "odd/tree", "HEAD"});
}

TEST_F(RevListTest, OneBlobUnderManyPathsHasTheFirst) {
  const std::string sub =
      repo_.WriteTree(Entry("100644", "a") + Entry("100644", "b"));
  const std::string old_tree = Entry("100644", "a") +
                               TreeEntryBytes("40000", "one", sub) +
                               TreeEntryBytes("40000", "two", sub);
  const std::string first = Commit(old_tree, 1000);
  // Renamed, and back again.
  const std::string second =
      Commit(TreeEntryBytes("40000", "three", sub), 2000, {first});
  repo_.SetRef("refs/heads/main", Commit(old_tree, 3000, {second}));
  ExpectSameWalks({"HEAD"});
}

TEST_F(RevListTest, SubmodulesAndTheEmptyTree) {
  const std::string gone = FakeId('7');
  const std::string with_submodule =
      Commit(Entry("100644", "a") + TreeEntryBytes("160000", "module", gone));
  CommitFields fields;  // of the empty tree, which nothing stores
  fields.parents = {with_submodule};
  fields.time = 2000;
  const std::string empty = repo_.WriteCommit(fields);
  const std::string inside = Commit(
      TreeEntryBytes("40000", "empty", kEmptyTree) + Entry("100644", "f"), 500,
      {empty});
  repo_.SetRef("refs/heads/main", inside);
  ExpectSameWalks({"HEAD"});
  repo_.WriteTree("");
  ExpectSameWalks({"HEAD"});
}

TEST_F(RevListTest, ShallowBoundariesHaveNoParents) {
  const std::string tip = repo_.History(6);
  const std::string boundary = repo_.Git({"rev-parse", tip + "~2"});
  WriteFile(repo_.path() + "/shallow", boundary + '\n');
  ExpectSameWalks({"HEAD"});
}

TEST_F(RevListTest, ObjectsThatGitTakesAsTheyAre) {
  const std::string blob = repo_.WriteBlob("x");
  const std::string tree = Entry("100664", "group") + Entry("0100644", "zero") +
                           Entry("100600", "b") + Entry("120000", "link") +
                           Entry("10", "a pipe") + Entry("100644", "a/slash");
  std::string tip = Commit(tree, 1000);
  // Names with line feeds end there, and names are no text.
  tip = Commit(Entry("100644", "two\nlines") + Entry("100644", "\xff\x01"),
               1000, {tip, tip});
  // A tree that is named as a blob and as nothing else.
  tip = Commit(TreeEntryBytes("100644", "tree",
                              repo_.WriteTree(Entry("100644", "inner"))),
               1000, {tip});
  const std::string body =
      "tree " + repo_.WriteTree(tree) + "\nparent " + tip + '\n';
  tip = repo_.WriteObject("commit", body + "\nno author\n");
  tip = repo_.WriteObject(
      "commit", "tree " + std::string(kEmptyTree) + "\nparent " + tip +
                    "\nauthor A <a> 5 +0000\ncommitter A <a> 07 +0000\n");
  repo_.SetRef("refs/heads/main", tip);
  repo_.SetRef(
      "refs/tags/short",
      repo_.WriteObject("tag", "object " + blob + "\ntype blob\ntag a\tb c\n"));
  ExpectSameWalks({"HEAD", "short"});
}

TEST_F(RevListTest, TimesThatGitTakesForOthers) {
  const auto commit = [&](const std::string& committer,
                          const std::vector<std::string>& parents) {
    std::string text = "tree " + std::string(kEmptyTree) + '\n';
    for (const std::string& parent : parents) text += "parent " + parent + '\n';
    return repo_.WriteObject(
        "commit",
        text + "author A <a> 1 +0000\ncommitter " + committer + "\n\nx\n");
  };
  // Before 1970, which Git takes for a time to come.
  const std::string past = commit("A <a> -5 +0000", {});
  const std::string middle = commit("A <a> 3000 +0000", {});
  const std::string first = commit("A <a> 2000 +0000", {middle, past});
  const std::string second = commit("A <a> 0 +0000", {past});
  repo_.SetRef("refs/heads/main", commit("A <a> 9000 +0000", {second, first}));
  ExpectSameWalks({"HEAD"});
}

// Trees over few names, of blobs and other trees that occur again and again.
class RandomRepository {
 public:
  RandomRepository(const RepoBuilder& repo, uint64_t seed)
      : repo_(repo), random_(seed) {
    for (int i = 0; i < 8; ++i) {
      blobs_.push_back(repo.WriteBlob("blob " + std::to_string(i)));
    }
    for (int i = 0; i < 20; ++i) trees_.push_back(Tree());
  }

  void AddCommits(int count) {
    std::vector<std::string> commits;
    for (int i = 0; i < count; ++i) {
      CommitFields fields;
      fields.tree = Pick(trees_);
      if (Below(random_, 2) == 0) trees_.push_back(fields.tree = Tree());
      // Merges, several roots, times that are equal or go back.
      for (size_t n = Below(random_, 4); n > 0 && !commits.empty(); --n) {
        const size_t back = std::min(commits.size(), 1 + Below(random_, 6));
        fields.parents.push_back(commits[commits.size() - back]);
      }
      fields.time = 1000 + (static_cast<uint64_t>(i) / 4) + Below(random_, 3);
      fields.message = std::to_string(i);
      commits.push_back(repo_.WriteCommit(fields));
    }
    for (int i = 0; i < 6; ++i) {
      repo_.SetRef("refs/heads/b" + std::to_string(i), Pick(commits));
      repo_.SetRef("refs/tags/t" + std::to_string(i),
                   repo_.WriteTag(Pick(commits), "commit", "t"));
    }
    repo_.SetRef("refs/heads/main", commits.back());
    repo_.SetRef("refs/odd/tree", Pick(trees_));
  }

 private:
  const std::string& Pick(const std::vector<std::string>& ids) {
    return ids[Below(random_, ids.size())];
  }
  std::string Tree() {
    std::string content;
    for (char name = 'a'; name < 'k'; ++name) {
      switch (Below(random_, 4)) {
        case 0:
          if (!trees_.empty()) {
            content += TreeEntryBytes("40000", {&name, 1}, Pick(trees_));
            break;
          }
          [[fallthrough]];
        case 1:
        case 2:
          content += TreeEntryBytes("100644", {&name, 1}, Pick(blobs_));
          break;
        default:
          break;
      }
    }
    return repo_.WriteTree(content);
  }

  const RepoBuilder& repo_;
  Random random_;
  std::vector<std::string> blobs_;
  std::vector<std::string> trees_;
};

TEST_F(RevListTest, RandomHistories) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    repo_ = RepoBuilder(dir_ / ("repo" + std::to_string(seed)));
    RandomRepository(repo_, seed).AddCommits(60);
    ExpectSameWalks({"HEAD", "b1", "t2"});
  }
}

// Dates that are equal, so that Git meets a start before it knows that it is
// left out, or not, as they were named.
TEST_F(RevListTest, ExclusionsComeWhereTheyAreNamed) {
  const std::string first = Commit(Entry("100644", "f1"));
  const std::string second = Commit(Entry("100644", "f2"), 1000, {first});
  const std::string third = Commit(Entry("100644", "f3"), 1000, {second});
  const std::string side = Commit(Entry("100644", "f4"), 1000, {first});
  repo_.SetRef("refs/heads/main", third);
  repo_.SetRef("refs/heads/side", side);
  Convert();
  const std::string tree = first + ':';
  const std::vector<std::string> middle = {second + ".." + side,
                                           third + "..." + side, third + "^!",
                                           '^' + side + "^!", third + "^-"};
  for (const std::vector<std::string>& revisions :
       {std::vector<std::string>{first, '^' + third, tree},
        {tree, first, '^' + third},
        {first, tree, '^' + third, first},
        {'^' + third, first, tree},
        {'^' + second, first, '^' + third, tree}}) {
    ExpectSame({"--objects"}, revisions);
  }
  for (const std::string& range : middle) {
    ExpectSame({"--objects"}, {first, range, tree});
    ExpectSame({"--objects"}, {range, first, tree});
    ExpectSame({"--objects"}, {tree, second, range});
  }
}

// To know what a name stands for, Git reads commits, and then knows at once
// that what they reach is left out.
TEST_F(RevListTest, WhatNamesReadIsKnownBeforeTheWalk) {
  const std::string first = Commit(Entry("100644", "f1"));
  const std::string second = Commit(Entry("100644", "f2"), 1000, {first});
  const std::string third = Commit(Entry("100644", "f3"), 1000, {second});
  const std::string fourth = Commit(Entry("100644", "f4"), 1000, {third});
  const std::string side = Commit(Entry("100644", "f5"), 1000, {third});
  repo_.SetRef("refs/heads/main", fourth);
  repo_.SetRef("refs/heads/side", side);
  Convert();
  for (const std::vector<std::string>& revisions :
       {std::vector<std::string>{first, fourth + "..." + side, first + ':'},
        {second + "^@", fourth + "^!", first + ':'},
        {second + "~1", '^' + third, first + ':'},
        {second + "^1", fourth + "^-", first + ':'}}) {
    ExpectSame({"--objects"}, revisions);
  }
}

TEST_F(RevListTest, NoObjectsWins) {
  repo_.History(2);
  Convert();
  const std::string commits = List({"--all"}).out;
  EXPECT_EQ(List({"--objects", "--no-objects", "--all"}).out, commits);
  EXPECT_EQ(List({"--no-objects", "--all"}).out, commits);
}

TEST_F(RevListTest, RefsComeBeforeRevisions) {
  repo_.History(2);
  // Of the same time, and reached from no ref.
  const std::string loose = repo_.SimpleCommit("x", {}, 1);
  repo_.SetRef("refs/heads/old", repo_.SimpleCommit("y", {}, 1));
  Convert();
  EXPECT_EQ(List({"--all"}, {loose}).out,
            repo_.Git({"rev-list", "--all", loose}) + '\n');
}

TEST_F(RevListTest, SaysWhatItDoesNotUnderstand) {
  repo_.History(2);
  Convert();
  const auto expect_usage = [&](const ProcessResult& result,
                                const char* message) {
    EXPECT_EQ(result.exit_code, 129);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr(message));
  };
  expect_usage(List({}), "give a revision");
  expect_usage(List({"--objects"}), "give a revision");
  expect_usage(List({"-n", "x", "--all"}), "--max-count");
  for (const char* const revision :
       {"nothing", "1111111111111111111111111111111111111111", "HEAD~9"}) {
    const ProcessResult result = List({}, {"HEAD", revision});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, StartsWith("fatal: "));
    EXPECT_THAT(result.err, HasSubstr(revision));
  }
}

TEST_F(RevListTest, OnlyWhatMayBeAPathIsTakenForOne) {
  repo_.History(2);
  Convert();
  for (const auto& [word, is_path] :
       {std::pair("dir/file", true), std::pair("HEAD~9", false),
        std::pair("HEAD^{/none}..HEAD~~", false), std::pair("^none", false)}) {
    const ProcessResult result = List({}, {"HEAD", word});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_EQ(result.err.find("hint: the commits that change a path") !=
                  std::string::npos,
              is_path)
        << result.err;
  }
}

TEST_F(RevListTest, WhatFollowsTwoDashesIsNeverARevision) {
  repo_.History(3);
  repo_.Git({"branch", "dir", "HEAD~1"});
  Convert();
  for (const std::string path : {"dir", "none"}) {
    const ProcessResult result = List({"--count"}, {"HEAD", "--", path});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_THAT(result.err, HasSubstr(" 'HEAD' -- '" + path + "'\n"));
  }
  EXPECT_EQ(List({"--all"}, {"--", "dir"}).exit_code, 128);
  EXPECT_EQ(List({}, {"--", "HEAD"}).exit_code, 129);
  ExpectSame({}, {"HEAD", "--"});
  ExpectSame({"-2"}, {"HEAD"});
}

TEST_F(RevListTest, FullStandardOutputIsAFailure) {
  repo_.History(40);
  Convert();
  for (const char* const options : {"--all", "--objects --all"}) {
    const ProcessResult result =
        RunProcess({"sh", "-c", "\"$0\" rev-list $2 \"$1\" > /dev/full",
                    ZpackBinary(), file_, options});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_EQ(result.err,
              "fatal: write failure on standard output: No space left on "
              "device\n");
  }
}

}  // namespace
}  // namespace zpack::testing
