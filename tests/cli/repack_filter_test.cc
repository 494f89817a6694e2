// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack' of objects that go to different packs: what a filter leaves out,
// what expires, and the objects of promisor packs. As 'git repack' does it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RepackFilterTest : public RepackFixture {
 protected:
  void ExpectSound(const std::string& repository) const {
    const ProcessResult fsck = RunGit({"fsck", "--full"}, repository);
    EXPECT_TRUE(fsck.ok()) << ::testing::PrintToString(fsck);
  }
  // A directory for packs elsewhere, below another object directory.
  std::string Elsewhere(const std::string& name) const {
    const RepoBuilder other(dir_ / name);
    return other.path() + "/objects/pack";
  }
  std::vector<std::string> AllObjects(const std::string& repository) const {
    return SplitLines(RunGit({"cat-file", "--batch-all-objects",
                              "--batch-check=%(objectname)"},
                             repository)
                          .out);
  }
};

TEST_F(RepackFilterTest, FilteredObjectsGetAPackAsInGit) {
  if (!GitIsSince(43)) GTEST_SKIP() << "this Git does not filter";
  repo_.History(6);
  repo_.SetRef("refs/tags/large", repo_.WriteBlob(RandomBytes(1, 5000)));
  repo_.SetRef("refs/tags/tagged",
               repo_.WriteTag(repo_.WriteBlob("named\n"), "blob", "tagged"));
  repo_.WriteBlob("unreachable and packed\n");
  repo_.PackAll();
  repo_.History(8);
  for (const char* filter :
       {"blob:none", "blob:limit=20", "blob:limit=1k", "tree:0",
        "object:type=tree", "combine:blob:limit=1k+object:type=blob"}) {
    SCOPED_TRACE(filter);
    ExpectAsGit({"-a", "-d", std::string("--filter=") + filter});
  }
  ExpectAsGit({"-a", "-d", "--filter=blob:limit=20", "--filter=tree:0"});
  // Objects of kept packs that are packed again.
  WriteFile(pack_directory() + '/' + Packs().at(0) + ".keep", "");
  ExpectAsGit({"-a", "-d", "--filter=blob:none", "--pack-kept-objects"});
}

TEST_F(RepackFilterTest, NothingIsLostByAFilter) {
  repo_.History(6);
  repo_.PackAll();
  repo_.History(8);
  const auto all = AllObjects(repo_.path());
  ASSERT_TRUE(Repack({"-d", "--filter", "blob:none"}).ok());
  EXPECT_EQ(AllObjects(repo_.path()), all);
  EXPECT_THAT(Packs(), SizeIs(2));
  ExpectSound(repo_.path());
  // And again, when nothing is left to filter out.
  ASSERT_TRUE(Repack({"-d", "--filter", "blob:none"}).ok());
  EXPECT_EQ(AllObjects(repo_.path()), all);
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_EQ(AllObjects(repo_.path()), all);
}

TEST_F(RepackFilterTest, FilteredObjectsGoWhereTheyAreSent) {
  repo_.History(6);
  repo_.PackAll();
  const auto all = AllObjects(repo_.path());
  const std::string again = Copy("again");
  const std::string elsewhere = Elsewhere("elsewhere");
  const std::vector<std::string> options = {"-d", "--filter=blob:none",
                                            "--filter-to", elsewhere + "/pack"};
  const ProcessResult result = Repack(options);
  ASSERT_TRUE(result.ok()) << ::testing::PrintToString(result);
  const auto packs = FilesWith(elsewhere, ".pack");
  ASSERT_THAT(packs, SizeIs(1));
  ExpectGoodPack(elsewhere, packs[0]);
  EXPECT_LT(AllObjects(repo_.path()).size(), all.size());
  WriteFile(repo_.git_dir() + "/objects/info/alternates",
            fs::path(elsewhere).parent_path().string() + "\n");
  EXPECT_EQ(AllObjects(repo_.path()), all);
  ExpectSound(repo_.path());
  // The same pack again, in a repository that has made it its own.
  const std::vector<std::string> extensions = {".promisor", ".mtimes",
                                               ".bitmap"};
  for (const std::string& extension : extensions) {
    WriteFile(elsewhere + '/' + packs[0] + extension, "theirs");
  }
  ASSERT_TRUE(Repack(again, options).ok());
  EXPECT_EQ(FilesWith(elsewhere, ".pack"), packs);
  for (const std::string& extension : extensions) {
    EXPECT_TRUE(Exists(elsewhere + '/' + packs[0] + extension)) << extension;
  }
}

