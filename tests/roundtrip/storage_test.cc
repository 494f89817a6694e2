// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects come along wherever Git may keep them: packs, loose files and
// alternates, once or several times; and nothing is missing unnoticed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

class StorageTest : public ::testing::Test {
 protected:
  // A repository with three packs and loose objects.
  std::string BuildSeveralPacks(const RepoBuilder& repo) const {
    std::string tip = repo.History(4);
    repo.PackAll();
    for (int i = 0; i < 2; ++i) {
      tip = repo.SimpleCommit("pack " + std::to_string(i), {tip});
      repo.SetRef("refs/heads/main", tip);
      repo.Git({"repack", "-q", "-d"});
    }
    tip = repo.SimpleCommit("loose", {tip});
    repo.SetRef("refs/heads/main", tip);
    return tip;
  }

  void WriteAlternates(const RepoBuilder& repo, const std::string& text) const {
    WriteFile(repo.git_dir() + "/objects/info/alternates", text);
  }

  // Files of the repository's packs with this extension.
  std::vector<std::string> PackFiles(const RepoBuilder& repo,
                                     std::string_view extension) const {
    std::vector<std::string> found;
    const std::string directory = repo.git_dir() + "/objects/pack";
    for (const std::string& name : ListDirectory(directory)) {
      if (name.ends_with(extension)) found.push_back(directory + '/' + name);
    }
    return found;
  }

  TempDir dir_;
};

TEST_F(StorageTest, SeveralPacksAndLooseObjectsComeBack) {
  const RepoBuilder repo(dir_ / "repo");
  BuildSeveralPacks(repo);
  ASSERT_EQ(PackFiles(repo, ".pack").size(), 3U);
  ExpectRoundTrip(repo.path(), dir_);
}

TEST_F(StorageTest, MultiPackIndexBitmapsAndCommitGraphDoNotMatter) {
  const RepoBuilder repo(dir_ / "repo");
  BuildSeveralPacks(repo);
  repo.Git({"multi-pack-index", "write"});
  repo.Git({"commit-graph", "write", "--reachable"});
  ExpectRoundTrip(repo.path(), dir_);
  // All packs but the new one are gone, as the index is made anew.
  repo.Git({"repack", "-q", "-a", "-d", "-b"});
  repo.Git({"multi-pack-index", "write", "--bitmap"});
  ExpectRoundTrip(repo.path(), dir_);
}

TEST_F(StorageTest, KeptPackComesAlong) {
  const RepoBuilder repo(dir_ / "repo");
  BuildSeveralPacks(repo);
  for (std::string pack : PackFiles(repo, ".pack")) {
    WriteFile(pack.replace(pack.size() - 4, 4, "keep"), "");
  }
  ExpectRoundTrip(repo.path(), dir_);
}

TEST_F(StorageTest, DuplicatesAreStoredOnce) {
  const RepoBuilder repo(dir_ / "repo");
  const std::string tip = repo.History(5);
  repo.Git({"repack", "-q", "-a"});  // loose copies stay
  repo.Git({"branch", "other", tip + "~2"});
  repo.Git(
      {"pack-objects", "-q", "--revs", repo.git_dir() + "/objects/pack/pack"},
      "other\n");  // and so do copies in a second pack
  ASSERT_EQ(PackFiles(repo, ".pack").size(), 2U);
  ASSERT_TRUE(Exists(repo.LooseObjectPath(tip)));
  ExpectRoundTrip(repo.path(), dir_);
}

TEST_F(StorageTest, AlternateComesAlong) {
  const RepoBuilder base(dir_ / "base");
  const std::string tip = BuildSeveralPacks(base);
  const RepoBuilder repo(dir_ / "repo");
  WriteAlternates(repo, base.path() + "/objects\n");
  repo.SetRef("refs/heads/main", repo.SimpleCommit("own", {tip}));
  const std::string restored = ExpectRoundTrip(repo.path(), dir_);
  // The restored repository stands alone.
  EXPECT_FALSE(Exists(restored + "/objects/info/alternates"));
  fs::remove_all(base.path());
  EXPECT_TRUE(RunGit({"rev-list", "--objects", "--all"}, restored).ok());
}

