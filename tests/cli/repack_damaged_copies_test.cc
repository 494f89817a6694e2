// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack -d' where a pack that stays has a damaged copy of an object: the
// sound copy elsewhere goes only if a new pack has the object.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "support/pack_entries.h"
#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Words = std::vector<std::string>;

enum class Place : uint8_t { kLoose, kPack };

class RepackDamagedCopiesTest : public RepackFixture {
 protected:
  // A pack of all objects in which the copy of blob_ is damaged, and a sound
  // copy of it in another place.
  void Make(Place sound) {
    repo_.History(4);
    for (int i = 0; i < 300; ++i) text_ += std::to_string(i * i) + '\n';
    blob_ = repo_.WriteBlob(text_);
    repo_.SetRef("refs/tags/blob", blob_);
    repo_.Git({"repack", "-q", "-a"});
    stays_ = Packs().at(0);
    if (sound == Place::kPack) {
      // Two small packs, so that a geometric repack rolls them up.
      for (const std::string& id : {blob_, repo_.WriteBlob("stray")}) {
        repo_.Git({"pack-objects", "-q", pack_directory() + "/pack"},
                  id + '\n');
      }
      repo_.Git({"prune-packed"});
      ASSERT_THAT(Packs(), SizeIs(3));
    }
    Damage(stays_, blob_);
    ASSERT_EQ(CatBlob(), text_);
  }

  // An empty repository again.
  void Reset() {
    fs::remove_all(repo_.path());
    const RepoBuilder fresh(repo_.path(), RepoBuilder::Kind::kBare);
    text_.clear();
  }

  void Damage(const std::string& pack, const std::string& id) const {
    const std::string path = pack_directory() + '/' + pack;
    std::string bytes = ReadFile(path + ".pack");
    for (const ListedEntry& entry : EntriesOf(repo_, path)) {
      if (entry.id == id) bytes.at(entry.offset + entry.stored / 2) ^= 0x10;
    }
    fs::permissions(path + ".pack", fs::perms::owner_write,
                    fs::perm_options::add);
    WriteFile(path + ".pack", bytes);
  }

  std::string CatBlob() const {
    return RunGit({"cat-file", "blob", blob_}, repo_.path()).out;
  }

  void ExpectNothingIsLost(const Words& options) const {
    const ProcessResult result = Repack(options);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, HasSubstr("warning: pack '" + stays_ +
                                      "' is damaged and stays; 1 of "));
    EXPECT_THAT(Packs(), Contains(stays_));
    EXPECT_EQ(CatBlob(), text_);
  }

  std::string text_;
  std::string blob_;
  std::string stays_;
};

class StayingPackTest
    : public RepackDamagedCopiesTest,
      public ::testing::WithParamInterface<std::tuple<Words, Place>> {};

TEST_P(StayingPackTest, KeepFile) {
  Make(std::get<Place>(GetParam()));
  WriteFile(pack_directory() + '/' + stays_ + ".keep", "");
  ExpectNothingIsLost(std::get<Words>(GetParam()));
}

TEST_P(StayingPackTest, OptionKeepPack) {
  Make(std::get<Place>(GetParam()));
  Words options = std::get<Words>(GetParam());
  options.push_back("--keep-pack=" + stays_ + ".pack");
  ExpectNothingIsLost(options);
}

INSTANTIATE_TEST_SUITE_P(
    Options, StayingPackTest,
    ::testing::Combine(
        ::testing::Values(Words{"-d"}, Words{"-d", "-m"}, Words{"-d", "-b"},
                          Words{"-d", "-m", "-b"}, Words{"-d", "-k"},
                          Words{"-d", "--cruft"}, Words{"-d", "-A"},
                          Words{"-d", "-l"}, Words{"-d", "-F"},
                          Words{"-d", "--filter=blob:none"},
                          Words{"-d", "-g", "2"}, Words{"-d", "-g", "2", "-m"},
                          Words{"-d", "-g", "2", "-b", "-m"}),
        ::testing::Values(Place::kLoose, Place::kPack)));

TEST_F(RepackDamagedCopiesTest, GeometricRepackLeavesThePackAlone) {
  for (const Place sound : {Place::kLoose, Place::kPack}) {
    for (const char* const follow : {"true", "false"}) {
      SCOPED_TRACE(follow);
      Reset();
      Make(sound);
      repo_.Git({"config", "repack.midxMustContainCruft", follow});
      repo_.Git({"config", "repack.writeBitmaps", "false"});
      ExpectNothingIsLost({"-d", "-g", "2", "-m"});
    }
  }
}

