// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack --geometric': afterwards a repository has the packs that it has after
// 'git repack --geometric'.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class RepackGeometricTest : public RepackFixture {
 protected:
  // Blobs that no other call makes, in a pack. Returns the name of the pack.
  std::string PackBlobs(int count) {
    std::string ids;
    for (int i = 0; i < count; ++i) {
      ids += repo_.WriteBlob("blob " + std::to_string(++blobs_) + "\n") + '\n';
    }
    return PackIds(ids);
  }
  // Packs these objects, one id in each line.
  std::string PackIds(const std::string& ids) const {
    const std::string hash =
        repo_.Git({"pack-objects", "-q", pack_directory() + "/pack"},
                  ids.ends_with('\n') ? ids : ids + '\n');
    repo_.Git({"prune-packed"});
    return "pack-" + hash;
  }
  void Mark(const std::string& pack, const std::string& extension) const {
    WriteFile(pack_directory() + '/' + pack + extension, "");
  }
  // A cruft pack of one object.
  void AddCruft() const {
    repo_.History(2);
    repo_.WriteBlob("unreachable\n");
    repo_.Git({"repack", "-q", "-d", "--cruft"});
  }

  int blobs_ = 0;
};

TEST_F(RepackGeometricTest, PacksAreThoseOfGit) {
  const std::vector<std::vector<int>> progressions = {
      {},
      {5},
      {1, 2, 4},
      {3, 3},
      {3, 6, 3},
      {1, 1, 1, 1},
      {3, 3, 12, 24},
      {3, 3, 7, 27},
      {2, 2, 14},
      {10, 1},
      {1, 1, 4, 9},
      {1, 1, 3, 9},
      {6, 1, 2},
      {1, 1, 4, 100},
      {7, 20, 30, 90},
  };
  for (const std::vector<int>& counts : progressions) {
    for (const bool loose : {false, true}) {
      fs::remove_all(repo_.path());
      repo_ = RepoBuilder(dir_ / "repo");
      for (const int count : counts) PackBlobs(count);
      if (loose) repo_.WriteBlob("loose\n");
      for (const char* factor : {"2", "3"}) {
        SCOPED_TRACE(::testing::PrintToString(counts) + " by " + factor +
                     (loose ? " with a loose object" : ""));
        ExpectAsGit({"-d", "--geometric", factor});
      }
    }
  }
}

TEST_F(RepackGeometricTest, OldPacksStayWithoutDelete) {
  PackBlobs(3);
  PackBlobs(3);
  repo_.WriteBlob("loose\n");
  ExpectAsGit({"-g2"});
}

TEST_F(RepackGeometricTest, KeptPacksAreLeftAlone) {
  const std::string kept = PackBlobs(3);
  PackBlobs(3);
  Mark(kept, ".keep");
  const std::string named = PackBlobs(4);
  PackBlobs(4);
  repo_.WriteBlob("blob 1\n");
  ExpectAsGit({"-d", "-g2", "--keep-pack", named + ".pack"});
  ExpectAsGit({"-d", "-g2", "--pack-kept-objects"});
  ExpectAsGit(
      {"-d", "-g2", "--pack-kept-objects", "--keep-pack", named + ".pack"});
  repo_.Git({"config", "repack.packKeptObjects", "true"});
  ExpectAsGit({"-d", "-g2"});
}

TEST_F(RepackGeometricTest, CruftPacksAreLeftAlone) {
  if (!GitIsSince(41)) GTEST_SKIP() << "this Git makes no cruft packs";
  AddCruft();
  PackBlobs(3);
  PackBlobs(3);
  repo_.WriteBlob("unreachable\n");
  repo_.WriteBlob("loose\n");
  const auto state = State(ExpectAsGit({"-d", "-g2"}));
  EXPECT_THAT(state, SizeIs(4));
}

