// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/object_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "git/libgit2_options.h"
#include "git/objects/object_listing.h"
#include "git/objects/pack_directory.h"
#include "object/object_hasher.h"
#include "pack/pack_index.h"
#include "support/matchers.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

using testing::RepoBuilder;

Result<ObjectIdTable> ReadIds(const std::string& pack) {
  return ReadPackIndexIds(testing::TestFormat(), PosixFileSystem(),
                          pack + ".idx");
}

ObjectId Id(const std::string& hex) { return *ObjectId::FromHex(hex); }

class ObjectDatabaseTest : public ::testing::Test {
 protected:
  std::string objects() const { return repo_.path() + "/objects"; }
  // Moves all loose objects into a pack of their own.
  void Pack() const { repo_.Git({"repack", "-q", "-d"}); }
  Result<ObjectDatabase> Open(
      ExpectedReads expected = ExpectedReads::kContents) const {
    ReadingOptions options;
    options.expected = expected;
    return ObjectDatabase::Open(testing::TestFormat(), repo_.path(),
                                {objects()}, options);
  }

  Libgit2Options options_;
  testing::TempDir dir_;
  RepoBuilder repo_ = RepoBuilder(dir_ / "repo");
};

// The path of the only pack, without extension.
std::string OnlyPack(const std::string& objects) {
  for (const std::string& name : testing::ListDirectory(objects + "/pack")) {
    if (name.ends_with(".pack")) {
      return objects + "/pack/" + name.substr(0, name.size() - 5);
    }
  }
  testing::Require(false, "there is no pack");
  return {};
}

// Multiplied in 32 bits, the false count gives the size of the index.
TEST_F(ObjectDatabaseTest, IndexThatPromisesTooMuchIsRefused) {
  const std::string id = repo_.History(2);
  Pack();
  const std::string index = OnlyPack(objects()) + ".idx";
  std::string bytes = testing::ReadFile(index);
  bytes[8 + 255 * 4] ^= '\x80';
  testing::WriteFile(index, bytes);
  for (const ExpectedReads expected :
       {ExpectedReads::kInfos, ExpectedReads::kContents}) {
    auto database = Open(expected);
    ASSERT_THAT(database, testing::IsOk());
    EXPECT_THAT(database->ReadInfo(Id(id)),
                testing::IsError(ErrorCode::kSourceCorrupt,
                                 ::testing::HasSubstr(index)));
    if (expected == ExpectedReads::kInfos) continue;
    EXPECT_THAT(database->List(),
                testing::IsError(ErrorCode::kSourceCorrupt,
                                 ::testing::HasSubstr(index)));
  }
}

// The header of one entry is damaged. Git reads all other objects.
TEST_F(ObjectDatabaseTest, DamageCostsOnlyWhatNeedsIt) {
  repo_.History(3);
  repo_.Git({"repack", "-q", "-a", "-d", "--window=0"});
  const std::string pack = OnlyPack(objects());
  // 'OFFSET ID (CHECKSUM)' in each line.
  std::istringstream index(
      repo_.Git({"show-index"}, testing::ReadFile(pack + ".idx")));
  std::vector<std::string> ids;
  size_t last = 0;
  for (std::string line; std::getline(index, line);) {
    std::istringstream words(line);
    ids.emplace_back();
    words >> last >> ids.back();
  }
  std::string bytes = testing::ReadFile(pack + ".pack");
  bytes[last] = static_cast<char>(bytes[last] | 0x70);
  testing::WriteFile(pack + ".pack", bytes);
  const auto database = Open();
  ASSERT_THAT(database, testing::IsOk());
  for (const std::string& id : ids) {
    Bytes content;
    const bool damaged = id == ids.back();
    EXPECT_EQ(database->Read(Id(id), content).has_value(), !damaged) << id;
    EXPECT_EQ(database->ReadInfo(Id(id)).has_value(), !damaged) << id;
    EXPECT_EQ(repo_.TryGit({"cat-file", "-p", id}).exit_code == 0, !damaged);
  }
  Bytes content;
  EXPECT_THAT(database->Read(Id(ids.back()), content),
              testing::IsError(ErrorCode::kSourceCorrupt,
                               ::testing::HasSubstr(pack + ".pack")));
}

