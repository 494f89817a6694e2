// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What 'repack' does with unreachable objects: object by object what Git does
// in a copy of the same repository.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "pack/pack_mtimes.h"
#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

// Times of objects: long ago, later, and just now.
constexpr time_t kOld = 1'577'836'800;     // 2020
constexpr time_t kLater = 1'640'995'200;   // 2022
constexpr time_t kRecent = 1'704'067'200;  // 2024
constexpr const char* kAfterOld = "@1609459200";
constexpr const char* kAfterLater = "@1672531200";

void SetTime(const std::string& path, time_t time) {
  const utimbuf times = {time, time};
  Require(utime(path.c_str(), &times) == 0, "utime " + path);
}

class RepackUnreachableTest : public RepackFixture {
 protected:
  RepackUnreachableTest() {
    repo_.Git({"config", "repack.writeBitmaps", "false"});
    reachable_ = repo_.History(6);
    repo_.Git({"repack", "-q", "-a", "-d"});
    // A commit and its tree, old and packed; a blob of it is also loose.
    const std::string commit = repo_.SimpleCommit("old and packed\n");
    old_blob_ = repo_.Git({"rev-parse", commit + ":file"});
    Pack({commit, repo_.Git({"rev-parse", commit + "^{tree}"}), old_blob_},
         kOld);
    // Something later that needs something old.
    const std::string needed = repo_.WriteBlob("needed by a later tree\n");
    Pack({needed, repo_.WriteBlob("needed by nobody\n")}, kOld);
    const std::string tree =
        repo_.WriteTree(TreeEntryBytes("100644", "x", needed) +
                        TreeEntryBytes("100644", "y", FakeId('1')));
    SetTime(repo_.LooseObjectPath(tree), kRecent);
    Pack({repo_.WriteBlob("packed later\n")}, kLater);
    for (const time_t time : {kOld, kLater, kRecent}) {
      SetTime(repo_.LooseObjectPath(
                  repo_.WriteBlob("loose " + std::to_string(time))),
              time);
    }
  }

  // Moves loose objects into a pack of this time.
  void Pack(const std::vector<std::string>& ids, time_t time) const {
    std::string list;
    for (const std::string& id : ids) list += id + '\n';
    const std::string name =
        pack_directory() + "/pack-" +
        repo_.Git({"pack-objects", "-q", pack_directory() + "/pack"}, list);
    repo_.Git({"prune-packed"});
    for (const char* extension : {".pack", ".idx"}) {
      SetTime(name + extension, time);
    }
  }

  // Everything about the objects of a repository that a repack may change.
  struct Objects {
    std::set<std::string> all;
    std::map<std::string, int64_t> loose;  // with times
    std::map<std::string, int64_t> cruft;
    size_t packs = 0;

    bool operator==(const Objects&) const = default;
  };
  Objects Read(const std::string& path) const {
    Objects objects;
    std::istringstream ids(RunGit({"cat-file", "--batch-all-objects",
                                   "--batch-check=%(objectname)"},
                                  path)
                               .out);
    for (std::string id; ids >> id;) objects.all.insert(id);
    const RepoBuilder repo = RepoBuilder::Existing(path);
    for (const std::string& id : objects.all) {
      struct stat info;
      if (stat(repo.LooseObjectPath(id).c_str(), &info) == 0) {
        objects.loose[id] = info.st_mtime;
      }
    }
    const std::string packs = path + "/objects/pack/";
    objects.packs = FilesWith(packs, ".pack").size();
    for (const std::string& name : FilesWith(packs, ".mtimes")) {
      std::istringstream index(
          RunGit({"show-index"}, path, ReadFile(packs + name + ".idx")).out);
      std::vector<std::string> in_pack;
      std::string offset;
      std::string id;
      std::string crc;
      while (index >> offset >> id >> crc) in_pack.push_back(id);
      const auto mtimes = DecodePackMtimes(
          TestFormat(), AsBytes(ReadFile(packs + name + ".mtimes")),
          static_cast<uint32_t>(in_pack.size()), name);
      Require(mtimes.has_value(), "mtimes");
      for (size_t i = 0; i < in_pack.size(); ++i) {
        objects.cruft[in_pack[i]] = mtimes->raw()[i];
      }
    }
    return objects;
  }

