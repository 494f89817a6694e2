// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack --write-midx': the multi-pack-index has the bytes that Git gives it,
// and lists the packs that Git lists.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Ids = std::set<std::string>;

class RepackMidxTest : public RepackFixture {
 protected:
  std::string Midx() const { return pack_directory() + "/multi-pack-index"; }

  // Names of the packs in a multi-pack-index, in order.
  static std::vector<std::string> Listed(const std::string& midx) {
    const std::string bytes = ReadFile(midx);
    const std::regex name("pack-[0-9a-f]{40,64}(?=\\.idx)");
    std::vector<std::string> names;
    for (std::sregex_iterator at(bytes.begin(), bytes.end(), name), end;
         at != end; ++at) {
      names.push_back(at->str());
    }
    return names;
  }
  // The objects of each pack that the multi-pack-index of a repository lists.
  static std::multiset<Ids> Contents(const std::string& repository) {
    const std::string packs = repository + "/objects/pack/";
    std::multiset<Ids> contents;
    if (!Exists(packs + "multi-pack-index")) return contents;
    for (const std::string& pack : Listed(packs + "multi-pack-index")) {
      Ids ids;
      for (const std::string& line :
           SplitLines(RunGit({"show-index"}, repository,
                             ReadFile(packs + pack + ".idx"))
                          .out)) {
        ids.insert(line.substr(line.find(' ') + 1, IdDigits()));
      }
      contents.insert(ids);
    }
    return contents;
  }

  std::string PackIds(const std::string& ids) const {
    const std::string hash =
        repo_.Git({"pack-objects", "-q", pack_directory() + "/pack"}, ids);
    repo_.Git({"prune-packed"});
    return "pack-" + hash;
  }
  // Packs that share objects, each older than the next.
  std::vector<std::string> PackOverlapping() {
    std::vector<std::string> ids;
    for (int i = 0; i < 40; ++i) {
      ids.push_back(repo_.WriteBlob("blob " + std::to_string(i) + "\n"));
    }
    std::vector<std::string> packs;
    std::string all;
    for (const size_t count : {40U, 30U, 5U}) {
      std::string chosen;
      for (size_t i = 0; i < count; ++i) chosen += ids[i] + '\n';
      all = all.empty() ? chosen : all;
      packs.push_back("pack-" + repo_.Git({"pack-objects", "-q",
                                           pack_directory() + "/pack"},
                                          chosen));
      Age(packs.back(), std::chrono::hours(100 - packs.size()));
    }
    repo_.Git({"prune-packed"});
    return packs;
  }
  void Age(const std::string& pack, std::chrono::seconds age) const {
    fs::last_write_time(pack_directory() + '/' + pack + ".pack",
                        fs::file_time_type::clock::now() - age);
  }
  void Keep(const std::string& pack) const {
    WriteFile(pack_directory() + '/' + pack + ".keep", "");
  }

  // Git writes the same file for the same packs.
  void ExpectBytesOfGit(const std::string& preferred) const {
    const std::string bytes = ReadFile(Midx());
    std::string names;
    for (const std::string& pack : Listed(Midx())) names += pack + ".idx\n";
    fs::remove(Midx());
    repo_.Git({"multi-pack-index", "write", "--stdin-packs",
               "--preferred-pack=" + preferred + ".pack"},
              names);
    EXPECT_TRUE(ReadFile(Midx()) == bytes);
  }

  void ExpectSound() const {
    const auto verified = repo_.TryGit({"multi-pack-index", "verify"});
    EXPECT_TRUE(verified.ok()) << ::testing::PrintToString(verified);
  }
  void MustRepack(const std::vector<std::string>& options) const {
    const ProcessResult result = Repack(options);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_EQ(result.err, "");
  }

  // Git and we list packs of the same objects after the same repack.
  void ExpectListsAsGit(const std::vector<std::string>& options,
                        std::vector<std::string> command = {}) const {
    const std::string copies[] = {dir_ / "by-git", dir_ / "by-zpack"};
    for (const std::string& copy : copies) {
      fs::remove_all(copy);
      fs::copy(repo_.path(), copy, fs::copy_options::recursive);
    }
    command.insert(command.begin(), {"repack", "-q"});
    command.insert(command.end(), options.begin(), options.end());
    const ProcessResult by_git = RunGit(command, copies[0]);
    EXPECT_TRUE(by_git.ok()) << ::testing::PrintToString(by_git);
    const ProcessResult result = Repack(copies[1], options);
    EXPECT_TRUE(result.ok()) << ::testing::PrintToString(result);
    EXPECT_EQ(Contents(copies[1]), Contents(copies[0]))
        << ::testing::PrintToString(options);
    const auto fsck = RunGit({"fsck", "--full"}, copies[1]);
    EXPECT_TRUE(fsck.ok()) << ::testing::PrintToString(fsck);
  }
};

