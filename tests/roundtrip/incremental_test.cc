// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'convert --base': whatever a repository gained since the older file was
// written, the new file holds it all, and what it has in common with the older
// one was copied.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Json = nlohmann::json;

const char* const kModule =
    TestFormat() == ObjectFormat::kSha1
        ? "1234567890123456789012345678901234567890"
        : "1234567890123456789012345678901234567890123456789012345678901234";

class IncrementalTest : public ::testing::Test {
 protected:
  IncrementalTest()
      : repo_(dir_ / "repo"), tip_(repo_.History(30)), old_(dir_ / "old") {}

  void ConvertOld(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> convert = {"convert", "-q", "--force"};
    convert.insert(convert.end(), options.begin(), options.end());
    convert.insert(convert.end(), {repo_.path(), old_});
    ASSERT_EQ(RunZpack(convert).exit_code, 0);
  }

  // Takes the repository through a file based on the old one and back. Returns
  // what --json says about the older file.
  Json Grow(std::vector<std::string> options = {},
            Fsck fsck = Fsck::kCompare) const {
    options.insert(options.end(), {"--base", old_});
    ExpectRoundTrip(repo_.path(), dir_, options, fsck);
    std::vector<std::string> convert = {"convert", "--json", "--force"};
    convert.insert(convert.end(), options.begin(), options.end());
    convert.insert(convert.end(), {repo_.path(), dir_ / "json.zpack"});
    const ProcessResult result = RunZpack(convert);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_TRUE(ReadFile(dir_ / "json.zpack") == ReadFile(dir_ / "rt.zpack"));
    const Json document = Json::parse(result.out, nullptr, false);
    EXPECT_FALSE(document.is_discarded()) << result.out;
    return document["base"];
  }

  // Expects one warning that contains `reason`, and the file of a conversion
  // without the older one.
  void ExpectConvertsAnew(const std::string& reason,
                          const std::vector<std::string>& options = {}) const {
    std::vector<std::string> convert = {"convert", "--json", "--force"};
    convert.insert(convert.end(), options.begin(), options.end());
    std::vector<std::string> with_base = convert;
    with_base.insert(with_base.end(),
                     {"--base", old_, repo_.path(), dir_ / "a.zpack"});
    const ProcessResult result = RunZpack(with_base);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, AllOf(StartsWith("warning: "), HasSubstr(reason),
                                  HasSubstr(old_)));
    EXPECT_THAT(SplitLines(result.err), SizeIs(1));
    EXPECT_THAT(Json::parse(result.out)["base"]["unused"].get<std::string>(),
                HasSubstr(reason));
    convert.insert(convert.end(), {repo_.path(), dir_ / "b.zpack"});
    ASSERT_EQ(RunZpack(convert).exit_code, 0);
    EXPECT_TRUE(ReadFile(dir_ / "a.zpack") == ReadFile(dir_ / "b.zpack"));
  }

  std::string Commit(const std::string& tree,
                     const std::vector<std::string>& parents,
                     uint64_t time = 1700000000) const {
    CommitFields fields;
    fields.tree = tree;
    fields.parents = parents;
    fields.time = time;
    return repo_.WriteCommit(fields);
  }

  // A commit on `parents` with a file and a submodule beside it.
  std::string CommitWithModule(const std::string& content,
                               const std::string& module,
                               const std::vector<std::string>& parents) const {
    const std::string blob = repo_.WriteBlob(content);
    const std::string tree =
        repo_.WriteTree(TreeEntryBytes("100644", "file", blob) +
                        TreeEntryBytes("160000", "module", module));
    return Commit(tree, parents);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
  std::string old_;
};

TEST_F(IncrementalTest, NothingNewCopiesEverything) {
  ConvertOld();
  const Json base = Grow();
  EXPECT_TRUE(base["unused"].is_null());
  EXPECT_GT(base["copied_blocks"], 2);
  EXPECT_EQ(base["renumbered_blocks"], 0);
  EXPECT_TRUE(ReadFile(dir_ / "rt.zpack") == ReadFile(old_));
}