  // Both do it, with the same options, to copies; the result is the same.
  Objects ExpectAsGit(const std::vector<std::string>& options) const {
    std::vector<std::string> all = {"-d"};
    all.insert(all.end(), options.begin(), options.end());
    for (const char* name : {"git", "zpack"}) {
      fs::remove_all(dir_ / name);
      Require(Process({"cp", "-a", repo_.path(), dir_ / name}, {}).Wait().ok(),
              "cp");
    }
    std::vector<std::string> git = {"repack", "-q"};
    git.insert(git.end(), all.begin(), all.end());
    // Git reads a bare number as a date.
    for (std::string& word : git) {
      if (const size_t at = word.find('@'); at != std::string::npos) {
        word.erase(at, 1);
      }
    }
    const ProcessResult by_git = RunGit(git, dir_ / "git");
    EXPECT_TRUE(by_git.ok()) << ::testing::PrintToString(by_git);
    const ProcessResult by_us = Repack(dir_ / "zpack", all);
    EXPECT_TRUE(by_us.ok()) << ::testing::PrintToString(by_us);
    const Objects ours = Read(dir_ / "zpack");
    const Objects theirs = Read(dir_ / "git");
    EXPECT_EQ(ours.all, theirs.all);
    EXPECT_EQ(ours.loose, theirs.loose);
    EXPECT_EQ(ours.cruft, theirs.cruft);
    EXPECT_EQ(ours.packs, theirs.packs);
    const ProcessResult fsck = RunGit(
        {"fsck", "--full", "--strict", "--connectivity-only"}, dir_ / "zpack");
    EXPECT_EQ(fsck.exit_code,
              RunGit({"fsck", "--full", "--strict", "--connectivity-only"},
                     dir_ / "git")
                  .exit_code)
        << fsck.err;
    const std::string packs = dir_ / "zpack/objects/pack";
    const auto cruft = FilesWith(packs, ".mtimes");
    // Packs that were there have no reverse index; a cruft pack may name
    // objects that are gone.
    for (const std::string& pack : FilesWith(packs, ".rev")) {
      if (std::ranges::find(cruft, pack) == cruft.end()) {
        ExpectGoodPack(packs, pack);
      }
      EXPECT_TRUE(
          repo_.TryGit({"verify-pack", packs + '/' + pack + ".idx"}).ok());
    }
    return ours;
  }

  // What the last comparison left goes on.
  void GoOn() const {
    fs::remove_all(repo_.path());
    fs::rename(dir_ / "git", repo_.path());
  }

  std::string reachable_;
  std::string old_blob_;
};

TEST_F(RepackUnreachableTest, LoosenedWithTheTimeOfThePack) {
  const Objects objects = ExpectAsGit({"-A"});
  EXPECT_EQ(objects.loose.at(old_blob_), kOld);
  EXPECT_EQ(objects.packs, 1U);
}

TEST_F(RepackUnreachableTest, DamagedLooseFilesStay) {
  const std::string id = repo_.WriteBlob("to be damaged\n");
  const std::string path = repo_.LooseObjectPath(id);
  for (const char* const content : {"", "not zlib"}) {
    WriteFile(path, content);
    SetTime(path, kLater);
    for (const char* const option : {"-A", "--cruft", "-k"}) {
      // With -k a pack has a tree that is not complete, which tests object to.
      if (option != std::string("-k")) {
        EXPECT_TRUE(ExpectAsGit({option}).loose.contains(id));
      }
      const ProcessResult result = Repack(dir_ / "zpack", {"-d", option});
      EXPECT_EQ(ReadFile((dir_ / "zpack/objects/") +
                         path.substr(path.size() - IdDigits() - 1)),
                content);
      EXPECT_EQ(result.exit_code, 0);
      EXPECT_THAT(result.err, HasSubstr("warning: loose object " + id));
    }
  }
}

TEST_F(RepackUnreachableTest, UnreadableObjectInAPackThatWouldGoIsNamed) {
  const std::string id = repo_.WriteBlob("in a pack\n");
  const std::vector<std::string> before = Packs();
  Pack({id}, kLater);
  ASSERT_THAT(Packs(), SizeIs(before.size() + 1));
  for (const std::string& pack : Packs()) {
    if (std::ranges::find(before, pack) != before.end()) continue;
    const std::string path = pack_directory() + '/' + pack + ".pack";
    std::string bytes = ReadFile(path);
    // Behind the header of the pack, the type of the entry.
    bytes[12] = static_cast<char>(bytes[12] & 0x8f);
    WriteFile(path, bytes);
    for (const char* const option : {"-A", "--cruft", "-k"}) {
      const ProcessResult result = Repack({"-d", option});
      EXPECT_EQ(result.exit_code, 128);
      EXPECT_THAT(result.err, HasSubstr(id));
      EXPECT_EQ(ReadFile(path), bytes);
    }
  }
}

