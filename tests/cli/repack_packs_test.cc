// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which packs and multi-pack-indexes 'repack -d' removes: those that Git
// removes in a copy of the same repository.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kMidx = "/multi-pack-index";

class RepackPacksTest : public RepackFixture {
 protected:
  // A pack that is kept, with a multi-pack-index, and later packs.
  RepackPacksTest() {
    repo_.History(5);
    repo_.PackAll();
    kept_ = Packs().at(0);
    WriteFile(pack_directory() + '/' + kept_ + ".keep", "");
    repo_.Git({"multi-pack-index", "write"});
    repo_.History(8);
    repo_.Git({"repack", "-q", "-d"});
    Require(Packs().size() == 2, "two packs");
    other_ = Packs().at(Packs().at(0) == kept_ ? 1 : 0);
    // So that no new pack is one of these.
    repo_.History(9);
  }

  // The repository as 'git repack -a -d' leaves it: files in its directory of
  // packs that are not those of the new pack.
  std::vector<std::string> LeftByGit() const {
    const std::string copy = dir_ / "copy";
    fs::remove_all(copy);
    fs::copy(repo_.path(), copy, fs::copy_options::recursive);
    const auto before = ListDirectory(pack_directory());
    Require(RunGit({"repack", "-q", "-a", "-d"}, copy).ok(), "git repack");
    std::vector<std::string> left;
    for (const std::string& name : ListDirectory(copy + "/objects/pack")) {
      if (std::ranges::find(before, name) != before.end()) left.push_back(name);
    }
    return left;
  }

  // We leave the same ones.
  std::vector<std::string> ExpectAsGit() const {
    const auto by_git = LeftByGit();
    const auto before = ListDirectory(pack_directory());
    const ProcessResult result = Repack({"-d"});
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    std::vector<std::string> left;
    for (const std::string& name : ListDirectory(pack_directory())) {
      if (std::ranges::find(before, name) != before.end()) left.push_back(name);
    }
    EXPECT_EQ(left, by_git);
    EXPECT_TRUE(repo_.TryGit({"fsck", "--full", "--strict"}).ok());
    return left;
  }

  // Gives the later pack another name.
  void RenameOther(const std::string& name) const {
    for (const std::string extension : {".idx", ".pack"}) {
      fs::rename(pack_directory() + '/' + other_ + extension,
                 pack_directory() + '/' + name + extension);
    }
    fs::remove(pack_directory() + '/' + other_ + ".rev");
  }

  std::string kept_;
  std::string other_;
};

TEST_F(RepackPacksTest, MultiPackIndexOfKeptPacksStays) {
  EXPECT_THAT(ExpectAsGit(), Contains("multi-pack-index"));
  EXPECT_TRUE(repo_.TryGit({"multi-pack-index", "verify"}).ok());
}

TEST_F(RepackPacksTest, MultiPackIndexOfRemovedPacksGoes) {
  repo_.Git({"multi-pack-index", "write", "--bitmap"});
  for (const std::string& name : ExpectAsGit()) {
    EXPECT_THAT(name, Not(HasSubstr("multi-pack-index")));
  }
}

TEST_F(RepackPacksTest, MultiPackIndexThatCannotBeReadGoes) {
  fs::remove(pack_directory() + '/' + kept_ + ".keep");
  for (const std::string content : {"", "MIDX", "nonsense of some length"}) {
    WriteFile(pack_directory() + kMidx, content);
    repo_.SetRef("refs/tags/t", repo_.WriteBlob(content));
    ASSERT_TRUE(Repack({"-d"}).ok());
    EXPECT_FALSE(Exists(pack_directory() + kMidx));
  }
}

TEST_F(RepackPacksTest, ChainOfMultiPackIndexesGoesWithWhatItLists) {
  const std::string chain = pack_directory() + kMidx + ".d/";
  const std::string layer = chain + "multi-pack-index-" + FakeId('a');
  WriteFile(chain + "multi-pack-index-chain", FakeId('a') + '\n');
  fs::rename(pack_directory() + kMidx, layer + ".midx");
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_THAT(ListDirectory(chain), SizeIs(2));
  // Now it lists a pack that goes, and so does an index beside it.
  fs::remove(pack_directory() + '/' + kept_ + ".keep");
  fs::copy_file(layer + ".midx", pack_directory() + kMidx);
  repo_.History(10);
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_THAT(ListDirectory(chain), IsEmpty());
  EXPECT_FALSE(Exists(pack_directory() + kMidx));
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_TRUE(repo_.TryGit({"fsck", "--full", "--strict"}).ok());
}

TEST_F(RepackPacksTest, LockOfOthersStopsTheWorkAndStays) {
  WriteFile(pack_directory() + kMidx + ".lock", "MIDX being written");
  ExpectRefusal("multi-pack-index.lock': File exists");
  // Nothing is removed.
  EXPECT_EQ(Repack({}).exit_code, 0);
  EXPECT_TRUE(Exists(pack_directory() + kMidx + ".lock"));
}

TEST_F(RepackPacksTest, LockOfAKilledRunIsTakenOver) {
  WriteFile(pack_directory() + kMidx + ".lock", "git-zpack\n");
  WriteFile(pack_directory() + "/tmp_lock_zpack", "");
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_FALSE(Exists(pack_directory() + kMidx + ".lock"));
  EXPECT_FALSE(Exists(pack_directory() + "/tmp_lock_zpack"));
  EXPECT_THAT(Packs(), SizeIs(2));
}

TEST_F(RepackPacksTest, PacksOfAnyNameAreRemoved) {
  const std::string name = "loose-" + other_.substr(5);
  RenameOther(name);
  EXPECT_THAT(ExpectAsGit(), Not(Contains(name + ".pack")));
}

TEST_F(RepackPacksTest, PacksWhoseNameHasNoRoomForAHashStay) {
  RenameOther("mine");
  EXPECT_THAT(ExpectAsGit(), Contains("mine.pack"));
}

// 'git repack' gives such names to packs that it has not finished.
TEST_F(RepackPacksTest, TemporaryFilesOfOthersStay) {
  const std::string temporary = pack_directory() + "/.tmp-1-" + other_;
  fs::copy_file(pack_directory() + '/' + other_ + ".pack", temporary + ".pack");
  fs::copy_file(pack_directory() + '/' + other_ + ".idx", temporary + ".idx");
  for (const char* const extension : {".pack", ".idx"}) {
    WriteFile(pack_directory() + "/.tmp-2-" + other_ + extension, "not yet");
  }
  WriteFile(pack_directory() + "/._" + other_ + ".idx", "of another system");
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_THAT(FilesWith(pack_directory(), other_ + ".idx"),
              ElementsAre("._", ".tmp-1-", ".tmp-2-"));
}

TEST_F(RepackPacksTest, IndexWithoutItsPackIsIgnored) {
  const std::string stray = "pack-" + FakeId('b') + ".idx";
  WriteFile(pack_directory() + '/' + stray, "left over");
  EXPECT_THAT(ExpectAsGit(), Contains(stray));
}

}  // namespace
}  // namespace zpack::testing
