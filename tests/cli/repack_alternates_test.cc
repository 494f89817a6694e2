// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What 'repack' does with unreachable objects in a repository with an
// alternate: which objects end in which pack, and which stay loose, as with Git
// 2.39 and 2.55, for each place and age of an object here and in the alternate.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utime.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

enum class Place : uint8_t { kNowhere, kLoose, kPacked };
constexpr std::array kPlaces = {Place::kNowhere, Place::kLoose, Place::kPacked};

constexpr time_t kEarlierTime = 1'577'836'800;
constexpr time_t kLaterTime = 1'640'995'200;
constexpr const char* kBetweenThem = "@1609459200";

void SetFileTime(const std::string& path, time_t time) {
  const utimbuf times = {time, time};
  Require(utime(path.c_str(), &times) == 0, "utime " + path);
}

// `repo_` borrows from `lender_`.
class RepackAlternatesTest : public RepackFixture {
 protected:
  RepackAlternatesTest() : lender_(dir_ / "lender") {
    const std::string lent = lender_.History(3);
    lender_.PackAll();
    const std::string later = lender_.SimpleCommit("loose there\n", {lent});
    lender_.SetRef("refs/heads/main", later);
    const std::string own = repo_.SimpleCommit("own\n", {later});
    repo_.SetRef("refs/heads/main", own);
    for (const Place here : kPlaces) {
      for (const Place there : kPlaces) {
        for (const time_t time_here : {kEarlierTime, kLaterTime}) {
          for (const time_t time_there : {kEarlierTime, kLaterTime}) {
            const std::string content =
                fmt::format("{} {} {} {}", static_cast<int>(here), time_here,
                            static_cast<int>(there), time_there);
            Put(repo_, here, time_here, content);
            Put(lender_, there, time_there, content);
          }
        }
      }
    }
    fs::create_directories(repo_.git_dir() + "/objects/info");
    WriteFile(repo_.git_dir() + "/objects/info/alternates",
              lender_.path() + "/objects\n");
  }

  static void Put(const RepoBuilder& repo, Place place, time_t time,
                  const std::string& content) {
    if (place == Place::kNowhere) return;
    const std::string id = repo.WriteBlob(content);
    const std::string loose = repo.LooseObjectPath(id);
    SetFileTime(loose, time);
    if (place == Place::kLoose) return;
    const std::string packs = repo.git_dir() + "/objects/pack/pack";
    const std::string pack =
        packs + '-' + repo.Git({"pack-objects", "-q", packs}, id + '\n');
    for (const char* const extension : {".pack", ".idx"}) {
      SetFileTime(pack + extension, time);
    }
    fs::remove(loose);
  }

  std::string CopyWithTimes(const std::string& name) const {
    std::string copy = dir_ / name;
    fs::remove_all(copy);
    Require(RunProcess({"cp", "-a", repo_.path(), copy}).ok(), "cp");
    return copy;
  }

  void ExpectSameAsGit(const std::vector<std::string>& options) const {
    SCOPED_TRACE(::testing::PrintToString(options));
    const std::string git = CopyWithTimes("by-git");
    const std::string zpack = CopyWithTimes("by-zpack");
    const auto lender = Snapshot(lender_.path());
    std::vector<std::string> command = {"repack", "-q"};
    for (std::string word : options) {
      // Git reads a bare number as a date.
      if (const size_t at = word.find('@'); at != std::string::npos) {
        word.erase(at, 1);
      }
      command.push_back(std::move(word));
    }
    const ProcessResult by_git = RunGit(command, git);
    EXPECT_TRUE(by_git.ok()) << ::testing::PrintToString(by_git);
    const ProcessResult by_us = Repack(zpack, options);
    EXPECT_TRUE(by_us.ok()) << ::testing::PrintToString(by_us);
    EXPECT_EQ(State(zpack), State(git));
    EXPECT_TRUE(Snapshot(lender_.path()) == lender);
    const ProcessResult fsck = RunGit({"fsck", "--full"}, zpack);
    EXPECT_TRUE(fsck.ok()) << ::testing::PrintToString(fsck);
  }

  // With every expiration, with and without -l.
  void ExpectSameCruftPacks() const {
    for (const std::string expiration : {"", kBetweenThem, "now", "never"}) {
      std::vector<std::string> options = {"-d", "--cruft"};
      if (!expiration.empty()) {
        options.push_back("--cruft-expiration=" + expiration);
      }
      ExpectSameAsGit(options);
      options.emplace_back("-l");
      ExpectSameAsGit(options);
    }
  }

  RepoBuilder lender_;
};

TEST_F(RepackAlternatesTest, KeepUnreachable) {
  ExpectSameAsGit({"-a", "-d", "-k"});
  ExpectSameAsGit({"-a", "-d", "-k", "-l"});
}

TEST_F(RepackAlternatesTest, LoosenUnreachable) {
  const std::string expiration =
      std::string("--unpack-unreachable=") + kBetweenThem;
  ExpectSameAsGit({"-A", "-d"});
  ExpectSameAsGit({"-A", "-d", "-l"});
  ExpectSameAsGit({"-A", "-d", expiration});
  ExpectSameAsGit({"-A", "-d", "-l", expiration});
}

TEST_F(RepackAlternatesTest, DropUnreachable) {
  ExpectSameAsGit({"-a", "-d"});
  ExpectSameAsGit({"-a", "-d", "-l"});
}

// With an expiration, a cruft pack gets what survivors need of the alternate;
// what is packed there, only beside a pack with a .keep file.
TEST_F(RepackAlternatesTest, CruftPackOfWhatSurvivorsNeed) {
  std::string tree;
  for (const Place here : kPlaces) {
    for (const Place there : kPlaces) {
      const std::string content = fmt::format(
          "needed {} {}", static_cast<int>(here), static_cast<int>(there));
      if (here == Place::kNowhere && there == Place::kNowhere) continue;
      Put(repo_, here, kEarlierTime, content);
      Put(lender_, there, kEarlierTime, content);
      tree +=
          "100644 blob " + HashObject("blob", content) + '\t' + content + '\n';
    }
  }
  const std::string survivor = repo_.Git({"mktree"}, tree);
  SetFileTime(repo_.LooseObjectPath(survivor), kLaterTime);
  const std::string keep = pack_directory() + '/' + Packs().at(0) + ".keep";
  for (const bool keeps : {false, true}) {
    SCOPED_TRACE(keeps);
    if (keeps) WriteFile(keep, "");
    ExpectSameCruftPacks();
  }
}

TEST_F(RepackAlternatesTest, CruftPack) { ExpectSameCruftPacks(); }

}  // namespace
}  // namespace zpack::testing