TEST_F(RepackUnreachableTest, OldOnesAreNotLoosened) {
  EXPECT_FALSE(
      ExpectAsGit({"-A", std::string("--unpack-unreachable=") + kAfterOld})
          .all.contains(old_blob_));
  ExpectAsGit({"-A", std::string("--unpack-unreachable=") + kAfterLater});
  ExpectAsGit({"-A", "--unpack-unreachable=never"});
  ExpectAsGit({"-A", "--unpack-unreachable=now"});
  ExpectAsGit({"-A", "--unpack-unreachable=yesterday"});
}

TEST_F(RepackUnreachableTest, KeptPacksStayAsTheyAre) {
  WriteFile(pack_directory() + '/' + Packs().at(1) + ".keep", "");
  ExpectAsGit({"-A"});
  ExpectAsGit({"--cruft"});
  ExpectAsGit({"--cruft", std::string("--cruft-expiration=") + kAfterOld});
}

TEST_F(RepackUnreachableTest, CruftPackHasThemAll) {
  const Objects objects = ExpectAsGit({"--cruft"});
  EXPECT_EQ(objects.cruft.at(old_blob_), kOld);
  EXPECT_THAT(objects.loose, IsEmpty());
}

TEST_F(RepackUnreachableTest, OldOnesAreLeftOutOfTheCruftPack) {
  EXPECT_FALSE(
      ExpectAsGit({"--cruft", std::string("--cruft-expiration=") + kAfterOld})
          .cruft.contains(old_blob_));
  ExpectAsGit({"--cruft", std::string("--cruft-expiration=") + kAfterLater});
  ExpectAsGit({"--cruft", "--cruft-expiration=never"});
}

TEST_F(RepackUnreachableTest, CruftPackIsReplaced) {
  ExpectAsGit({"--cruft"});
  GoOn();
  // As if nothing had happened.
  ExpectAsGit({"--cruft"});
  GoOn();
  SetTime(repo_.LooseObjectPath(repo_.WriteBlob("new\n")), kLater);
  // Used again, loose, while it is in the cruft pack.
  repo_.Git(
      {"unpack-objects", "-q"},
      repo_.Git({"pack-objects", "-q", "--stdout"}, old_blob_ + '\n') + '\n');
  ExpectAsGit({"--cruft"});
  GoOn();
  ExpectAsGit({"--cruft", std::string("--cruft-expiration=") + kAfterOld});
  GoOn();
  const Objects loose = ExpectAsGit({"-A"});
  EXPECT_THAT(loose.cruft, IsEmpty());
}

TEST_F(RepackUnreachableTest, TimesInACruftPackCountWhenItIsLoosened) {
  const Objects before = ExpectAsGit({"--cruft"});
  GoOn();
  const auto young = std::ranges::count_if(
      before.cruft,
      [](const auto& object) { return object.second == kRecent; });
  ASSERT_GT(young, 0);
  const std::string cruft =
      pack_directory() + '/' + FilesWith(pack_directory(), ".mtimes").at(0);
  for (const time_t time : {kOld, kRecent}) {
    SetTime(cruft + ".pack", time);
    const Objects after =
        ExpectAsGit({"-A", std::string("--unpack-unreachable=") + kAfterLater});
    EXPECT_GE(after.loose.size(), static_cast<size_t>(young));
  }
}

// Git forgets the time of the loose copy until 2.48.
TEST_F(RepackUnreachableTest, WhatIsUsedAgainStaysYoungBesideAKeptCruftPack) {
  ExpectAsGit({"--cruft"});
  GoOn();
  const std::string keep = pack_directory() + '/' +
                           FilesWith(pack_directory(), ".mtimes").at(0) +
                           ".keep";
  WriteFile(keep, "");
  ASSERT_EQ(repo_.WriteBlob("old and packed\n"), old_blob_);
  SetTime(repo_.LooseObjectPath(old_blob_), kRecent);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(Repack({"-d", "--cruft"}).ok());
    EXPECT_THAT(Read(repo_.path()).loose, IsEmpty());
    // The pack with all reachable objects, the kept one, and one for the blob.
    EXPECT_THAT(Packs(), SizeIs(3));
  }
  fs::remove(keep);
  ASSERT_TRUE(Repack({"-d", "--cruft",
                      std::string("--cruft-expiration=") + kAfterLater})
                  .ok());
  const Objects left = Read(repo_.path());
  EXPECT_EQ(left.cruft.at(old_blob_), kRecent);
  EXPECT_EQ(left.packs, 2U);
}

