// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Every kind of ref that Git knows comes back, or is refused by name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

class RefsTest : public ::testing::Test {
 protected:
  RefsTest() : repo_(dir_ / "repo"), tip_(repo_.History(3)) {}

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
};

TEST_F(RefsTest, TenThousandRefsComeBack) {
  std::string packed = "# pack-refs with: peeled fully-peeled sorted \n";
  for (int i = 10000; i < 20000; ++i) {
    packed += tip_ + " refs/heads/topic-" + std::to_string(i) + '\n';
  }
  WriteFile(repo_.path() + "/packed-refs", packed);
  const std::string restored = ExpectRoundTrip(repo_.path(), dir_);
  EXPECT_EQ(SplitLines(ReadState(restored).refs).size(), 10001U);
}

TEST_F(RefsTest, NestedTagsArePeeledAllTheWay) {
  const std::string one = repo_.WriteTag(tip_, "commit", "one");
  const std::string two = repo_.WriteTag(one, "tag", "two");
  const std::string three = repo_.WriteTag(two, "tag", "three");
  repo_.SetRef("refs/tags/three", three);
  const std::string restored = ExpectRoundTrip(repo_.path(), dir_);
  EXPECT_EQ(RunGit({"show-ref", "-d", "three"}, restored).out,
            RunGit({"show-ref", "-d", "three"}, repo_.path()).out);
}

TEST_F(RefsTest, LongChainsOfTagsArePeeledToTheirEnd) {
  std::string tag = tip_;
  for (int i = 0; i < 100; ++i) {
    tag = repo_.WriteTag(tag, i == 0 ? "commit" : "tag", std::to_string(i));
    if (i >= 62 && i < 66) {
      repo_.SetRef("refs/tags/" + std::to_string(i), tag);
    }
  }
  // The first that is peeled, so that no other ref knows a part of its chain.
  repo_.SetRef("refs/tags/0", tag);
  ExpectRoundTrip(repo_.path(), dir_);
  EXPECT_EQ(RunZpack({"list-refs", "-d", dir_ / "rt.zpack"}).out,
            RunGit({"show-ref", "--head", "-d"}, repo_.path()).out);
}

TEST_F(RefsTest, SignedTagsOfAnythingComeBack) {
  const std::string signature =
      "release\n-----BEGIN PGP SIGNATURE-----\n\niQEzBAABCAAdFiEE\n=abcd\n"
      "-----END PGP SIGNATURE-----\n";
  const std::string tree = repo_.Git({"rev-parse", tip_ + "^{tree}"});
  const std::string blob = repo_.WriteBlob("a key\n");
  repo_.SetRef("refs/tags/c", repo_.WriteTag(tip_, "commit", "c", signature));
  repo_.SetRef("refs/tags/t", repo_.WriteTag(tree, "tree", "t", signature));
  repo_.SetRef("refs/tags/b", repo_.WriteTag(blob, "blob", "b", signature));
  repo_.SetRef("refs/tags/light-tree", tree);
  repo_.SetRef("refs/tags/light-blob", blob);
  ExpectRoundTrip(repo_.path(), dir_);
  ExpectRoundTrip(repo_.path(), dir_, {"--reachable"});
}

TEST_F(RefsTest, TagOfAMissingObjectIsRefused) {
  const std::string gone = FakeId('2');
  repo_.SetRef("refs/tags/broken", repo_.WriteTag(gone, "commit", "broken"));
  ExpectRefused(repo_.path(), dir_, {"1 object is missing", gone});
}

TEST_F(RefsTest, SymbolicRefsComeBackAsSymbolic) {
  repo_.WriteLooseRef("refs/heads/alias", "ref: refs/heads/main\n");
  repo_.WriteLooseRef("refs/heads/alias2", "ref: refs/heads/alias\n");
  repo_.WriteLooseRef("refs/remotes/origin/HEAD",
                      "ref: refs/remotes/origin/main\n");
  repo_.SetRef("refs/remotes/origin/main", tip_);
  ExpectRoundTrip(repo_.path(), dir_);
}

