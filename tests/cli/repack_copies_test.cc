// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects of which there are several copies, some of them bad or in packs that
// stay: the last good one never goes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RepackCopiesTest : public RepackFixture {
 protected:
  std::string PackFile(const std::string& name,
                       const std::string& extension) const {
    return pack_directory() + '/' + name + extension;
  }
  bool IsLoose(const std::string& id) const {
    return Exists(repo_.LooseObjectPath(id));
  }
  // Repacks with a kept pack in whose index these bits of the first offset are
  // wrong. It may refuse, but afterwards nothing may need that pack.
  void RepackBesideDamagedIndex(uint8_t bits) {
    repo_.History(4);
    repo_.Git({"repack", "-a", "-q"});
    const RepositoryState before = ReadState(repo_.path());
    const std::string kept = Packs().at(0);
    WriteFile(PackFile(kept, ".keep"), "");
    const std::string path = PackFile(kept, ".idx");
    std::string index = ReadFile(path);
    index[8 + 1024 + before.objects.size() * (IdDigits() / 2 + 4)] ^=
        static_cast<char>(bits);
    fs::permissions(path, fs::perms::owner_all);
    WriteFile(path, index);
    Repack({"-d"});
    ASSERT_TRUE(Exists(PackFile(kept, ".pack")));
    fs::remove(path);
    EXPECT_EQ(ReadState(repo_.path()).objects, before.objects);
  }
};

TEST_F(RepackCopiesTest, NothingIsLostToAKeptPackWhoseIndexNamesNoOffset) {
  RepackBesideDamagedIndex(0x80);
}

TEST_F(RepackCopiesTest, NothingIsLostToAKeptPackWhoseIndexNamesAWrongOffset) {
  RepackBesideDamagedIndex(0x40);
}

TEST_F(RepackCopiesTest, KeptPackThatIsCutShortCountsForNothing) {
  repo_.History(4);
  repo_.Git({"repack", "-a", "-q"});
  const RepositoryState before = ReadState(repo_.path());
  const std::string kept = Packs().at(0);
  WriteFile(PackFile(kept, ".keep"), "");
  for (const uintmax_t size : {0U, 100U}) {
    fs::permissions(PackFile(kept, ".pack"), fs::perms::owner_all);
    fs::resize_file(PackFile(kept, ".pack"), size);
    ASSERT_TRUE(Repack({"-d"}).ok());
    EXPECT_TRUE(Exists(PackFile(kept, ".pack")));
    // Everything is in the new pack.
    fs::remove(PackFile(kept, ".idx"));
    EXPECT_EQ(ReadState(repo_.path()).objects, before.objects);
    // Again from loose objects.
    const std::string fresh = Packs().at(Packs().at(0) == kept ? 1 : 0);
    const std::string pack = ReadFile(PackFile(fresh, ".pack"));
    const std::string index = ReadFile(PackFile(fresh, ".idx"));
    fs::remove(PackFile(fresh, ".pack"));
    fs::remove(PackFile(fresh, ".idx"));
    fs::remove(PackFile(fresh, ".rev"));
    repo_.Git({"unpack-objects", "-q"}, pack);
    WriteFile(PackFile(kept, ".idx"), index);
  }
}

TEST_F(RepackCopiesTest, FreshCopyOfWhatIsInACruftPackStays) {
  repo_.History(2);
  const std::string blob = repo_.WriteBlob("unreachable");
  repo_.Git({"repack", "-q", "--cruft", "-d"});
  ASSERT_FALSE(IsLoose(blob));
  ASSERT_THAT(FilesWith(pack_directory(), ".mtimes"), SizeIs(1));
  // As a process does that is about to need it.
  const std::string path = repo_.LooseObjectPath(blob);
  fs::create_directories(fs::path(path).parent_path());
  WriteFile(path, ZlibCompress(std::string("blob 11\0unreachable", 19)));
  ASSERT_TRUE(Repack({"-d"}).ok());
  EXPECT_TRUE(IsLoose(blob));
  EXPECT_THAT(FilesWith(pack_directory(), ".mtimes"), SizeIs(1));
  // With -k, it is packed, and the cruft pack is not needed.
  ASSERT_TRUE(Repack({"-d", "-k"}).ok());
  EXPECT_FALSE(IsLoose(blob));
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_THAT(FilesWith(pack_directory(), ".mtimes"), IsEmpty());
  EXPECT_TRUE(Has(blob));
}

