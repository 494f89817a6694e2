// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects in several damaged packs: exactly those are read that intact deltas
// lead to, from whatever pack, and never anything else.

#include "git/objects/other_bases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "git/libgit2_options.h"
#include "git/objects/object_database.h"
#include "support/deltas.h"
#include "support/matchers.h"
#include "support/pack_entries.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

using testing::Below;
using testing::Random;
using testing::RepoBuilder;

class OtherBasesTest : public ::testing::Test {
 protected:
  struct Entry : testing::ListedEntry {
    bool is_damaged = false;
  };
  struct Pack {
    std::string path;
    std::vector<Entry> entries;
  };

  // Packs blobs anew, the first of which are bases of the others. The pack is
  // put aside, so that the next one takes no deltas of it.
  Pack MakePack(const std::vector<std::string>& ids) const {
    const std::string aside = dir_ / "aside";
    fs::create_directories(aside);
    std::string input;
    for (size_t i = 0; i < ids.size(); ++i) {
      // As names, these decide on the order.
      input +=
          ids[i] + ' ' + std::string(16, static_cast<char>('z' - i)) + '\n';
    }
    const std::string name = repo_.Git(
        {"pack-objects", "-q", "--no-reuse-delta", aside + "/pack"}, input);
    const std::string path = aside + "/pack-" + name;
    Pack pack{repo_.path() + "/objects/pack/pack-" + name, {}};
    for (const testing::ListedEntry& entry : EntriesOf(repo_, path)) {
      if (entry.type == "blob") pack.entries.push_back({entry});
    }
    return pack;
  }

  // Only the packs are left.
  void MovePacks() const {
    const std::string objects = repo_.path() + "/objects";
    fs::remove_all(objects);
    fs::create_directories(objects + "/info");
    fs::rename(dir_ / "aside", objects + "/pack");
  }

  // Damages an entry in the middle, or its first byte, of which a type is left
  // that there is not.
  static void Damage(const Pack& pack, Entry& entry, bool at_start) {
    entry.is_damaged = true;
    const std::string path = pack.path + ".pack";
    std::string bytes = testing::ReadFile(path);
    if (at_start) {
      bytes.at(entry.offset) &= '\x8f';
    } else {
      bytes.at(entry.offset + entry.stored - entry.stored / 3) ^= '\x10';
    }
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    testing::WriteFile(path, bytes);
  }

  // What can be read: what has an intact entry that is whole, or the delta of
  // something that can be read.
  static std::set<std::string> Readable(const std::vector<Pack>& packs) {
    std::set<std::string> readable;
    for (bool grows = true; grows;) {
      grows = false;
      for (const Pack& pack : packs) {
        for (const Entry& entry : pack.entries) {
          if (!entry.is_damaged &&
              (entry.base.empty() || readable.contains(entry.base))) {
            grows |= readable.insert(entry.id).second;
          }
        }
      }
    }
    return readable;
  }

  // Compares with what a new database reads, object by object in `order`.
  void ExpectRead(const std::vector<Pack>& packs,
                  const std::vector<std::string>& order) const {
    const std::set<std::string> readable = Readable(packs);
    const auto database =
        ObjectDatabase::Open(testing::TestFormat(), repo_.path(),
                             {repo_.path() + "/objects"}, ReadingOptions{});
    ASSERT_THAT(database, testing::IsOk());
    for (const std::string& id : order) {
      if (!contents_.contains(id)) continue;
      Bytes content;
      const auto type = database->Read(*ObjectId::FromHex(id), content);
      EXPECT_EQ(type.has_value(), readable.contains(id)) << id;
      if (type) {
        EXPECT_EQ(*type, ObjectType::kBlob);
        EXPECT_TRUE(AsText(content) == contents_.at(id)) << id;
      }
    }
  }

  std::string AddBlob(const std::string& content) {
    std::string id = repo_.WriteBlob(content);
    contents_[id] = content;
    return id;
  }
  // Blobs of the same size that resemble each other.
  std::vector<std::string> AddBlobs(Random& random, size_t count) {
    std::vector<std::string> ids;
    std::string text = std::string(AsText(testing::RandomText(random, 1000)));
    for (size_t i = 0; i < count; ++i) {
      for (size_t edit = 0; edit < 3; ++edit) {
        text[Below(random, text.size() - 1)] =
            static_cast<char>('a' + Below(random, 26));
      }
      ids.push_back(AddBlob(text));
    }
    return ids;
  }