TEST_F(RefsTest, DanglingSymbolicRefComesBack) {
  repo_.WriteLooseRef("refs/remotes/origin/HEAD",
                      "ref: refs/remotes/origin/gone\n");
  const std::string restored = ExpectRoundTrip(repo_.path(), dir_);
  EXPECT_EQ(RunGit({"symbolic-ref", "refs/remotes/origin/HEAD"}, restored).out,
            "refs/remotes/origin/gone\n");
}

TEST_F(RefsTest, SymbolicRefThatIsASymbolicLinkStaysSymbolic) {
  repo_.Git({"config", "core.preferSymlinkRefs", "true"});
  repo_.Git({"symbolic-ref", "refs/heads/alias", "refs/heads/main"});
  ASSERT_TRUE(fs::is_symlink(repo_.path() + "/refs/heads/alias"));
  ASSERT_EQ(RunZpack({"convert", repo_.path(), dir_ / "x.zpack"}).exit_code, 0);
  ASSERT_EQ(RunZpack({"restore", dir_ / "x.zpack", dir_ / "back"}).exit_code,
            0);
  // Git reads such a ref, although it leaves it out of lists.
  const std::vector<std::string> read = {"symbolic-ref", "refs/heads/alias"};
  ASSERT_EQ(RunGit(read, repo_.path()).out, "refs/heads/main\n");
  EXPECT_EQ(RunGit(read, dir_ / "back").out, "refs/heads/main\n");
}

TEST_F(RefsTest, CircularSymbolicRefsEndWithoutHanging) {
  repo_.WriteLooseRef("refs/heads/a", "ref: refs/heads/b\n");
  repo_.WriteLooseRef("refs/heads/b", "ref: refs/heads/a\n");
  const std::string restored = ExpectRoundTrip(repo_.path(), dir_);
  EXPECT_EQ(ReadFile(restored + "/refs/heads/a"), "ref: refs/heads/b\n");
}

TEST_F(RefsTest, PackedRefsComeBack) {
  repo_.SetRef("refs/tags/v1", repo_.WriteTag(tip_, "commit", "v1"));
  repo_.SetRef("refs/tags/v2", tip_);
  repo_.SetRef("refs/notes/commits", tip_);
  repo_.SetRef("refs/stash", tip_);
  repo_.Git({"pack-refs", "--all"});
  ASSERT_FALSE(Exists(repo_.path() + "/refs/tags/v1"));
  ExpectRoundTrip(repo_.path(), dir_);
}

TEST_F(RefsTest, LooseRefsWinOverPackedOnes) {
  repo_.SetRef("refs/heads/moved", tip_);
  repo_.Git({"pack-refs", "--all"});
  const std::string newer = repo_.SimpleCommit("newer", {tip_});
  repo_.SetRef("refs/heads/moved", newer);
  const std::string restored = ExpectRoundTrip(repo_.path(), dir_);
  EXPECT_EQ(RunGit({"rev-parse", "moved"}, restored).out, newer + '\n');
}

TEST_F(RefsTest, OldPackedRefsFileWithoutHeaderComesBack) {
  const std::string tag = repo_.WriteTag(tip_, "commit", "v1");
  WriteFile(repo_.path() + "/packed-refs", tip_ + " refs/heads/z\n" + tip_ +
                                               " refs/heads/a\n" + tag +
                                               " refs/tags/v1\n");
  ExpectRoundTrip(repo_.path(), dir_);
}

TEST_F(RefsTest, GarbageInPackedRefsIsRefused) {
  WriteFile(repo_.path() + "/packed-refs",
            "# pack-refs with: peeled fully-peeled sorted \n" + tip_ +
                " refs/heads/a\nthis is no ref\n");
  ExpectRefused(repo_.path(), dir_, {"cannot", "repo'"});
}