TEST_F(IncrementalTest, NewCommitsAreAdded) {
  repo_.PackAll();
  ConvertOld();
  const size_t known = ReadState(repo_.path()).objects.size();
  std::string tip = tip_;
  for (int i = 0; i < 5; ++i) {
    tip = repo_.SimpleCommit("new " + std::to_string(i), {tip});
  }
  repo_.SetRef("refs/heads/main", tip);
  const Json base = Grow();
  EXPECT_TRUE(base["unused"].is_null());
  EXPECT_EQ(base["copied_objects"], known);
}

// Blocks that continue other ones are copied with these.
TEST_F(IncrementalTest, GroupsAreCopiedAndNewOnesFollow) {
  repo_.PackAll();
  ConvertOld({"--profile", "cold", "--block-size", "4k"});
  const size_t known = ReadState(repo_.path()).objects.size();
  for (const std::string profile : {"cold", "fast"}) {
    std::string tip = tip_;
    for (int i = 0; i < 5; ++i) {
      tip = CommitWithModule(profile + std::to_string(i), kModule, {tip});
    }
    repo_.SetRef("refs/heads/main", tip);
    const Json base = Grow({"--profile", profile, "--block-size", "4k"});
    EXPECT_TRUE(base["unused"].is_null());
    EXPECT_EQ(base["copied_objects"], known);
    const ProcessResult shown = RunZpack({"show", "--json", dir_ / "rt.zpack"});
    EXPECT_THAT(shown.out, HasSubstr("\"groups\""));
  }
}

TEST_F(IncrementalTest, MergesTagsAndNewRootsAreAdded) {
  ConvertOld();
  const std::string side = repo_.SimpleCommit("side", {tip_});
  const std::string root = repo_.SimpleCommit("root");
  const std::string merge = repo_.SimpleCommit("merge", {tip_, side, root});
  repo_.SetRef("refs/heads/main", merge);
  // Of an old commit, of a new one, of a tag, of a blob and of a tree.
  const std::string tag = repo_.WriteTag(tip_, "commit", "old");
  repo_.SetRef("refs/tags/old", tag);
  repo_.SetRef("refs/tags/tag", repo_.WriteTag(tag, "tag", "tag"));
  repo_.SetRef("refs/tags/new", repo_.WriteTag(merge, "commit", "new"));
  repo_.SetRef("refs/tags/blob",
               repo_.WriteTag(repo_.WriteBlob("blob"), "blob", "blob"));
  repo_.SetRef("refs/heads/back", repo_.Git({"rev-parse", tip_ + "~3"}));
  EXPECT_TRUE(Grow()["unused"].is_null());
}

TEST_F(IncrementalTest, RenamesAndLargeObjectsAreAdded) {
  std::string tip = tip_;
  // More than eight blocks each: a text, and what is stored in segments.
  for (const std::string& large :
       {RawToHex(RandomBytes(1, 40000)), RandomBytes(2, 40000)}) {
    const std::string blob = repo_.WriteBlob(large);
    const std::string first =
        Commit(repo_.WriteTree(TreeEntryBytes("100644", "a", blob)), {tip});
    repo_.SetRef("refs/heads/main", first);
    ConvertOld({"--block-size", "4k"});
    const std::string larger = repo_.WriteBlob(large + large);
    const std::string inner = repo_.WriteTree(
        TreeEntryBytes("100644", "b", blob) +
        TreeEntryBytes("100755", "c", repo_.WriteBlob(large + "end")));
    tip = Commit(repo_.WriteTree(TreeEntryBytes("100644", "big", larger) +
                                 TreeEntryBytes("40000", "directory", inner)),
                 {first});
    repo_.SetRef("refs/heads/main", tip);
    EXPECT_TRUE(Grow({"--block-size", "4k"})["unused"].is_null());
  }
}