TEST_F(RepackFilterTest, NothingGoesIfThePlaceDoesNotExist) {
  repo_.History(6);
  repo_.PackAll();
  ExpectRefusal("nowhere", {"-d", "--filter=blob:none", "--filter-to",
                            dir_ / "nowhere/pack"});
  repo_.WriteBlob("unreachable\n");
  repo_.PackAll();
  ExpectRefusal("nowhere", {"-d", "--cruft", "--cruft-expiration=now",
                            "--expire-to", dir_ / "nowhere/pack"});
}

TEST_F(RepackFilterTest, ExpiredObjectsGoWhereTheyAreSentAsInGit) {
  if (!GitIsSince(41)) GTEST_SKIP() << "this Git makes no cruft packs";
  repo_.History(4);
  const std::string old = repo_.WriteBlob("unreachable\n");
  repo_.PackAll();
  const std::string loose = repo_.WriteBlob("loose\n");
  std::vector<std::string> packs;
  const std::string git = Copy("git");
  const std::string zpack = Copy("zpack");
  for (const std::string& repository : {git, zpack}) {
    const std::string elsewhere =
        Elsewhere(fs::path(repository).filename().string() + "-expired");
    const std::vector<std::string> options = {
        "-d", "--cruft", "--cruft-expiration=now",
        "--expire-to=" + elsewhere + "/pack"};
    std::vector<std::string> command = {"repack", "-q"};
    command.insert(command.end(), options.begin(), options.end());
    const ProcessResult result = repository == git
                                     ? RunGit(command, repository)
                                     : Repack(repository, options);
    ASSERT_TRUE(result.ok()) << ::testing::PrintToString(result);
    packs.push_back(elsewhere);
  }
  EXPECT_EQ(State(zpack), State(git));
  const auto state = [&](size_t at) {
    return State(fs::path(packs[at]).parent_path().parent_path().string());
  };
  EXPECT_EQ(state(1), state(0));
  EXPECT_THAT(state(1), ::testing::Contains(std::pair(
                            std::string("pack.mtimes"), Ids{old, loose})));
}

TEST_F(RepackFilterTest, OptionsThatNeedOthersAreRefused) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--filter-to=x/pack"},
        {"--expire-to=x/pack", "-d"},
        {"--expire-to=x/pack", "--cruft"},
        {"--filter=blob:none", "-g2"},
        {"--filter=blob:none", "-b"},
        {"--filter=blob:none", "-d", "-k"},
        {"--filter=blob:none", "-d", "-A"},
        {"--filter=blob:none", "-d", "--cruft"},
        {"--filter=sparse:oid=main"},
        {"--filter=x"}}) {
    EXPECT_EQ(Repack(options).exit_code, 129)
        << ::testing::PrintToString(options);
  }
  ExpectRefusal("tree depth", {"--filter=tree:2"});
}

// Git fails then, too: the objects are elsewhere.
TEST_F(RepackFilterTest, BitmapOfFilteredObjectsElsewhereIsRefused) {
  repo_.History(2);
  fs::create_directories(dir_ / "elsewhere");
  for (const char* const setting :
       {"repack.writeBitmaps", "pack.writeBitmaps"}) {
    repo_.Git({"config", setting, "true"});
    std::vector<std::string> options = {
        "-d", "--filter=blob:none", "--filter-to=" + (dir_ / "elsewhere/pack")};
    ExpectRefusal("a bitmap needs every reachable object", options);
    EXPECT_THAT(ListDirectory(dir_ / "elsewhere"), IsEmpty());
    options.emplace_back("--no-write-bitmap-index");
    EXPECT_EQ(Repack(options).exit_code, 0);
    repo_.Git({"config", "--unset", setting});
    fs::remove_all(dir_ / "elsewhere");
    fs::create_directories(dir_ / "elsewhere");
    repo_.History(3);
  }
}