TEST_F(RepackMidxTest, BytesAreThoseOfGit) {
  repo_.History(20);
  MustRepack({"-d", "-m"});
  ASSERT_THAT(Packs(), SizeIs(1));
  ExpectSound();
  ExpectBytesOfGit(Packs().at(0));
}

TEST_F(RepackMidxTest, SharedObjectsAreInTheYoungestPack) {
  const auto packs = PackOverlapping();
  for (const std::string& pack : packs) Keep(pack);
  repo_.History(3);
  MustRepack({"-d", "--write-midx"});
  ASSERT_THAT(Packs(), SizeIs(4));
  std::string made;
  for (const std::string& pack : Packs()) {
    if (std::ranges::find(packs, pack) == packs.end()) made = pack;
  }
  ExpectSound();
  ExpectBytesOfGit(made);
}

TEST_F(RepackMidxTest, LargestPackThatStaysIsPreferred) {
  PackOverlapping();
  MustRepack({"-g1", "-m"});
  ASSERT_THAT(Listed(Midx()), SizeIs(3));
  ExpectSound();
  std::string largest;
  for (const std::string& pack : Packs()) {
    if (largest.empty() ||
        fs::file_size(pack_directory() + '/' + pack + ".idx") >
            fs::file_size(pack_directory() + '/' + largest + ".idx")) {
      largest = pack;
    }
  }
  ExpectBytesOfGit(largest);
}

TEST_F(RepackMidxTest, Sha256) {
  fs::remove_all(repo_.path());
  ASSERT_TRUE(
      RunGit({"init", "-q", "--bare", "--object-format=sha256", repo_.path()},
             dir_.path())
          .ok());
  repo_ = RepoBuilder::Existing(repo_.path());
  const std::string blob =
      repo_.Git({"hash-object", "-w", "--stdin"}, "content\n");
  repo_.Git({"update-ref", "refs/tags/a", blob});
  MustRepack({"-d", "-m"});
  ASSERT_THAT(Packs(), SizeIs(1));
  ExpectBytesOfGit(Packs().at(0));
}

TEST_F(RepackMidxTest, Version2) {
  if (!GitIsSince(54)) GTEST_SKIP() << "this Git knows only version 1";
  repo_.Git({"config", "midx.version", "2"});
  PackOverlapping();
  repo_.History(2);
  repo_.PackAll();
  MustRepack({"-d", "-m"});
  EXPECT_EQ(ReadFile(Midx()).at(4), '\2');
  ExpectSound();
  ExpectBytesOfGit(Packs().at(0));
  repo_.Git({"config", "midx.version", "3"});
  ExpectRefusal("unknown MIDX version: 3", {"-d", "-m"});
}

TEST_F(RepackMidxTest, ListsThePacksThatGitLists) {
  PackOverlapping();
  Keep(Packs().at(0));
  repo_.History(4);
  repo_.Git({"repack", "-q", "-d"});
  repo_.History(5);
  ExpectListsAsGit({"-a", "-d", "-m"});
  ExpectListsAsGit({"-a", "-m"});
  ExpectListsAsGit({"-g2", "-d", "-m"});
  ExpectListsAsGit({"-g2", "-m"});
  ExpectListsAsGit({"-g1000", "-d", "-m", "--pack-kept-objects"});
}

TEST_F(RepackMidxTest, CruftPacksAreListedAsInGit) {
  if (!GitIsSince(51)) GTEST_SKIP() << "older Git always lists cruft packs";
  repo_.History(2);
  repo_.WriteBlob("unreachable\n");
  repo_.Git({"repack", "-q", "-d", "--cruft"});
  repo_.History(3);
  for (const char* value : {"true", "false"}) {
    repo_.Git({"config", "repack.midxMustContainCruft", value});
    ExpectListsAsGit({"-g2", "-d", "-m"});
    ExpectListsAsGit({"--cruft", "-d", "-m"});
  }
  // Nothing new, and no index that could have been enough.
  MustRepack({"-g2", "-d"});
  ExpectListsAsGit({"-g2", "-d", "-m"});
  // An index that has the cruft pack.
  repo_.Git({"multi-pack-index", "write"});
  repo_.History(4);
  ExpectListsAsGit({"-g2", "-d", "-m"});
}