TEST_F(IncrementalTest, FileOfAnotherObjectFormatIsNotUsed) {
  ConvertOld();
  const bool is_sha1 = TestFormat() == ObjectFormat::kSha1;
  const std::string ours = is_sha1 ? "sha1" : "sha256";
  const std::string other = is_sha1 ? "sha256" : "sha1";
  repo_.Git(
      {"init", "-q", "--bare", "--object-format=" + other, dir_ / "other"});
  repo_ = RepoBuilder::Existing(dir_ / "other");
  repo_.Git({"update-ref", "refs/heads/main",
             repo_.Git({"commit-tree", "-m", "first", repo_.Git({"mktree"})})});
  ExpectConvertsAnew("its object format is " + ours);
  const ProcessResult verified =
      RunZpack({"verify", "--against", repo_.path(), old_});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(
      verified.out + verified.err,
      HasSubstr("object format is " + ours + ", it should be " + other));
}

TEST_F(IncrementalTest, SubmodulesThatAppearAreKept) {
  ConvertOld();
  repo_.SetRef("refs/heads/main", CommitWithModule("a", kModule, {tip_}));
  const Json base = Grow();
  EXPECT_TRUE(base["unused"].is_null());
  EXPECT_EQ(base["renumbered_blocks"], 0);
}

TEST_F(IncrementalTest, SubmodulesInOldTreesAreRenumbered) {
  std::string tip = tip_;
  for (int i = 0; i < 6; ++i) {
    std::string module = kModule;
    module[0] = static_cast<char>('0' + i / 2);
    tip = CommitWithModule(std::to_string(i), module, {tip});
  }
  repo_.SetRef("refs/heads/main", tip);
  ConvertOld();
  // One as before, one that is new.
  tip = CommitWithModule("new", kModule, {tip});
  repo_.SetRef("refs/heads/main", tip);
  const Json base = Grow();
  EXPECT_TRUE(base["unused"].is_null());
  EXPECT_EQ(base["renumbered_blocks"], 1);
}

TEST_F(IncrementalTest, SubmodulesCommitThatComesAlongGetsANumber) {
  // A commit that the old file names and does not have.
  const RepoBuilder other(dir_ / "other");
  const std::string module = other.SimpleCommit("module");
  std::string tip = CommitWithModule("a", module, {tip_});
  tip = CommitWithModule("b", kModule, {tip});
  repo_.SetRef("refs/heads/main", tip);
  ConvertOld();
  repo_.Git({"fetch", "-q", other.path(), module + ":refs/heads/module"});
  const Json base = Grow();
  EXPECT_TRUE(base["unused"].is_null());
  EXPECT_EQ(base["renumbered_blocks"], 1);
}

TEST_F(IncrementalTest, ShallowCloneThatGrewIsRenumbered) {
  const RepoBuilder origin(dir_ / "origin");
  std::string tip = origin.History(20);
  RunGit({"clone", "-q", "--bare", "--depth", "5", "file://" + origin.path(),
          dir_ / "shallow"},
         dir_.path());
  repo_ = RepoBuilder::Existing(dir_ / "shallow");
  ConvertOld();
  tip = origin.SimpleCommit("new", {tip});
  origin.SetRef("refs/heads/main", tip);
  repo_.Git({"fetch", "-q", "file://" + origin.path(), "+main:main"});
  const Json base = Grow();
  EXPECT_TRUE(base["unused"].is_null());
  EXPECT_EQ(base["renumbered_blocks"], 1);

  // Deeper, then whole: what was outside the file is in it.
  repo_.Git({"fetch", "-q", "--depth", "9", "file://" + origin.path(), "main"});
  EXPECT_TRUE(Grow()["unused"].is_null());
  EXPECT_TRUE(Grow({"--reachable"})["unused"].is_null());
  repo_.Git({"fetch", "-q", "--unshallow", "file://" + origin.path(), "main"});
  EXPECT_TRUE(Grow()["unused"].is_null());
  EXPECT_TRUE(Grow({"--reachable"})["unused"].is_null());
}