// Both packs stay. The multi-pack-index names one copy, and hides the other.
TEST_F(RepackDamagedCopiesTest, MultiPackIndexNamesTheSoundCopyOfTwoThatStay) {
  Make(Place::kPack);
  for (const std::string& pack : Packs()) {
    WriteFile(pack_directory() + '/' + pack + ".keep", "");
  }
  for (const Words& options : {Words{"-d", "-m"}, Words{"-d", "-m", "-g", "2"},
                               Words{"-d", "-m", "-b"}, Words{"-d", "-b"}}) {
    SCOPED_TRACE(::testing::PrintToString(options));
    // Git would name the copy of the youngest pack.
    fs::last_write_time(
        pack_directory() + '/' + stays_ + ".pack",
        fs::file_time_type::clock::now() + std::chrono::hours(1));
    ExpectNothingIsLost(options);
    for (const std::string& name : ListDirectory(pack_directory())) {
      if (name.starts_with("multi-pack-index")) {
        fs::remove(pack_directory() + '/' + name);
      }
    }
  }
}

// The multi-pack-index names the new copy, whatever the times of the packs are.
TEST_F(RepackDamagedCopiesTest, PackThatIsYoungerThanTheNewOne) {
  Make(Place::kLoose);
  const std::string path = pack_directory() + '/' + stays_;
  WriteFile(path + ".keep", "");
  fs::last_write_time(path + ".pack",
                      fs::file_time_type::clock::now() + std::chrono::hours(1));
  ExpectNothingIsLost({"-d", "-m"});
}

TEST_F(RepackDamagedCopiesTest, UnreachableObjectSurvives) {
  for (const Words& options :
       {Words{"-d", "-k"}, Words{"-d", "--cruft"}, Words{"-d", "-A"}}) {
    SCOPED_TRACE(options.back());
    Reset();
    Make(Place::kPack);
    WriteFile(pack_directory() + '/' + stays_ + ".keep", "");
    repo_.Git({"update-ref", "-d", "refs/tags/blob"});
    ExpectNothingIsLost(options);
  }
}

// Nobody needs the object, and the loose copy is as much worth as the others.
TEST_F(RepackDamagedCopiesTest, UnreachableLooseObjectStays) {
  Make(Place::kLoose);
  WriteFile(pack_directory() + '/' + stays_ + ".keep", "");
  repo_.Git({"update-ref", "-d", "refs/tags/blob"});
  ExpectNothingIsLost({"-d"});
  EXPECT_TRUE(Exists(repo_.LooseObjectPath(blob_)));
}

TEST_F(RepackDamagedCopiesTest, PromisorPackThatStays) {
  for (const Words& options : {Words{"-d"}, Words{"-d", "-g", "2"}}) {
    for (const Place sound : {Place::kLoose, Place::kPack}) {
      SCOPED_TRACE(options.back());
      Reset();
      Make(sound);
      repo_.Git({"config", "remote.origin.promisor", "true"});
      repo_.Git({"config", "remote.origin.url", "/nowhere"});
      for (const std::string& pack : Packs()) {
        WriteFile(pack_directory() + '/' + pack + ".promisor", "");
      }
      WriteFile(pack_directory() + '/' + stays_ + ".keep", "");
      ExpectNothingIsLost(options);
    }
  }
}

// Without -d, nothing goes, and nothing has to be read.
TEST_F(RepackDamagedCopiesTest, NothingIsReadUnlessSomethingGoes) {
  Make(Place::kLoose);
  WriteFile(pack_directory() + '/' + stays_ + ".keep", "");
  const ProcessResult result = Repack(Words{});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(CatBlob(), text_);
}

TEST_F(RepackDamagedCopiesTest, ObjectWithoutASoundCopyIsAnError) {
  Make(Place::kLoose);
  WriteFile(pack_directory() + '/' + stays_ + ".keep", "");
  const std::string loose = repo_.LooseObjectPath(blob_);
  fs::permissions(loose, fs::perms::owner_write, fs::perm_options::add);
  std::string bytes = ReadFile(loose);
  bytes.at(bytes.size() / 2) ^= 0x10;
  WriteFile(loose, bytes);
  ExpectRefusal(blob_);
}

// As a pack from another place in which the content has been replaced.
TEST_F(RepackDamagedCopiesTest, AlternateWithADamagedPromisorPack) {
  Make(Place::kPack);
  const std::string alternate = dir_ / "alternate";
  const RepoBuilder lender(alternate, RepoBuilder::Kind::kBare);
  for (const char* const extension : {".pack", ".idx"}) {
    fs::rename(pack_directory() + '/' + stays_ + extension,
               alternate + "/objects/pack/" + stays_ + extension);
  }
  WriteFile(alternate + "/objects/pack/" + stays_ + ".promisor", "");
  WriteFile(repo_.git_dir() + "/objects/info/alternates",
            alternate + "/objects\n");
  repo_.Git({"config", "remote.origin.promisor", "true"});
  repo_.Git({"config", "remote.origin.url", "/nowhere"});
  const ProcessResult result = Repack({"-d", "-l"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_EQ(CatBlob(), text_);
}

}  // namespace
}  // namespace zpack::testing