TEST_F(RepackMidxTest, NoPackMeansNoIndex) {
  MustRepack({"-d", "-m"});
  MustRepack({"-g2", "-m"});
  EXPECT_FALSE(Exists(Midx()));
}

TEST_F(RepackMidxTest, IndexOfTheSamePacksStays) {
  repo_.History(3);
  MustRepack({"-d", "-m"});
  const auto long_ago =
      fs::file_time_type::clock::now() - std::chrono::hours(9);
  fs::last_write_time(Midx(), long_ago);
  MustRepack({"-g2", "-d", "-m"});
  EXPECT_EQ(fs::last_write_time(Midx()), long_ago);
  // Damaged ones are replaced.
  std::string bytes = ReadFile(Midx());
  const std::string sound = bytes;
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  fs::permissions(Midx(), fs::perms::owner_all);
  WriteFile(Midx(), bytes);
  MustRepack({"-g2", "-d", "-m"});
  EXPECT_TRUE(ReadFile(Midx()) == sound);
}

TEST_F(RepackMidxTest, ChainIsReplaced) {
  if (!GitIsSince(47)) GTEST_SKIP() << "this Git writes no chains";
  const std::string chain = Midx() + ".d";
  for (const int count : {2, 4}) {
    repo_.History(count);
    repo_.Git({"repack", "-q", "-d"});
    repo_.Git({"multi-pack-index", "write", "--incremental"});
  }
  ASSERT_THAT(ListDirectory(chain), SizeIs(3));
  repo_.History(5);
  MustRepack({"-a", "-d", "-m"});
  EXPECT_THAT(ListDirectory(chain), IsEmpty());
  ExpectSound();
  EXPECT_EQ(Listed(Midx()), Packs());
}

TEST_F(RepackMidxTest, BitmapIsWrittenOnlyIfAskedFor) {
  repo_.Git({"config", "--unset", "repack.writeBitmaps"});
  repo_.History(5);
  MustRepack({"-d", "-m"});
  EXPECT_THAT(FilesWith(pack_directory(), ".bitmap"), IsEmpty());
  MustRepack({"-d", "-m", "-b"});
  EXPECT_THAT(FilesWith(pack_directory(), ".bitmap"), SizeIs(1));
  EXPECT_TRUE(repo_.TryGit({"rev-list", "--test-bitmap", "main"}).ok());
  // It does not fit a new index.
  repo_.History(6);
  MustRepack({"-d", "-m"});
  EXPECT_THAT(FilesWith(pack_directory(), ".bitmap"), IsEmpty());
  MustRepack({"-d", "-b"});
  MustRepack({"-g2", "-d", "-m"});
  EXPECT_THAT(FilesWith(pack_directory(), ".bitmap"), IsEmpty());
}

// If Git cannot write the bitmap of a setting, there is an index without one.
TEST_F(RepackMidxTest, NoGitIsNeeded) {
  repo_.History(5);
  for (const char* value : {"false", "true"}) {
    repo_.Git({"config", "repack.writeBitmaps", value});
    fs::remove(Midx());
    ProcessOptions options;
    options.environment.push_back("PATH=/nonexistent");
    const ProcessResult result =
        RunZpack({"repack", "-q", "-d", "-m", repo_.path()}, options);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    ExpectSound();
  }
}

TEST_F(RepackMidxTest, LockIsRespected) {
  repo_.History(5);
  WriteFile(Midx() + ".lock", "");
  ExpectRefusal("multi-pack-index.lock", {"-m"});
  ExpectRefusal("multi-pack-index.lock", {"-g2", "-m"});
}

TEST_F(RepackMidxTest, OptionsThatContradictAreRefused) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-m", "--dry-run"},
        {"--write-midx", "--output", dir_.path()},
        {"--write-midx=incremental"}}) {
    EXPECT_EQ(Repack(options).exit_code, 129);
  }
}

}  // namespace
}  // namespace zpack::testing