TEST_F(RepackUnreachableTest, WhatAYoungObjectNeedsGetsItsTimeBesideAKeptPack) {
  ExpectAsGit({"--cruft"});
  GoOn();
  const std::string keep = pack_directory() + '/' +
                           FilesWith(pack_directory(), ".mtimes").at(0) +
                           ".keep";
  WriteFile(keep, "");
  const std::string tree =
      repo_.WriteTree(TreeEntryBytes("100644", "needs", old_blob_));
  SetTime(repo_.LooseObjectPath(tree), kRecent);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(Repack({"-d", "--cruft",
                        std::string("--cruft-expiration=") + kAfterLater})
                    .ok());
    EXPECT_THAT(Packs(), SizeIs(3));
  }
  fs::remove(keep);
  ASSERT_TRUE(Repack({"-d", "--cruft"}).ok());
  const Objects left = Read(repo_.path());
  EXPECT_EQ(left.cruft.at(tree), kRecent);
  EXPECT_EQ("@" + std::to_string(left.cruft.at(old_blob_)), kAfterLater);
}

// As above, but a ref leads to the object at that time.
class ReachedAgain : public RepackUnreachableTest,
                     public ::testing::WithParamInterface<std::string> {};

TEST_P(ReachedAgain, StaysYoungBesideAKeptCruftPack) {
  ExpectAsGit({"--cruft"});
  GoOn();
  const std::string pack = FilesWith(pack_directory(), ".mtimes").at(0);
  ASSERT_EQ(repo_.WriteBlob("old and packed\n"), old_blob_);
  SetTime(repo_.LooseObjectPath(old_blob_), kRecent);
  repo_.SetRef("refs/tags/back", old_blob_);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(Repack({"-d", "--cruft", "--keep-pack=" + pack + ".pack",
                        "--cruft-expiration=" + GetParam()})
                    .ok());
    EXPECT_FALSE(Read(repo_.path()).loose.contains(old_blob_));
    EXPECT_THAT(Packs(), SizeIs(3));
  }
  repo_.Git({"tag", "-d", "back"});
  ASSERT_TRUE(Repack({"-d", "--cruft",
                      std::string("--cruft-expiration=") + kAfterLater})
                  .ok());
  EXPECT_EQ(Read(repo_.path()).cruft.at(old_blob_), kRecent);
}

INSTANTIATE_TEST_SUITE_P(Expirations, ReachedAgain,
                         ::testing::Values("never", kAfterLater));

TEST_F(RepackUnreachableTest, WhatBecomesReachableLeavesTheCruftPack) {
  ExpectAsGit({"--cruft"});
  GoOn();
  repo_.SetRef("refs/tags/back", old_blob_);
  EXPECT_FALSE(ExpectAsGit({"--cruft"}).cruft.contains(old_blob_));
}

// The pack that was a cruft pack is written again, as one that is needed.
TEST_F(RepackUnreachableTest, CruftPackThatIsNeededIsNoCruftPack) {
  const RepoBuilder repo(dir_ / "small");
  repo.SetRef("refs/tags/a", repo.WriteBlob("a\n"));
  const std::string b = repo.WriteBlob("b\n");
  ASSERT_TRUE(Repack(repo.path(), {"-d", "--cruft"}).ok());
  ASSERT_THAT(FilesWith(repo.path() + "/objects/pack", ".mtimes"), SizeIs(1));
  repo.SetRef("refs/tags/a", b);
  ASSERT_TRUE(Repack(repo.path(), {"-d", "--cruft"}).ok());
  const auto cruft = FilesWith(repo.path() + "/objects/pack", ".mtimes");
  ASSERT_THAT(cruft, SizeIs(1));
  EXPECT_THAT(repo.Git({"show-index"}, ReadFile(repo.path() + "/objects/pack/" +
                                                cruft[0] + ".idx")),
              ::testing::Not(HasSubstr(b)));
  EXPECT_EQ(ReadState(repo.path()).objects.size(), 2U);
}