TEST_F(StorageTest, NestedRelativeAndQuotedAlternatesComeAlong) {
  const RepoBuilder one(dir_ / "one");
  const std::string first = one.History(2);
  const RepoBuilder two(dir_ / "two");
  WriteAlternates(two, "# a comment\n\n../../one/objects\n");
  const std::string second = two.SimpleCommit("two", {first});
  const RepoBuilder three(dir_ / "with \"quote\"");
  WriteAlternates(three, "../../two/objects\n");
  const std::string third = three.SimpleCommit("three", {second});
  const RepoBuilder four(dir_ / "four");
  WriteAlternates(four, "\"" + dir_.path() +
                            "/with \\\"quote\\\"/objects\"\n" +  // C style
                            one.path() + "/objects");
  four.SetRef("refs/heads/main", four.SimpleCommit("four", {third}));
  ASSERT_TRUE(four.TryGit({"rev-list", "--objects", "main"}).ok());
  ExpectRoundTrip(four.path(), dir_);
}

TEST_F(StorageTest, CircularAlternatesEnd) {
  const RepoBuilder one(dir_ / "one");
  const RepoBuilder two(dir_ / "two");
  WriteAlternates(one, two.path() + "/objects\n");
  WriteAlternates(two, one.path() + "/objects\n");
  one.SetRef("refs/heads/main",
             one.SimpleCommit("one", {two.SimpleCommit("two")}));
  ExpectRoundTrip(one.path(), dir_);
}

TEST_F(StorageTest, AlternatesNestedTooDeepAreRefused) {
  for (int i = 0; i < 8; ++i) {
    const RepoBuilder repo(dir_ / ("r" + std::to_string(i)));
    WriteAlternates(repo, "../../r" + std::to_string(i + 1) + "/objects\n");
  }
  const RepoBuilder last(dir_ / "r8");
  last.History(1);
  ExpectRefused(dir_ / "r0", dir_, {"nested too deep"});
}

TEST_F(StorageTest, SharedCloneComesBack) {
  const RepoBuilder base(dir_ / "base");
  base.History(3);
  base.PackAll();
  ASSERT_TRUE(
      RunGit({"clone", "-q", "--shared", "base", "clone"}, dir_.path()).ok());
  ExpectRoundTrip(dir_ / "clone", dir_);
}

TEST_F(StorageTest, ShallowCloneComesBack) {
  const RepoBuilder base(dir_ / "base");
  base.History(6);
  ASSERT_TRUE(RunGit({"clone", "-q", "--bare", "--depth=2",
                      "file://" + base.path(), "clone"},
                     dir_.path())
                  .ok());
  const std::string restored = ExpectRoundTrip(dir_ / "clone", dir_);
  EXPECT_EQ(ReadState(restored).shallow.size(), 1U);
  EXPECT_EQ(RunGit({"rev-list", "--count", "HEAD"}, restored).out, "2\n");
}

TEST_F(StorageTest, ShallowMergeComesBack) {
  const RepoBuilder base(dir_ / "base");
  const std::string tip = base.History(4);
  const std::string side = base.SimpleCommit("side", {tip}, 1700001000);
  base.SetRef("refs/heads/main",
              base.SimpleCommit("merge", {tip, side}, 1700002000));
  ASSERT_TRUE(
      RunGit({"clone", "-q", "--depth=2", "file://" + base.path(), "clone"},
             dir_.path())
          .ok());
  const std::string restored = ExpectRoundTrip(dir_ / "clone", dir_);
  EXPECT_EQ(ReadState(restored).shallow.size(), 2U);
}

TEST_F(StorageTest, GarbageInTheShallowFileIsRefused) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(2);
  WriteFile(repo.path() + "/shallow", "no id\n");
  ExpectRefused(repo.path(), dir_, {"bad shallow line 'no id'"});
}

TEST_F(StorageTest, PartialCloneWithMissingBlobsIsRefused) {
  const RepoBuilder base(dir_ / "base");
  base.History(5);
  base.Git({"config", "uploadpack.allowFilter", "true"});
  ASSERT_TRUE(RunGit({"clone", "-q", "--bare", "--filter=blob:none",
                      "file://" + base.path(), "clone"},
                     dir_.path())
                  .ok());
  const std::string missing =
      RunGit({"rev-list", "--objects", "--all", "--missing=print"},
             dir_ / "clone")
          .out;
  std::vector<std::string> reasons = {"partial clone"};
  size_t count = 0;
  for (const std::string& line : SplitLines(missing)) {
    if (!line.starts_with('?')) continue;
    if (++count == 1) reasons.push_back(line.substr(1));
  }
  reasons.push_back(std::to_string(count) + " objects are missing");
  ExpectRefused(dir_ / "clone", dir_, {reasons[0], reasons[2]});
}