// Edits a pack without its checksum, and makes checksums right.
void EditPack(const std::string& pack,
              const std::function<void(std::string&)>& edit) {
  const size_t width = ObjectIdWidth(testing::TestFormat());
  std::string bytes = testing::ReadFile(pack + ".pack");
  bytes.resize(bytes.size() - width);
  edit(bytes);
  const auto hash = [&](const std::string& content) {
    return testing::HexToRaw(width == 20 ? testing::Sha1(content)
                                         : testing::Sha256(content));
  };
  testing::WriteFile(pack + ".pack", bytes + hash(bytes));
  std::string index = testing::ReadFile(pack + ".idx");
  index.resize(index.size() - 2 * width);
  index += hash(bytes);
  testing::WriteFile(pack + ".idx", index + hash(index));
}

TEST_F(ObjectDatabaseTest, PackOfVersion3IsRead) {
  const std::string id = repo_.History(2);
  repo_.PackAll();
  EditPack(OnlyPack(objects()), [](std::string& bytes) { bytes[7] = '\3'; });
  const auto database = Open();
  ASSERT_THAT(database, testing::IsOk());
  EXPECT_TRUE(database->FindPackedForm(Id(id)).has_value());
  EXPECT_TRUE(IsPackWhole(testing::TestFormat(), PosixFileSystem(), objects(),
                          fs::path(OnlyPack(objects())).filename()));
  EXPECT_EQ(repo_.TryGit({"cat-file", "-e", id}).exit_code, 0);
}

TEST_F(ObjectDatabaseTest, PackIsWholeOnlyWithAllOfItsBytes) {
  repo_.History(2);
  repo_.PackAll();
  const std::string pack = OnlyPack(objects());
  const auto is_whole = [&] {
    return IsPackWhole(testing::TestFormat(), PosixFileSystem(), objects(),
                       fs::path(pack).filename());
  };
  EXPECT_TRUE(is_whole());
  const std::string bytes = testing::ReadFile(pack + ".pack");
  for (const size_t size : {bytes.size() - 1, size_t{20}, size_t{0}}) {
    testing::WriteFile(pack + ".pack", bytes.substr(0, size));
    EXPECT_FALSE(is_whole()) << size;
  }
  fs::remove(pack + ".pack");
  EXPECT_FALSE(is_whole());
}

// The entry of a base is damaged, and the base has a copy elsewhere. As in Git,
// all that needs it is read.
TEST_F(ObjectDatabaseTest, DeltasAreReadOnAnotherCopyOfTheirBase) {
  std::vector<std::string> ids;
  std::string text = testing::RawToHex(testing::RandomBytes(1, 3000));
  for (int i = 0; i < 12; ++i) {
    text += std::to_string(i);
    ids.push_back(repo_.WriteBlob(text));
  }
  // The longest is the base of the others, stored whole.
  const std::string& base = ids.back();
  const std::string loose = repo_.LooseObjectPath(base);
  const std::string loose_file = testing::ReadFile(loose);
  repo_.PackAll();
  const std::string pack = OnlyPack(objects());
  const std::string sound = testing::ReadFile(pack + ".pack");
  const std::string sound_index = testing::ReadFile(pack + ".idx");
  size_t offset = 0;
  std::istringstream index(repo_.Git({"show-index"}, sound_index));
  for (std::string line; std::getline(index, line);) {
    if (line.contains(base)) offset = std::stoul(line);
  }
  ASSERT_NE(offset, 0U);

  const auto check = [&](const std::string& what) {
    for (const ExpectedReads expected :
         {ExpectedReads::kInfos, ExpectedReads::kContents}) {
      auto database = Open(expected);
      ASSERT_THAT(database, testing::IsOk()) << what;
      if (expected == ExpectedReads::kContents) {
        ASSERT_THAT(database->List(), testing::IsOk()) << what;
      }
      for (const std::string& id : ids) {
        Bytes content;
        EXPECT_THAT(database->Read(Id(id), content), testing::IsOk())
            << what << id;
        EXPECT_EQ(AsText(content), repo_.Git({"cat-file", "blob", id})) << what;
        const auto info = database->ReadInfo(Id(id));
        ASSERT_THAT(info, testing::IsOk()) << what << id;
        EXPECT_EQ(*info, (ObjectInfo{ObjectType::kBlob, content.size()}));
        // In pieces, a second copy counts only where it was listed.
        if (expected == ExpectedReads::kInfos) continue;
        const auto stream = database->OpenStream(Id(id));
        ASSERT_THAT(stream, testing::IsOk()) << what << id;
        Bytes pieces(content.size());
        EXPECT_THAT((*stream)->Read(pieces), testing::IsOk()) << what << id;
        EXPECT_EQ(pieces, content) << what << id;
      }
    }
  };
  // A bad header, a bad stream, and the same in a pack that no reader takes.
  for (const int kind : {0, 1, 2, 3}) {
    for (const bool is_loose : {true, false}) {
      testing::WriteFile(pack + ".pack", sound);
      testing::WriteFile(pack + ".idx", sound_index);
      std::string other;
      if (is_loose) {
        other = loose;
        fs::create_directories(fs::path(loose).parent_path());
        testing::WriteFile(loose, loose_file);
      } else {
        other = objects() + "/pack/pack-" +
                repo_.Git({"pack-objects", "-q", objects() + "/pack/pack"},
                          base + "\n");
        if (other.ends_with('\n')) other.pop_back();
      }
      EditPack(pack, [&](std::string& bytes) {
        if (kind % 2 == 0) {
          bytes[offset] = static_cast<char>(bytes[offset] | 0x70);
        } else {
          bytes[offset + 100] ^= '\x55';
        }
        if (kind >= 2) bytes.append(size_t{2} << 20, '\0');
      });
      check("damage " + std::to_string(kind) +
            (is_loose ? ", a loose copy: " : ", a copy in a pack: "));
      for (const char* extension : {"", ".pack", ".idx", ".rev"}) {
        fs::remove(other + extension);
      }
    }
  }
}