TEST_F(IncrementalTest, UnreachableObjectsAreKeptInBothFiles) {
  repo_.WriteBlob("unreachable");
  Commit(repo_.WriteTree(""), {tip_});
  ConvertOld();
  repo_.WriteBlob("unreachable, too");
  Commit(repo_.WriteTree(""), {tip_}, 1700000001);
  EXPECT_TRUE(Grow()["unused"].is_null());
}

TEST_F(IncrementalTest, MissingObjectsBehindOldOnesAreFound) {
  // An unreachable commit whose parent is missing is no error; a ref to what
  // comes after it is one.
  const std::string parent = repo_.SimpleCommit("parent");
  const std::string child = repo_.SimpleCommit("child", {parent});
  RunProcess({"rm", repo_.LooseObjectPath(parent)});
  ConvertOld();
  repo_.SetRef("refs/heads/child", repo_.SimpleCommit("new", {child}));
  ExpectRefused(repo_.path(), dir_, {"1 object is missing", parent},
                {"--base", old_});
}

TEST_F(IncrementalTest, ObjectsThatGitCannotReadAreNoObstacle) {
  // No walk through this history, but a conversion.
  const std::string odd = repo_.WriteObject("commit", "no commit at all\n");
  repo_.SetRef("refs/heads/odd", odd);
  ConvertOld();
  repo_.SetRef("refs/heads/main", repo_.SimpleCommit("new", {tip_}));
  EXPECT_TRUE(Grow({}, Fsck::kSkip)["unused"].is_null());
  EXPECT_TRUE(Grow({"--reachable"}, Fsck::kSkip)["unused"].is_null());
}

TEST_F(IncrementalTest, ReachableTakesOnlyWhatIsNewAndReachable) {
  ConvertOld({"--reachable"});
  repo_.WriteBlob("unreachable");
  repo_.SetRef("refs/heads/main", repo_.SimpleCommit("new", {tip_}));
  EXPECT_TRUE(Grow({"--reachable"})["unused"].is_null());
  EXPECT_THAT(ReadState(dir_ / "rt.git").objects,
              SizeIs(ReadState(repo_.path()).objects.size() - 1));
}

TEST_F(IncrementalTest, ObjectsThatAreGoneConvertAnew) {
  const std::string blob = repo_.WriteBlob("gone");
  ConvertOld();
  RunProcess({"rm", repo_.LooseObjectPath(blob)});
  ExpectConvertsAnew("such as " + blob);
  ExpectConvertsAnew("such as " + blob, {"--reachable"});
}

TEST_F(IncrementalTest, ObjectsThatAreNotReachableAnyMoreConvertAnew) {
  ConvertOld({"--reachable"});
  repo_.SetRef("refs/heads/main", repo_.Git({"rev-parse", tip_ + "~1"}));
  repo_.Git({"reflog", "expire", "--expire=now", "--all"});
  ExpectConvertsAnew("not reachable", {"--reachable"});
  // Without the option they are wanted.
  EXPECT_TRUE(Grow()["unused"].is_null());
}