  static std::string_view AsText(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  Libgit2Options options_;
  testing::TempDir dir_;
  RepoBuilder repo_ = RepoBuilder(dir_ / "repo");
  std::map<std::string, std::string> contents_;
};

// In pack k, blob k is a delta on blob k + 1, which is damaged there, and lies
// in the next pack as well, until the last.
TEST_F(OtherBasesTest, EachBaseOfALongWayIsInAnotherPack) {
  Random random(1);
  const std::vector<std::string> ids = AddBlobs(random, 12);
  std::vector<Pack> packs;
  for (size_t i = 0; i + 1 < ids.size(); ++i) {
    packs.push_back(MakePack({ids[i + 1], ids[i]}));
    ASSERT_EQ(packs[i].entries.size(), 2U);
  }
  packs.push_back(MakePack({ids.back()}));
  MovePacks();
  for (size_t i = 0; i + 1 < ids.size(); ++i) {
    for (Entry& entry : packs[i].entries) {
      ASSERT_EQ(entry.base.empty(), entry.id == ids[i + 1]);
      if (entry.base.empty()) Damage(packs[i], entry, i % 2 == 0);
    }
  }
  ASSERT_EQ(Readable(packs).size(), ids.size());
  ExpectRead(packs, ids);
  ExpectRead(packs, {ids.rbegin(), ids.rend()});
  // Git agrees.
  for (const std::string& id : ids) {
    EXPECT_TRUE(repo_.Git({"cat-file", "blob", id}) + '\n' == contents_.at(id));
  }
}

// Each is a delta on the other one, in another pack.
TEST_F(OtherBasesTest, ACircleLeadsNowhere) {
  Random random(2);
  const std::vector<std::string> ids = AddBlobs(random, 2);
  std::vector<Pack> packs = {MakePack({ids[0], ids[1]}),
                             MakePack({ids[1], ids[0]})};
  MovePacks();
  for (Pack& pack : packs) {
    for (Entry& entry : pack.entries) {
      if (entry.base.empty()) Damage(pack, entry, false);
    }
  }
  ASSERT_EQ(packs[0].entries.size() + packs[1].entries.size(), 4U);
  ASSERT_THAT(Readable(packs), ::testing::IsEmpty());
  ExpectRead(packs, ids);
}

// However many deltas need it, and whatever a read of a copy costs.
TEST_F(OtherBasesTest, CopiesOfADamagedBaseAreReadOnce) {
  Random random(3);
  const std::vector<std::string> ids = AddBlobs(random, 12);
  Pack pack = MakePack(ids);
  MovePacks();
  for (Entry& entry : pack.entries) {
    if (entry.base.empty()) Damage(pack, entry, false);
  }
  ASSERT_THAT(Readable({pack}), ::testing::IsEmpty());
  const FallbackPacks packs(testing::TestFormat(), repo_.path(), {pack.path},
                            std::make_shared<const PackedObjects>(),
                            {.max_object = uint64_t{1} << 20});
  const OtherBases bases(packs);
  std::map<std::string, int> reads;
  const auto read_copy = [&](const ObjectId& id, Bytes& bytes) {
    ++reads[id.ToHex()];
    return packs.Read(id, bytes);
  };
  for (const Entry& entry : pack.entries) {
    Bytes content;
    EXPECT_THAT(bases.Read(*ObjectId::FromHex(entry.id), read_copy, content),
                testing::IsError(ErrorCode::kNotFound, ::testing::_));
  }
  EXPECT_FALSE(reads.empty());
  for (const auto& [id, count] : reads) EXPECT_EQ(count, 1) << id;
}

TEST_F(OtherBasesTest, RandomDamage) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    contents_.clear();
    fs::remove_all(repo_.path());
    repo_ = RepoBuilder(dir_ / "repo");
    const std::vector<std::string> ids = AddBlobs(random, 24);
    std::vector<Pack> packs;
    for (size_t i = 0; i < 4; ++i) {
      std::vector<std::string> some = ids;
      std::ranges::shuffle(some, random);
      some.resize(16);
      packs.push_back(MakePack(some));
    }
    MovePacks();
    for (Pack& pack : packs) {
      for (Entry& entry : pack.entries) {
        // Most of what is whole.
        const size_t of_ten = entry.base.empty() ? 9 : 2;
        if (Below(random, 10) < of_ten) Damage(pack, entry, seed % 3 == 0);
      }
    }
    std::vector<std::string> order = ids;
    std::ranges::shuffle(order, random);
    ExpectRead(packs, order);
  }
}

}  // namespace
}  // namespace zpack