TEST_F(ObjectDatabaseTest, ACopyThatHasTheIdIsUsedOnceTheFirstOneIsKnownBad) {
  const RepoBuilder other(dir_ / "other");
  const std::string stray = testing::ReadFile(
      repo_.LooseObjectPath(repo_.WriteBlob("has another id\n")));
  const std::string good = repo_.WriteBlob("good\n");
  const std::string bad = repo_.WriteBlob("bad\n");
  other.WriteBlob("good\n");
  for (const std::string& id : {good, bad}) {
    fs::remove(repo_.LooseObjectPath(id));
    testing::WriteFile(repo_.LooseObjectPath(id), stray);
  }
  for (const ExpectedReads expected :
       {ExpectedReads::kInfos, ExpectedReads::kContents}) {
    auto database = ObjectDatabase::Open(testing::TestFormat(), repo_.path(),
                                         {objects(), other.path() + "/objects"},
                                         {.expected = expected});
    ASSERT_THAT(database, testing::IsOk());
    ASSERT_THAT(database->List(), testing::IsOk());
    const auto expect = [&](const std::string& id, const std::string& text) {
      Bytes content;
      ASSERT_THAT(database->Read(Id(id), content), testing::IsOk());
      EXPECT_EQ(AsText(content), text);
      EXPECT_TRUE(database->ReadInfo(Id(id)) ==
                  (ObjectInfo{ObjectType::kBlob, text.size()}));
      const auto stream = database->OpenStream(Id(id));
      ASSERT_THAT(stream, testing::IsOk());
      Bytes pieces(text.size());
      EXPECT_THAT((*stream)->Read(pieces), testing::IsOk());
      EXPECT_EQ(AsText(pieces), text);
    };
    expect(good, "has another id\n");
    EXPECT_TRUE(database->UseOtherCopy(Id(good)));
    EXPECT_FALSE(database->UseOtherCopy(Id(bad)));
    expect(good, "good\n");
    expect(bad, "has another id\n");
  }
}

// What is read without the scan of a pack is the same, in chains as well.
TEST_F(ObjectDatabaseTest, PackThatReadersRefuseIsReadWhole) {
  repo_.History(20);
  std::map<std::string, std::string> contents;
  std::string text = testing::RawToHex(testing::RandomBytes(1, 3000));
  for (int i = 0; i < 30; ++i) {
    text = text.substr(100) + std::to_string(i);
    contents[repo_.WriteBlob(text)] = text;
  }
  contents[repo_.WriteBlob("")] = "";
  repo_.PackAll();
  // Between the last entry and the checksum, which PackReader takes for damage,
  // and Git does not see.
  EditPack(OnlyPack(objects()),
           [](std::string& bytes) { bytes.append(size_t{2} << 20, '\0'); });
  auto database = Open();
  ASSERT_THAT(database, testing::IsOk());
  const auto all = database->List();
  ASSERT_THAT(all, testing::IsOk());
  EXPECT_GT(all->size(), 60U);
  for (uint32_t rank = 0; rank < all->size(); ++rank) {
    const ObjectId id = (*all)[rank];
    Bytes content;
    const auto type = database->Read(id, content);
    ASSERT_THAT(type, testing::IsOk());
    const auto info = database->ReadInfo(id);
    ASSERT_THAT(info, testing::IsOk());
    EXPECT_EQ(info->type, *type);
    EXPECT_EQ(info->size, content.size());
    const auto stream = database->OpenStream(id);
    ASSERT_THAT(stream, testing::IsOk());
    Bytes pieces(content.size());
    EXPECT_THAT((*stream)->Read(pieces), testing::IsOk());
    EXPECT_EQ(pieces, content);
    const auto known = contents.find(id.ToHex());
    if (known == contents.end()) continue;
    EXPECT_EQ(AsText(content), known->second);
  }
}