// With repack.midxMustContainCruft=false, new packs have what they need.
TEST_F(RepackGeometricTest, NeededObjectsOfCruftPacksAreFollowedAsInGit) {
  if (!GitIsSince(51)) GTEST_SKIP() << "this Git does not follow objects";
  repo_.History(3);
  const std::string once = repo_.SimpleCommit("once unreachable\n");
  repo_.SetRef("refs/heads/once", once);
  repo_.WriteBlob("never reachable\n");
  repo_.PackAll();
  repo_.Git({"update-ref", "-d", "refs/heads/once"});
  repo_.Git({"repack", "-q", "-d", "--cruft"});
  const std::string again = repo_.SimpleCommit("again\n", {once});
  repo_.SetRef("refs/heads/again", again);
  for (const char* value : {"true", "false"}) {
    repo_.Git({"config", "repack.midxMustContainCruft", value});
    ExpectAsGit({"-d", "-g2"});
    ExpectAsGit({"-d", "-g2", "-m"});
  }
  repo_.Git({"repack", "-q", "-d"});
  PackBlobs(40);
  // A pack that is left alone, and not indexed, has the commit.
  ExpectAsGit({"-d", "-g2"});
  repo_.Git({"multi-pack-index", "write"});
  ExpectAsGit({"-d", "-g2"});
}

TEST_F(RepackGeometricTest, NeededObjectsOfAlternatesAreLeftThereAsInGit) {
  if (!GitIsSince(51)) GTEST_SKIP() << "this Git does not follow objects";
  repo_.History(3);
  repo_.PackAll();
  const std::string loose = repo_.SimpleCommit(
      "loose in the alternate\n", {repo_.Git({"rev-parse", "main"})});
  repo_.SetRef("refs/heads/main", loose);
  const std::string clone = dir_ / "clone";
  repo_.Git({"clone", "-q", "--bare", "--shared", repo_.path(), clone});
  repo_ = RepoBuilder::Existing(clone);
  repo_.Git({"config", "repack.writeBitmaps", "false"});
  repo_.Git({"config", "repack.midxMustContainCruft", "false"});
  repo_.SetRef("refs/heads/own", repo_.SimpleCommit("own\n", {loose}));
  ExpectAsGit({"-d", "-g2", "-l"});
  // The pack of the alternate is left alone, too.
  ExpectAsGit({"-d", "-g2"});
}

TEST_F(RepackGeometricTest, ObjectOfALargerPackIsNotPackedAgain) {
  std::string ids;
  for (int i = 0; i < 20; ++i) {
    ids += repo_.WriteBlob("shared " + std::to_string(i) + "\n") + '\n';
  }
  PackIds(ids);
  PackBlobs(2);
  const std::string one = ids.substr(0, IdDigits());
  repo_.WriteBlob("shared 0\n");
  PackIds(one);
  PackBlobs(2);
  // Also if nothing is left to pack.
  const std::string zpack = ExpectAsGit({"-d", "-g2"});
  EXPECT_THAT(State(zpack), SizeIs(3));
}

TEST_F(RepackGeometricTest, HistoryKeepsItsDeltas) {
  for (const int count : {20, 25, 30}) {
    repo_.History(count);
    repo_.Git({"repack", "-q", "-d"});
  }
  repo_.SetRef("refs/tags/v1", repo_.WriteTag(repo_.Git({"rev-parse", "main"}),
                                              "commit", "v1"));
  const std::string zpack = ExpectAsGit({"-d", "-g100"});
  const auto packs = FilesWith(zpack + "/objects/pack", ".pack");
  ASSERT_THAT(packs, SizeIs(1));
  EXPECT_THAT(RunGit({"verify-pack", "-v",
                      zpack + "/objects/pack/" + packs[0] + ".idx"},
                     zpack)
                  .out,
              HasSubstr("chain length"));
}