TEST_F(IncrementalTest, QuietSaysNothingAboutConvertingAnew) {
  const std::string blob = repo_.WriteBlob("gone");
  ConvertOld();
  RunProcess({"rm", repo_.LooseObjectPath(blob)});
  const ProcessResult result = RunZpack(
      {"convert", "-q", "--base", old_, repo_.path(), dir_ / "new.zpack"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out + result.err, "");
}

TEST_F(IncrementalTest, FiveInARowOverTheSameFile) {
  // With submodules, so that blocks are renumbered again and again.
  std::string tip = CommitWithModule("a", kModule, {tip_});
  repo_.SetRef("refs/heads/main", tip);
  const std::string file = dir_ / "rt.zpack";
  ExpectRoundTrip(repo_.path(), dir_, {});
  for (int i = 0; i < 5; ++i) {
    SCOPED_TRACE(i);
    tip = CommitWithModule("b" + std::to_string(i), i % 2 == 0 ? kModule : tip_,
                           {tip});
    tip = repo_.SimpleCommit("c" + std::to_string(i), {tip});
    repo_.SetRef("refs/heads/main", tip);
    ExpectRoundTrip(repo_.path(), dir_, {"--base", file});
  }
  const auto list = [&](const std::vector<std::string>& command) {
    return SplitLines(RunZpack(command).out);
  };
  EXPECT_EQ(
      list({"rev-list", "--all", "--objects", file}),
      SplitLines(RunGit({"rev-list", "--all", "--objects"}, repo_.path()).out));
}

TEST_F(IncrementalTest, EmptyFilesAndRepositories) {
  const RepoBuilder empty(dir_ / "empty");
  ASSERT_EQ(RunZpack({"convert", "-q", empty.path(), old_}).exit_code, 0);
  EXPECT_TRUE(Grow()["unused"].is_null());
  repo_ = empty;
  EXPECT_TRUE(Grow()["unused"].is_null());
}

TEST_F(IncrementalTest, ThreadsDoNotChangeTheBytes) {
  repo_.SetRef("refs/heads/main", CommitWithModule("a", kModule, {tip_}));
  ConvertOld({"--block-size", "4k"});
  std::string tip = tip_;
  for (int i = 0; i < 20; ++i) {
    tip = repo_.SimpleCommit("new " + std::to_string(i), {tip});
    repo_.WriteBlob(RandomBytes(static_cast<uint64_t>(i), 9000));
  }
  repo_.SetRef("refs/heads/new", tip);
  const auto convert = [&](const char* threads) {
    const std::string file = dir_ / "t.zpack";
    EXPECT_EQ(
        RunZpack({"convert", "-q", "--force", "--block-size", "4k", "--threads",
                  threads, "--base", old_, repo_.path(), file})
            .exit_code,
        0);
    return ReadFile(file);
  };
  const std::string one = convert("1");
  EXPECT_TRUE(one == convert("4"));
  EXPECT_TRUE(one == convert("2"));
}

TEST_F(IncrementalTest, OnlyWithTrustBaseCopiedObjectsAreNotVerified) {
  ConvertOld();
  const auto convert = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"convert", "--force", "--base", old_});
    options.insert(options.end(), {repo_.path(), dir_ / "new.zpack"});
    return RunZpack(options);
  };
  EXPECT_THAT(convert({}).err, HasSubstr(", verified;"));
  const Json all = Json::parse(convert({"--json"}).out);
  EXPECT_EQ(all["verified"], true);
  EXPECT_EQ(all["unverified_objects"], 0);
  EXPECT_THAT(convert({"--trust-base"}).err,
              AllOf(HasSubstr(", not verified: "), HasSubstr(old_)));
  const Json some = Json::parse(convert({"--json", "--trust-base"}).out);
  EXPECT_EQ(some["verified"], false);
  EXPECT_EQ(some["unverified_objects"], some["base"]["copied_objects"]);
  EXPECT_GT(some["unverified_objects"], 0);
}

TEST_F(IncrementalTest, TrustBaseWithoutBaseIsWrongUsage) {
  const ProcessResult result =
      RunZpack({"convert", "--trust-base", repo_.path(), dir_ / "new.zpack"});
  EXPECT_EQ(result.exit_code, 129);
  EXPECT_THAT(result.err, HasSubstr("'--base'"));
}

TEST_F(IncrementalTest, WhatIsNoZpackFileIsRefused) {
  WriteFile(old_, "nonsense");
  ExpectRefused(repo_.path(), dir_, {old_}, {"--base", old_});
  ExpectRefused(repo_.path(), dir_, {dir_ / "none"}, {"--base", dir_ / "none"});
  ExpectRefused(repo_.path(), dir_, {dir_.path()}, {"--base", dir_.path()});
}

TEST_F(IncrementalTest, ExistingFileIsKeptWithoutForce) {
  ConvertOld();
  const std::string before = ReadFile(old_);
  const ProcessResult result =
      RunZpack({"convert", "--base", old_, repo_.path(), old_});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("already exists"));
  EXPECT_TRUE(ReadFile(old_) == before);
}

}  // namespace
}  // namespace zpack::testing