// Each damage of an index that Git survives, and how many of 9 objects are
// lost.
TEST_F(ObjectDatabaseTest, DamageOfAnIndexCostsWhatItIsAbout) {
  for (int i = 0; i < 9; ++i) repo_.WriteBlob(std::to_string(i));
  repo_.PackAll();
  const std::string index = OnlyPack(objects()) + ".idx";
  const std::string whole = testing::ReadFile(index);
  const size_t width = ObjectIdWidth(testing::TestFormat());
  const size_t ids = 8 + 256 * 4;
  const size_t offsets = ids + 9 * (width + 4);
  struct Damage {
    const char* name;
    std::function<void(std::string&)> apply;
    size_t lost;
  };
  const std::vector<Damage> damages = {
      {"an id", [&](std::string& bytes) { bytes[ids + 4 * width] ^= '\x80'; },
       1},
      {"a large offset that is not there",
       [&](std::string& bytes) { bytes[offsets + 5 * 4] ^= '\x80'; }, 1},
      {"an offset beyond the end",
       [&](std::string& bytes) { bytes[offsets + 5 * 4] ^= '\x40'; }, 1},
      {"a number of the fan-out",
       [&](std::string& bytes) { bytes[8 + 255 * 4 - 1] = '\x9'; }, 0},
      {"four more bytes",
       [&](std::string& bytes) {
         bytes.insert(bytes.size() - 2 * width, 4, '\0');
       },
       0}};
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.name);
    std::string bytes = whole;
    damage.apply(bytes);
    testing::WriteFile(index, bytes);
    auto database = Open();
    ASSERT_THAT(database, testing::IsOk());
    const auto all = database->List();
    ASSERT_THAT(all, testing::IsOk());
    EXPECT_EQ(all->size(), 9U);
    size_t read = 0;
    for (uint32_t rank = 0; rank < all->size(); ++rank) {
      const ObjectId id = (*all)[rank];
      Bytes content;
      const auto type = database->Read(id, content);
      if (type &&
          ObjectHasher(testing::TestFormat()).Hash(*type, content) == id) {
        ++read;
      }
    }
    EXPECT_EQ(read, 9 - damage.lost);
  }
}

// Git reads no object of such a pack.
TEST_F(ObjectDatabaseTest, PackOfAnotherIndexIsRefused) {
  const std::string id = repo_.History(2);
  Pack();
  const std::string pack = OnlyPack(objects()) + ".pack";
  std::string bytes = testing::ReadFile(pack);
  bytes.back() ^= '\1';
  testing::WriteFile(pack, bytes);
  const auto database = Open();
  ASSERT_THAT(database, testing::IsOk());
  Bytes content;
  EXPECT_FALSE(database->Read(Id(id), content));
  EXPECT_NE(repo_.TryGit({"cat-file", "-e", id}).exit_code, 0);
}

// Right after the packs were listed, another process moves everything into a
// pack of another name.
TEST_F(ObjectDatabaseTest, WhatMovesWhileItIsListedIsListed) {
  repo_.History(3);
  Pack();
  const auto before =
      ListObjects(testing::TestFormat(), {objects()}, {}, ReadIds,
                  [] { return Result<ObjectIdTable>(ObjectIdTable()); });
  ASSERT_THAT(before, testing::IsOk());
  const std::string moved = objects() + "/pack/pack-" + testing::FakeId('f');
  const std::string bad = objects() + "/pack/pack-" + testing::FakeId('0');
  testing::WriteFile(bad + ".idx", "bad");
  testing::WriteFile(bad + ".pack", "bad");
  int calls = 0;
  const auto listing =
      ListObjects(testing::TestFormat(), {objects()}, {}, ReadIds, [&] {
        // Called for the bad pack, after the packs were listed.
        ++calls;
        fs::remove(bad + ".idx");
        for (const auto& name : testing::ListDirectory(objects() + "/pack")) {
          const fs::path path = objects() + "/pack/" + name;
          if (path != bad + ".pack") {
            fs::rename(path, moved + path.extension().string());
          }
        }
        return Result<ObjectIdTable>(ObjectIdTable());
      });
  ASSERT_THAT(listing, testing::IsOk());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(listing->all, before->all);
}