TEST_F(RepackGeometricTest, SeveralPacksIfTheSizeIsLimited) {
  for (uint64_t i = 0; i < 4; ++i) {
    PackIds(repo_.WriteBlob(RandomBytes(i, 600'000)));
  }
  const std::string zpack = Copy("limited");
  const ProcessResult result =
      Repack(zpack, {"-d", "-g2", "--max-pack-size", "1m"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(FilesWith(zpack + "/objects/pack", ".pack"), SizeIs(4));
  EXPECT_TRUE(RunGit({"fsck", "--full"}, zpack).ok());
}

TEST_F(RepackGeometricTest, AlternatesCountAsInGit) {
  const RepoBuilder lender(dir_ / "lender");
  lender.History(3);
  lender.PackAll();
  WriteFile(repo_.git_dir() + "/objects/info/alternates",
            lender.path() + "/objects\n");
  PackBlobs(5);
  PackBlobs(2);
  repo_.WriteBlob("loose\n");
  const auto before = State(lender.path());
  ExpectAsGit({"-d", "-g2"});
  ExpectAsGit({"-d", "-g2", "-l"});
  ExpectAsGit({"-d", "-g100"});
  PackBlobs(1);
  PackBlobs(100);
  ExpectAsGit({"-d", "-g2"});
  ExpectAsGit({"-d", "-g2", "-l"});
  EXPECT_EQ(State(lender.path()), before);
}

// An object here is only left to an alternate whose copy is sound.
TEST_F(RepackGeometricTest, DamagedObjectOfAnAlternateIsNotReliedOn) {
  const RepoBuilder lender(dir_ / "lender");
  std::string large;
  std::string ids;
  for (uint64_t i = 0; i < 10; ++i) {
    ids += lender.WriteBlob(RandomBytes(i, 100)) + '\n';
  }
  lender.PackAll();
  WriteFile(repo_.git_dir() + "/objects/info/alternates",
            lender.path() + "/objects\n");
  // As before the alternate was there.
  const std::string id = repo_.WriteBlob(RandomBytes(0, 100));
  PackIds(id);
  PackBlobs(1);
  const std::string packs = lender.path() + "/objects/pack";
  const std::string path =
      packs + '/' + FilesWith(packs, ".pack").at(0) + ".pack";
  std::string bytes = ReadFile(path);
  const std::string content = RandomBytes(0, 100).substr(20, 40);
  const size_t at = bytes.find(content);
  ASSERT_NE(at, std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  fs::permissions(path, fs::perms::owner_all);
  WriteFile(path, bytes);
  ASSERT_TRUE(Repack({"-d", "-g2"}).ok());
  fs::remove(repo_.git_dir() + "/objects/info/alternates");
  EXPECT_TRUE(Has(id));
}

TEST_F(RepackGeometricTest, PromisorPacksAreRolledUpAmongThemselves) {
  PackBlobs(2);
  PackBlobs(2);
  PackBlobs(14);
  for (const int count : {1, 3, 3, 20, 40}) {
    Mark(PackBlobs(count), ".promisor");
  }
  for (const bool remote : {false, true}) {
    if (remote) {
      repo_.Git({"config", "remote.origin.url", "nowhere"});
      repo_.Git({"config", "remote.origin.promisor", "true"});
    }
    const std::string zpack = Copy("promisor");
    const auto result = Repack(zpack, {"-d", "-g2"});
    ASSERT_TRUE(result.ok()) << ::testing::PrintToString(result);
    std::multiset<std::pair<std::string, size_t>> sizes;
    for (const auto& [kind, ids] : State(zpack))
      sizes.emplace(kind, ids.size());
    EXPECT_THAT(
        sizes,
        ::testing::UnorderedElementsAre(
            std::pair("loose", 0U), std::pair("pack", 4U),
            std::pair("pack", 14U), std::pair("pack.promisor", 7U),
            std::pair("pack.promisor", 20U), std::pair("pack.promisor", 40U)));
  }
}

TEST_F(RepackGeometricTest, DamagedObjectKeepsItsPack) {
  const std::string id = repo_.WriteBlob(RandomBytes(1, 3000));
  const std::string damaged = PackIds(id);
  PackBlobs(1);
  const std::string path = pack_directory() + '/' + damaged + ".pack";
  std::string bytes = ReadFile(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  fs::permissions(path, fs::perms::owner_all);
  WriteFile(path, bytes);
  ExpectRefusal(id, {"-d", "-g2"});
}

TEST_F(RepackGeometricTest, OptionsOfAWholeRepackAreRefused) {
  repo_.History(2);
  for (const char* option : {"-a", "-A", "--cruft"}) {
    const ProcessResult result = Repack({"-g2", option});
    EXPECT_EQ(result.exit_code, 129);
    EXPECT_THAT(result.err,
                HasSubstr("options '--geometric' and '" + std::string(option) +
                          "' cannot be used together"));
  }
  EXPECT_EQ(Repack({"-g0", "-a", "-d"}).exit_code, 0);
}

// Git decides which numbers these are.
TEST_F(RepackGeometricTest, FactorsAreNumbersAsInGit) {
  if (!GitIsSince(50)) GTEST_SKIP() << "Git has other numbers";
  repo_.History(2);
  repo_.Git({"repack", "-q", "-a", "-d"});
  for (const std::string& factor : SplitLines(
           "2\n+2\n 2\n0x10\n010\n08\n1k\n1K\n1m\n1g\n2g\n1023m\n1k \nk\nx\n"
           "2x\n2kk\n-1\n-2g\n-3g\n2147483647\n2147483648\n"
           "-2147483648\n-2147483649\n99999999999999999999\n0x7fffffff\n")) {
    const std::string option = "--geometric=" + factor;
    const ProcessResult by_git = repo_.TryGit({"repack", "-q", option});
    const ProcessResult result = Repack({option});
    EXPECT_EQ(result.exit_code, by_git.exit_code) << option << result.err;
    // The words, without the name of the option.
    for (const char* const words :
         {"expects an integer value with an optional k/m/g suffix",
          "not in range [-2147483648,2147483647]"}) {
      EXPECT_EQ(result.err.contains(words), by_git.err.contains(words))
          << option << by_git.err << result.err;
    }
  }
}

// To Git, 0 is as if there were no option, and then it packs loose objects
// alone.
TEST_F(RepackGeometricTest, ZeroLosesNothingUnreachable) {
  repo_.History(2);
  repo_.Git({"repack", "-q", "-a", "-d"});
  const std::vector<std::string> before =
      ListDirectory(repo_.git_dir() + "/objects/pack");
  for (const char* const zero : {"0", "-0", "0x0", "0k"}) {
    const ProcessResult result =
        Repack({"-d", std::string("--geometric=") + zero});
    EXPECT_EQ(result.exit_code, 129) << zero;
    EXPECT_THAT(result.err, HasSubstr("'--geometric=0' needs '-a'"));
  }
  EXPECT_EQ(ListDirectory(repo_.git_dir() + "/objects/pack"), before);
}

TEST_F(RepackGeometricTest, LargeFactorsAreRefusedAsInGit) {
  const std::string first = PackBlobs(5);
  PackBlobs(6);
  for (const char* const option : {"-g-1", "-g1073741824"}) {
    const std::string words =
        first + ".pack too large to consider in geometric progression";
    EXPECT_THAT(repo_.TryGit({"repack", "-q", option}).err, HasSubstr(words));
    ExpectRefusal("pack " + words, {option});
  }
}

TEST_F(RepackGeometricTest, BitmapNeedsAMultiPackIndexAsInGit) {
  PackBlobs(3);
  const auto expect_refusal = [&](const std::vector<std::string>& options) {
    ExpectRefusal("Incremental repacks are incompatible with bitmap indexes.",
                  options);
  };
  expect_refusal({"-d", "-g2", "-b"});
  repo_.Git({"config", "pack.writeBitmaps", "true"});
  expect_refusal({"-d", "-g2"});
  EXPECT_EQ(Repack({"-g2", "--no-write-bitmap-index"}).exit_code, 0);
  EXPECT_EQ(Repack({"-d"}).exit_code, 0);
}

// The name of an own pack that is kept stands for those of alternates, too, but
// not the other way round.
TEST_F(RepackGeometricTest, NamesOfKeptPacksCountInAlternates) {
  if (!GitIsSince(42)) GTEST_SKIP() << "Git does not roll up alternates";
  const std::string shared = PackBlobs(5);
  PackBlobs(1);
  const std::string alternate = Copy("alternate");
  WriteFile(repo_.path() + "/objects/info/alternates",
            alternate + "/objects\n");
  PackBlobs(4);
  for (const bool here : {true, false}) {
    const std::string keep = "/objects/pack/" + shared + ".keep";
    fs::remove((here ? alternate : repo_.path()) + keep);
    WriteFile((here ? repo_.path() : alternate) + keep, "");
    ExpectAsGit({"-d", "-g2"});
    ExpectAsGit({"-d", "-g2", "-l"});
  }
}

// What is unreachable stays where it is, however often packs are rolled up.
TEST_F(RepackGeometricTest, NothingIsEverLost) {
  repo_.History(4);
  const std::string stray = repo_.WriteBlob("stray\n");
  for (int round = 0; round < 8; ++round) {
    repo_.History(5 + round);
    PackBlobs(1 + round);
    const auto all = SplitLines(repo_.Git(
        {"cat-file", "--batch-all-objects", "--batch-check=%(objectname)"}));
    ASSERT_TRUE(Repack({"-d", "-g2"}).ok());
    EXPECT_EQ(SplitLines(repo_.Git({"cat-file", "--batch-all-objects",
                                    "--batch-check=%(objectname)"})),
              all);
  }
  EXPECT_TRUE(Has(stray));
}

}  // namespace
}  // namespace zpack::testing