TEST_F(RefsTest, NamesThatAreNotUtf8ComeBack) {
  repo_.SetRef("refs/heads/latin-\xe4\xf6\xfc", tip_);
  repo_.SetRef("refs/heads/\xff\xfe", tip_);
  repo_.SetRef("refs/heads/utf8-\xc3\xa4", tip_);
  repo_.WriteLooseRef("refs/heads/alias", "ref: refs/heads/\xff\xfe\n");
  ExpectRoundTrip(repo_.path(), dir_);
}

TEST_F(RefsTest, OddButValidNamesComeBack) {
  for (const char* const name :
       {"refs/one-level", "refs/heads/-dash", "refs/heads/a/b/c/d/e/f",
        "refs/heads/a.b", "refs/heads/HEAD", "refs/heads/@", "refs/heads/a@b",
        "refs/heads/{x}", "refs/heads/%41", "refs/heads/a'b\"c",
        "refs/heads/refs/heads/main", "refs/heads/x.locked"}) {
    repo_.SetRef(name, tip_);
  }
  repo_.SetRef("refs/heads/" + std::string(200, 'n'), tip_);
  ExpectRoundTrip(repo_.path(), dir_);
}

TEST_F(RefsTest, WhatGitIgnoresUnderRefsIsIgnored) {
  repo_.WriteLooseRef("refs/heads/main.lock", "");
  repo_.WriteLooseRef("refs/heads/other.lock", tip_ + '\n');
  repo_.WriteLooseRef("refs/heads/.hidden", "not a ref");
  repo_.WriteLooseRef("refs/heads/.dir/file", "not a ref");
  fs::create_directories(repo_.path() + "/refs/heads/empty/deeper");
  WriteFile(repo_.path() + "/FETCH_HEAD", tip_ + "\t\tbranch 'x' of y\n");
  WriteFile(repo_.path() + "/ORIG_HEAD", tip_ + '\n');
  const std::string restored = ExpectRoundTrip(repo_.path(), dir_);
  EXPECT_EQ(SplitLines(ReadState(restored).refs).size(), 1U);
}

TEST_F(RefsTest, EmptyLooseRefIsRefusedByName) {
  repo_.WriteLooseRef("refs/heads/broken", "");
  ExpectRefused(repo_.path(), dir_, {"refs/heads/broken"});
}

TEST_F(RefsTest, GarbageInALooseRefIsRefusedByName) {
  repo_.WriteLooseRef("refs/heads/broken", "this is not an id\n");
  ExpectRefused(repo_.path(), dir_, {"refs/heads/broken"});
}

TEST_F(RefsTest, BrokenLooseRefIsRefusedEvenWhenAPackedOneIsBelow) {
  repo_.SetRef("refs/heads/broken", tip_);
  repo_.Git({"pack-refs", "--all"});
  repo_.WriteLooseRef("refs/heads/broken", "garbage\n");
  ExpectRefused(repo_.path(), dir_, {"refs/heads/broken"});
}

TEST_F(RefsTest, LooseRefWithAShortIdIsRefusedByName) {
  repo_.WriteLooseRef("refs/heads/broken", tip_.substr(0, 39) + '\n');
  ExpectRefused(repo_.path(), dir_, {"refs/heads/broken"});
}

TEST_F(RefsTest, LooseRefWithoutLineFeedIsRead) {
  repo_.WriteLooseRef("refs/heads/plain", tip_);
  repo_.WriteLooseRef("refs/heads/more", tip_ + "\ttrailing words\n");
  repo_.WriteLooseRef("refs/heads/spaced", "ref:   refs/heads/main  \n");
  ExpectRoundTrip(repo_.path(), dir_);
}

TEST_F(RefsTest, SymbolicRefToHeadIsRefusedByName) {
  repo_.WriteLooseRef("refs/heads/alias", "ref: HEAD\n");
  ExpectRefused(repo_.path(), dir_, {"refs/heads/alias", "'HEAD'"});
}