class RepackPromisorTest : public RepackFilterTest {
 protected:
  // A clone without blobs, with commits of its own.
  RepackPromisorTest() {
    repo_.History(5);
    repo_.Git({"config", "uploadpack.allowFilter", "true"});
    repo_.Git({"config", "uploadpack.allowAnySHA1InWant", "true"});
    const std::string clone = dir_ / "clone";
    repo_.Git({"clone", "-q", "--bare", "--filter=blob:none",
               "file://" + repo_.path(), clone});
    repo_ = RepoBuilder::Existing(clone);
    repo_.Git({"config", "repack.writeBitmaps", "false"});
    own_ = repo_.SimpleCommit("own\n", {repo_.Git({"rev-parse", "main"})});
    repo_.SetRef("refs/heads/own", own_);
  }

  std::string own_;
};

TEST_F(RepackPromisorTest, ObjectsStayInPromisorPacksAsInGit) {
  const auto missing =
      repo_.Git({"rev-list", "--objects", "--all", "--missing=print"});
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-a", "-d"},
        {"-a"},
        {"-a", "-d", "-m"},
        {"-A", "-d"},
        {"-g2", "-d"}}) {
    if (options[0] == "-g2" && !GitIsSince(54)) continue;
    SCOPED_TRACE(::testing::PrintToString(options));
    const std::string zpack = ExpectAsGit(options);
    EXPECT_EQ(
        RunGit({"rev-list", "--objects", "--all", "--missing=print"}, zpack)
            .out,
        missing + "\n");
  }
  if (GitIsSince(54)) {
    repo_.Git({"config", "repack.midxMustContainCruft", "false"});
    ExpectAsGit({"-g2", "-d"});
  }
  // Several promisor packs become one.
  const size_t at = missing.find('?') + 1;
  repo_.Git({"cat-file", "-e", missing.substr(at, IdDigits())});
  EXPECT_GT(FilesWith(pack_directory(), ".promisor").size(), 1U);
  const std::string zpack = ExpectAsGit({"-a", "-d"});
  EXPECT_THAT(FilesWith(zpack + "/objects/pack", ".promisor"), SizeIs(1));
}

TEST_F(RepackPromisorTest, UnreachableObjectsAreThoseOfNoPromisorPack) {
  if (!GitIsSince(41)) GTEST_SKIP() << "this Git makes no cruft packs";
  repo_.SetRef("refs/heads/gone", repo_.SimpleCommit("gone\n"));
  repo_.Git({"repack", "-q", "-d"});
  repo_.Git({"update-ref", "-d", "refs/heads/gone"});
  // Promisor objects that no ref needs.
  repo_.Git({"update-ref", "-d", "refs/heads/main"});
  repo_.SetRef("refs/heads/own", repo_.SimpleCommit("own\n"));
  repo_.Git({"symbolic-ref", "HEAD", "refs/heads/own"});
  ExpectAsGit({"--cruft", "-d"});
  ExpectAsGit({"-a", "-d"});
  ExpectAsGit({"-A", "-d"});
}

// Git also writes an empty promisor pack.
TEST_F(RepackPromisorTest, KeptPromisorPackStays) {
  for (const std::string& pack : Packs()) {
    WriteFile(pack_directory() + '/' + pack + ".keep", "");
  }
  const auto before = State(repo_.path());
  ASSERT_TRUE(Repack({"-a", "-d"}).ok());
  const auto after = State(repo_.path());
  const auto kept = [](const auto& pack) {
    return pack.first == "pack.keep.promisor";
  };
  EXPECT_THAT(after, SizeIs(3));
  EXPECT_EQ(*std::ranges::find_if(after, kept),
            *std::ranges::find_if(before, kept));
  ExpectSound(repo_.path());
}

}  // namespace
}  // namespace zpack::testing