TEST_F(RepackCopiesTest, WhatIsNeededAndOnlyInACruftPackIsPacked) {
  repo_.History(2);
  const std::string blob = repo_.WriteBlob("needed later");
  repo_.Git({"repack", "-q", "--cruft", "-d"});
  repo_.SetRef("refs/tags/blob", blob);
  ASSERT_TRUE(Repack({"-d"}).ok());
  for (const char* const extension : {".pack", ".idx", ".mtimes"}) {
    for (const std::string& name : FilesWith(pack_directory(), ".mtimes")) {
      fs::remove(PackFile(name, extension));
    }
  }
  EXPECT_TRUE(Has(blob));
}

TEST_F(RepackCopiesTest, DamagedLooseFileIsReplacedByTheOneFromAPack) {
  repo_.History(2);
  const std::string blob = repo_.WriteBlob("unreachable");
  repo_.Git({"pack-objects", "-q", pack_directory() + "/pack"}, blob + '\n');
  repo_.Git({"prune-packed"});
  ASSERT_FALSE(IsLoose(blob));
  const std::string path = repo_.LooseObjectPath(blob);
  fs::create_directories(fs::path(path).parent_path());
  WriteFile(path, "");
  ASSERT_TRUE(Repack({"-d", "-A"}).ok());
  EXPECT_EQ(repo_.Git({"cat-file", "blob", blob}), "unreachable");
}

TEST_F(RepackCopiesTest, WhatAKilledOneLeftGoes) {
  repo_.History(3);
  for (const char* const name :
       {"tmp_pack_zpack", "tmp_pack_zpack-7", "tmp_idx_zpack-7",
        "tmp_rev_zpack-7", "tmp_mtimes_zpack", "tmp_pack_of_git"}) {
    WriteFile(pack_directory() + '/' + name, "left");
  }
  ASSERT_TRUE(Repack({"-d"}).ok());
  const auto files = ListDirectory(pack_directory());
  EXPECT_THAT(files, Not(Contains(HasSubstr("zpack"))));
  EXPECT_THAT(files, Contains("tmp_pack_of_git"));
}

TEST_F(RepackCopiesTest, BitmapsAreOfTheRepositoryThatWasNamed) {
  repo_.History(3);
  const RepoBuilder other(dir_ / "other");
  other.History(2);
  other.PackAll();
  ProcessOptions environment;
  environment.environment = {"GIT_DIR=" + other.git_dir()};
  ASSERT_TRUE(
      RunZpack({"repack", "-q", "-d", "-b", repo_.path()}, environment).ok());
  EXPECT_TRUE(Exists(pack_directory() + "/multi-pack-index"));
  EXPECT_FALSE(Exists(other.git_dir() + "/objects/pack/multi-pack-index"));
}

TEST_F(RepackCopiesTest, BitmapOfPacksThatStay) {
  repo_.History(3);
  repo_.PackAll();
  WriteFile(PackFile(Packs().at(0), ".keep"), "");
  const std::string stray = repo_.WriteBlob("in a pack that goes");
  repo_.Git({"pack-objects", "-q", pack_directory() + "/pack"}, stray + '\n');
  repo_.Git({"multi-pack-index", "write", "--bitmap"});
  ASSERT_TRUE(Repack({"-d", "-b"}).ok());
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_TRUE(repo_.TryGit({"multi-pack-index", "verify"}).ok());
  EXPECT_TRUE(Exists(pack_directory() + "/multi-pack-index"));
}

}  // namespace
}  // namespace zpack::testing