TEST_F(RepackUnreachableTest, BorrowedObjectsAreNotCruft) {
  const std::string clone = dir_ / "clone";
  repo_.Git({"clone", "-q", "--bare", "--shared", repo_.path(), clone});
  const std::string own = RepoBuilder::Existing(clone).WriteBlob("own\n");
  const auto lender = Snapshot(repo_.path());
  ASSERT_TRUE(Repack(clone, {"-d", "--cruft"}).ok());
  EXPECT_TRUE(Snapshot(repo_.path()) == lender);
  const auto cruft = Read(clone).cruft;
  ASSERT_THAT(cruft, SizeIs(1));
  EXPECT_EQ(cruft.begin()->first, own);
}

TEST_F(RepackUnreachableTest, WithoutDeleteNothingIsRemoved) {
  const auto before = Read(repo_.path());
  ASSERT_TRUE(Repack({"--cruft"}).ok());
  const auto after = Read(repo_.path());
  EXPECT_EQ(after.loose, before.loose);
  EXPECT_EQ(after.packs, before.packs + 2);
  EXPECT_THAT(after.cruft, ::testing::Not(IsEmpty()));
  ASSERT_TRUE(Repack({"-A", "--dry-run"}).ok());
  EXPECT_EQ(Read(repo_.path()), after);
}

TEST_F(RepackUnreachableTest, DamagedTimesAreRefused) {
  ASSERT_TRUE(Repack({"-d", "--cruft"}).ok());
  const std::string path = pack_directory() + '/' +
                           FilesWith(pack_directory(), ".mtimes").at(0) +
                           ".mtimes";
  WriteFile(path, ReadFile(path).substr(0, 60));
  ExpectRefusal("mtimes", {"-d", "--cruft"});
}

// As Git from 2.55 on.
TEST_F(RepackUnreachableTest, SettingsOutOfRangeAreRefused) {
  for (const char* const name : {"repack.cruftWindow", "repack.cruftDepth"}) {
    repo_.Git({"config", name, "2147483647"});
    EXPECT_TRUE(Repack({"--cruft", "--dry-run"}).ok());
    repo_.Git({"config", name, "2147483648"});
    ExpectRefusal("out of range", {"--cruft"});
    repo_.Git({"config", "--unset", name});
  }
}

// As in Git, which reads them only then.
TEST_F(RepackUnreachableTest, SettingsOfWhatIsNotWrittenDoNotMatter) {
  for (const auto& [name, option] :
       {std::pair("repack.cruftWindow", "--cruft"),
        std::pair("repack.cruftDepth", "--cruft"),
        std::pair("midx.version", "--write-midx")}) {
    repo_.Git({"config", name, "bogus"});
    EXPECT_TRUE(Repack({"--dry-run"}).ok()) << name;
    ExpectRefusal("bogus", {option});
    repo_.Git({"config", "--unset", name});
  }
}

TEST_F(RepackUnreachableTest, DatesThatAreUnderstood) {
  for (const char* date : {"2.weeks.ago",
                           "1 year 2 months ago",
                           "now",
                           "all",
                           "never",
                           "false",
                           "2024-05-01",
                           "2024-05-01 12:30:00",
                           "2024-05-01T12:30:00 +0200",
                           "01-01-1980",
                           "1.5.2024",
                           "05/01/24 12:30:00 +0200",
                           "2024-13-01",
                           "@1714521600",
                           "yesterday",
                           "noon",
                           "3am",
                           "last friday",
                           "jan 5",
                           "2.weeks"}) {
    EXPECT_EQ(
        Repack({"--dry-run", "--cruft", "--cruft-expiration", date}).exit_code,
        0)
        << date;
  }
  for (const char* date : {"", "soon", "weeks.ago", "monday", "99999999", "@",
                           "99999999999.days.ago"}) {
    const ProcessResult result =
        Repack({"--dry-run", "--cruft", "--cruft-expiration", date});
    EXPECT_EQ(result.exit_code, 129) << date;
    EXPECT_THAT(
        result.err,
        HasSubstr(std::string("malformed expiration date '") + date + "'"));
  }
}

TEST_F(RepackUnreachableTest, UsageErrors) {
  const auto before = Snapshot(repo_.path());
  for (const auto& options : std::vector<std::vector<std::string>>{
           {"-A", "-k"},
           {"-A", "--cruft"},
           {"--cruft", "-k"},
           {"--unpack-unreachable=now"},
           {"--cruft-expiration=now"},
           {"--cruft", "--unpack-unreachable=now"}}) {
    EXPECT_EQ(Repack(options).exit_code, 129)
        << ::testing::PrintToString(options);
  }
  EXPECT_TRUE(Snapshot(repo_.path()) == before);
}

}  // namespace
}  // namespace zpack::testing