TEST_F(ObjectDatabaseTest, WhatHasSeveralCopiesIsListedAsRepeated) {
  const std::string once = repo_.WriteBlob("once\n");
  const std::string twice = repo_.WriteBlob("twice\n");
  repo_.SetRef("refs/tags/twice", twice);
  Pack();
  repo_.WriteBlob("twice\n");
  const auto listing =
      ListObjects(testing::TestFormat(), {objects()}, {}, ReadIds,
                  [] { return Result<ObjectIdTable>(ObjectIdTable()); });
  ASSERT_THAT(listing, testing::IsOk());
  EXPECT_EQ(listing->all.size(), 2U);
  EXPECT_TRUE(listing->only_loose.Find(Id(once)));
  ASSERT_EQ(listing->repeated.size(), 1U);
  EXPECT_EQ(listing->repeated[0], Id(twice));
}

// 'git repack' has removed a pack whose index is open, but not the pack itself.
TEST_F(ObjectDatabaseTest, WhatAnotherProcessRepackedIsRead) {
  std::vector<std::string> ids;
  for (const char* content : {"first\n", "second\n"}) {
    ids.push_back(repo_.WriteBlob(content));
    repo_.SetRef("refs/tags/" + std::to_string(ids.size()), ids.back());
    Pack();
  }
  for (const ExpectedReads expected :
       {ExpectedReads::kInfos, ExpectedReads::kContents}) {
    auto database = Open(expected);
    ASSERT_THAT(database, testing::IsOk());
    EXPECT_THAT(database->ReadInfo(Id(testing::FakeId('1'))),
                testing::IsError(ErrorCode::kNotFound,
                                 ::testing::HasSubstr("missing")));
    repo_.SetRef(
        "refs/tags/other",
        repo_.WriteBlob(expected == ExpectedReads::kContents ? "third\n"
                                                             : "fourth\n"));
    repo_.Git({"repack", "-q", "-a", "-d"});
    Bytes content;
    for (const std::string& id : ids) {
      EXPECT_THAT(database->Read(Id(id), content), testing::IsOk());
    }
    EXPECT_EQ(AsText(content), "second\n");
    ASSERT_THAT(database->List(), testing::IsOk());
  }
}

// Objects that were loose are in a pack that did not exist before.
TEST_F(ObjectDatabaseTest, WhatAnotherProcessPackedIsRead) {
  for (const ExpectedReads expected :
       {ExpectedReads::kInfos, ExpectedReads::kContents}) {
    const std::string content =
        "loose " + std::to_string(static_cast<int>(expected)) + "\n";
    const std::string loose = repo_.WriteBlob(content);
    repo_.SetRef("refs/tags/loose", loose);
    auto database = Open(expected);
    ASSERT_THAT(database, testing::IsOk());
    Pack();
    Bytes read;
    EXPECT_THAT(database->Read(Id(loose), read), testing::IsOk());
    EXPECT_EQ(AsText(read), content);
    EXPECT_THAT(database->ReadInfo(Id(loose)), testing::IsOk());
  }
}

// As when all descriptors are in use.
TEST_F(ObjectDatabaseTest, PackThatTheSystemRefusesIsReadLater) {
  const std::string blob = repo_.WriteBlob("patience\n");
  repo_.SetRef("refs/tags/blob", blob);
  Pack();
  for (const char* const extension : {".pack", ".idx"}) {
    const auto database = Open(ExpectedReads::kInfos);
    ASSERT_THAT(database, testing::IsOk());
    const std::string path = OnlyPack(objects()) + extension;
    fs::rename(path, dir_ / "away");
    fs::create_symlink(path, path);
    Bytes content;
    EXPECT_THAT(database->Read(Id(blob), content),
                testing::IsError(ErrorCode::kIo, ::testing::_));
    fs::remove(path);
    fs::rename(dir_ / "away", path);
    EXPECT_THAT(database->Read(Id(blob), content), testing::IsOk());
    EXPECT_EQ(AsText(content), "patience\n");
  }
}

}  // namespace
}  // namespace zpack