TEST_F(StorageTest, PartialCloneThatIsCompleteComesBack) {
  const RepoBuilder base(dir_ / "base");
  base.History(2);
  base.Git({"config", "uploadpack.allowFilter", "true"});
  ASSERT_TRUE(RunGit({"clone", "-q", "--bare", "--filter=blob:limit=1g",
                      "file://" + base.path(), "clone"},
                     dir_.path())
                  .ok());
  ExpectRoundTrip(dir_ / "clone", dir_);
}

TEST_F(StorageTest, MissingObjectsAreCountedAndNamed) {
  const RepoBuilder repo(dir_ / "repo");
  repo.History(3);
  const std::string tree = repo.Git({"rev-parse", "main~1^{tree}"});
  const std::string blob = repo.Git({"rev-parse", "main~2:counter"});
  fs::remove(repo.LooseObjectPath(tree));
  fs::remove(repo.LooseObjectPath(blob));
  ExpectRefused(repo.path(), dir_,
                {"is incomplete: 2 objects are missing", tree, blob});
  ExpectRefused(repo.path(), dir_, {tree, blob}, {"--reachable"});
}

TEST_F(StorageTest, ManyMissingObjectsAreNotAllNamed) {
  const RepoBuilder repo(dir_ / "repo");
  std::string tree;
  for (int i = 100; i < 150; ++i) {
    const std::string name = std::to_string(i);
    tree += TreeEntryBytes("100644", name, HashObject("blob", name));
  }
  CommitFields fields;
  fields.tree = repo.WriteTree(tree);
  repo.SetRef("refs/heads/main", repo.WriteCommit(fields));
  ExpectRefused(repo.path(), dir_, {"50 objects are missing", " ..."});
}

TEST_F(StorageTest, EmptyTreeNeedsNoObject) {
  const RepoBuilder repo(dir_ / "repo");
  repo.SetRef("refs/heads/main", repo.WriteCommit({}));
  ASSERT_FALSE(Exists(repo.LooseObjectPath(kEmptyTree)));
  const std::string restored = ExpectRoundTrip(repo.path(), dir_);
  EXPECT_EQ(ReadState(restored).objects.size(), 1U);
}

TEST_F(StorageTest, StoredEmptyTreeComesBack) {
  const RepoBuilder repo(dir_ / "repo");
  CommitFields fields;
  fields.tree = repo.WriteTree("");
  repo.SetRef("refs/heads/main", repo.WriteCommit(fields));
  repo.SetRef("refs/tags/tree", fields.tree);
  ExpectRoundTrip(repo.path(), dir_);
  ExpectRoundTrip(repo.path(), dir_, {"--reachable"});
}

TEST_F(StorageTest, UnstoredEmptyTreeMayBeATagOrATip) {
  const RepoBuilder repo(dir_ / "repo");
  repo.SetRef("refs/tags/light", kEmptyTree);
  repo.SetRef("refs/tags/annotated",
              repo.WriteTag(kEmptyTree, "tree", "annotated"));
  ExpectRoundTrip(repo.path(), dir_);
}

TEST_F(StorageTest, StrayFilesInTheObjectDatabaseAreIgnored) {
  const RepoBuilder repo(dir_ / "repo");
  BuildSeveralPacks(repo);
  const std::string objects = repo.path() + "/objects";
  WriteFile(objects + "/12/tmp_obj_abcdef", "left by a crash");
  WriteFile(objects + "/pack/tmp_pack_abcdef", "left by a crash");
  WriteFile(objects + "/pack/pack-1234.idx.lock", "");
  WriteFile(objects + "/info/packs", "P pack-1234.pack\n");
  ExpectRoundTrip(repo.path(), dir_);
}

TEST_F(StorageTest, PackAndLooseObjectsMayBeLinks) {
  const RepoBuilder repo(dir_ / "repo");
  BuildSeveralPacks(repo);
  fs::rename(repo.path() + "/objects/pack", dir_ / "packs");
  fs::create_symlink(dir_ / "packs", repo.path() + "/objects/pack");
  ExpectRoundTrip(repo.path(), dir_);
}

}  // namespace
}  // namespace zpack::testing