TEST_F(RefsTest, LinkToItselfIsNamedAsNotIncluded) {
  fs::create_symlink("self", repo_.path() + "/refs/heads/self");
  const ProcessResult result =
      RunZpack({"convert", repo_.path(), dir_ / "self.zpack"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, ::testing::HasSubstr("'refs/heads/self'"));
}

TEST_F(RefsTest, RefToAMissingObjectIsRefused) {
  const std::string gone = FakeId('3');
  repo_.SetRef("refs/heads/broken", gone);
  ExpectRefused(repo_.path(), dir_,
                {"is incomplete: 1 object is missing", gone});
}

TEST_F(RefsTest, NullRefIsNotSilentlyKept) {
  repo_.SetRef("refs/heads/null", FakeId('0'));
  ExpectRefused(repo_.path(), dir_, {FakeId('0')});
}

TEST_F(RefsTest, RefWithAnInvalidNameIsNotSilentlyDropped) {
  WriteFile(repo_.path() + "/refs/heads/with space", tip_ + '\n');
  ExpectRefused(repo_.path(), dir_, {"refs/heads/with space"});
}

TEST_F(RefsTest, BranchThatPointsToATagComesBack) {
  repo_.SetRef("refs/heads/odd", repo_.WriteTag(tip_, "commit", "odd"));
  repo_.SetRef("refs/heads/odder", repo_.WriteBlob("a blob as branch\n"));
  ExpectRoundTrip(repo_.path(), dir_);
}

TEST_F(RefsTest, ReplaceRefsChangeNothing) {
  const std::string other = repo_.SimpleCommit("replacement");
  repo_.SetRef("refs/replace/" + tip_, other);
  const std::string restored = ExpectRoundTrip(repo_.path(), dir_);
  const std::vector<std::string> show = {"--no-replace-objects", "cat-file",
                                         "-p", tip_};
  EXPECT_EQ(RunGit(show, restored).out, RunGit(show, repo_.path()).out);
}

TEST_F(RefsTest, GraftsDoNotHideHistory) {
  // The graft hides the parents; all of history must come along regardless.
  WriteFile(repo_.path() + "/info/grafts", tip_ + '\n');
  ExpectRoundTrip(repo_.path(), dir_, {"--reachable"});
  const std::string restored = dir_ / "rt.git";
  EXPECT_EQ(ReadFile(restored + "/info/grafts"), tip_ + '\n');
  fs::remove(restored + "/info/grafts");
  EXPECT_EQ(SplitLines(RunGit({"rev-list", "main"}, restored).out).size(), 3U);
}

TEST_F(RefsTest, ReplaceRefDoesNotHideHistory) {
  CommitFields fields;
  fields.tree = repo_.Git({"rev-parse", tip_ + "^{tree}"});
  repo_.SetRef("refs/replace/" + tip_, repo_.WriteCommit(fields));
  ExpectRoundTrip(repo_.path(), dir_, {"--reachable"});
  EXPECT_EQ(SplitLines(RunGit({"--no-replace-objects", "rev-list", "main"},
                              dir_ / "rt.git")
                           .out)
                .size(),
            3U);
}

TEST(RepositoryRefs, ASymbolicRefSaysWhatIsWrongWithItsTarget) {
  const TempDir directory;
  const RepoBuilder repo(directory / "repo");
  repo.History(1);
  repo.WriteLooseRef("refs/heads/alias", "ref: refs/heads/foo..bar\n");
  ExpectRefused(repo.path(), directory,
                {"'refs/heads/foo..bar'", "not a valid ref name"});
  repo.WriteLooseRef("refs/heads/alias", "ref: HEAD\n");
  ExpectRefused(repo.path(), directory, {"'HEAD'", "not in 'refs/'"});
}

}  // namespace
}  // namespace zpack::testing
