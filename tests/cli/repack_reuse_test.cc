// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack' copies what is packed well already: which deltas stay, which chains
// are cut, and that what is new finds its bases.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "support/pack_entries.h"
#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

class RepackReuseTest : public RepackFixture {
 protected:
  RepackReuseTest() { repo_.Git({"config", "repack.writeBitmaps", "false"}); }

  // So many commits that edit a text, each version much like the one before.
  void Edits(int count) const {
    std::string text = RawToHex(RandomBytes(1, 3000));
    std::vector<std::string> parents;
    for (int i = 0; i < count; ++i) {
      const std::string edit =
          RawToHex(RandomBytes(static_cast<uint64_t>(i), 8));
      text.replace(static_cast<size_t>(i) * 97 % 5000, i % 3 == 0 ? 3 : 16,
                   edit);
      CommitFields fields;
      fields.tree = repo_.WriteTree(
          TreeEntryBytes("100644", "other", repo_.WriteBlob(edit)) +
          TreeEntryBytes("100644", "text", repo_.WriteBlob(text)));
      fields.parents = parents;
      fields.time = 1700000000 + static_cast<uint64_t>(i);
      parents = {repo_.WriteCommit(fields)};
    }
    repo_.SetRef("refs/heads/main", parents[0]);
  }

  struct Stored {
    std::string base;  // empty for what is stored whole
    uint64_t size = 0;

    bool operator==(const Stored&) const = default;
  };

  // How packed objects are stored, by id.
  std::map<std::string, Stored> HowStored() const {
    std::istringstream lines(repo_.Git(
        {"cat-file", "--batch-all-objects",
         "--batch-check=%(objectname) %(deltabase) %(objectsize:disk)"}));
    std::map<std::string, Stored> stored;
    std::string id;
    std::string base;
    uint64_t size = 0;
    while (lines >> id >> base >> size) {
      stored[id] = {base == FakeId('0') ? "" : base, size};
    }
    return stored;
  }

  // Packs everything as Git does it.
  void GitPacks(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> command = {"repack", "-q", "-a", "-d", "-F"};
    command.insert(command.end(), options.begin(), options.end());
    repo_.Git(command);
  }

  // Deltas of `before` that are others now, or none.
  int ChangedDeltas(const std::map<std::string, Stored>& before) const {
    const auto now = HowStored();
    int changed = 0;
    for (const auto& [id, how] : before) {
      if (!how.base.empty() && now.at(id).base != how.base) ++changed;
    }
    return changed;
  }

  static int Deltas(const std::map<std::string, Stored>& stored) {
    int deltas = 0;
    for (const auto& [id, how] : stored) deltas += how.base.empty() ? 0 : 1;
    return deltas;
  }
};

TEST_F(RepackReuseTest, OnePackIsCopiedAsItIs) {
  Edits(60);
  for (const char* version : {"2", "1"}) {
    SCOPED_TRACE(version);
    repo_.Git({"config", "pack.indexVersion", version});
    for (const char* offsets : {"true", "false"}) {
      repo_.Git({"config", "repack.useDeltaBaseOffset", offsets});
      GitPacks();
      repo_.Git({"config", "--unset", "pack.indexVersion"});
      const auto before = HowStored();
      ASSERT_GT(Deltas(before), 20);
      ExpectOnePack({"--level", "12"});
      const auto after = HowStored();
      for (const auto& [id, how] : before) {
        EXPECT_EQ(after.at(id).base, how.base);
        // Deltas against an id have longer headers.
        if (how.base.empty()) {
          EXPECT_EQ(after.at(id).size, how.size);
        }
      }
      repo_.Git({"config", "pack.indexVersion", version});
    }
  }
}

TEST_F(RepackReuseTest, IndexesAreThoseOfTheSettings) {
  Edits(5);
  const auto indexes = [&] {
    const std::string pack = pack_directory() + '/' + Packs().at(0);
    return std::pair(ReadFile(pack + ".idx").substr(0, 8),
                     Exists(pack + ".rev"));
  };
  for (const auto& [name, values] :
       std::map<std::string, std::vector<std::string>>{
           {"pack.indexVersion", {"0", "1", "2"}},
           {"pack.writeReverseIndex", {"false", "true"}}}) {
    repo_.Git({"config", "pack.writeReverseIndex", "true"});
    for (const std::string& value : values) {
      SCOPED_TRACE(name + '=' + value);
      repo_.Git({"config", name, value});
      repo_.Git({"repack", "-adfq"});
      const auto expected = indexes();
      ASSERT_TRUE(Repack({"-d", "-f"}).ok());
      EXPECT_EQ(indexes(), expected);
      EXPECT_EQ(ReadState(repo_.path()).fsck_exit_code, 0);
      repo_.Git({"config", "--unset", name});
    }
  }
}

TEST_F(RepackReuseTest, NewObjectsBecomeDeltasAgainstOldOnes) {
  Edits(60);
  ExpectOnePack({"-F"});
  const auto before = HowStored();
  Edits(75);
  const auto state = ReadState(repo_.path());
  const std::string copy = dir_ / "copy";
  std::filesystem::copy(repo_.path(), copy,
                        std::filesystem::copy_options::recursive);
  const std::string name = ExpectOnePack({"--threads", "1"});
  const auto after = HowStored();
  EXPECT_EQ(ChangedDeltas(before), 0);
  // Between old and new objects.
  int new_deltas = 0;
  for (const auto& [id, how] : after) {
    if (how.base.empty()) continue;
    new_deltas += before.contains(id) != before.contains(how.base) ? 1 : 0;
  }
  EXPECT_GT(new_deltas, 0);
  EXPECT_GT(Deltas(after), Deltas(before) + 10);
  // Once more: nothing is new.
  EXPECT_EQ(ExpectOnePack(), name);
  // The same with another number of threads.
  repo_ = RepoBuilder::Existing(copy);
  EXPECT_EQ(ExpectOnePack({"--threads", "5"}), name);
}

TEST_F(RepackReuseTest, SeveralPacksKeepTheirDeltas) {
  Edits(40);
  GitPacks();
  const auto first = HowStored();
  Edits(70);
  repo_.Git({"repack", "-q", "-d"});
  ASSERT_THAT(Packs(), ::testing::SizeIs(2));
  const auto both = HowStored();
  ExpectOnePack();
  EXPECT_EQ(ChangedDeltas(both), 0);
}

TEST_F(RepackReuseTest, ChainsDeeperThanAllowedAreCut) {
  Edits(120);
  GitPacks({"--depth=60", "--window=60"});
  ASSERT_GT(LongestChain(Packs().at(0)), 20U);
  const auto before = HowStored();
  EXPECT_LE(LongestChain(ExpectOnePack({"--depth", "20"})), 20U);
  EXPECT_LT(ChangedDeltas(before), Deltas(before));
  EXPECT_LE(LongestChain(ExpectOnePack({"--depth", "5"})), 5U);
  EXPECT_LE(LongestChain(ExpectOnePack({"--depth", "1"})), 1U);
  EXPECT_EQ(LongestChain(ExpectOnePack({"--depth", "0"})), 0U);
}

TEST_F(RepackReuseTest, DepthHoldsNightAfterNight) {
  Edits(30);
  GitPacks({"--depth=4"});
  for (int night = 1; night < 9; ++night) {
    Edits(30 + 7 * night);
    EXPECT_LE(LongestChain(ExpectOnePack({"--depth", "4"})), 4U) << night;
  }
}

TEST_F(RepackReuseTest, CircleOfDeltasFromTwoPacksIsBroken) {
  const std::string text = RawToHex(RandomBytes(1, 4000));
  const std::string a = repo_.WriteBlob(text + "one\n");
  const std::string b = repo_.WriteBlob("two\n" + text);
  repo_.SetRef("refs/tags/a", a);
  repo_.SetRef("refs/tags/b", b);
  // Names decide which of the two comes first, and is the base.
  const auto pack = [&](const std::string& first, const std::string& second) {
    const std::string name = repo_.Git(
        {"pack-objects", "-q", "--no-reuse-delta", pack_directory() + "/pack"},
        first + " zzzzzzzzzzzzzzzz\n" + second + " a\n");
    std::string base;
    for (const ListedEntry& entry :
         EntriesOf(repo_, pack_directory() + "/pack-" + name)) {
      if (entry.type == "blob" && !entry.base.empty()) base = entry.base;
    }
    return base;
  };
  const std::string base = pack(a, b);
  // Other packs must not be looked at for what to reuse.
  const std::string aside = dir_ / "aside";
  std::filesystem::rename(pack_directory(), aside);
  std::filesystem::create_directories(pack_directory());
  const std::string other = pack(b, a);
  ASSERT_EQ((std::set<std::string>{base, other}),
            (std::set<std::string>{a, b}));
  for (const std::string& file : ListDirectory(aside)) {
    std::filesystem::rename(aside + '/' + file, pack_directory() + '/' + file);
  }
  repo_.Git({"prune-packed"});
  // Whichever pack an object is found in.
  ExpectOnePack();
}

TEST_F(RepackReuseTest, ForcedDeltasKeepWhatIsCompressedWell) {
  Edits(40);
  repo_.Git({"config", "pack.compression", "9"});
  GitPacks({"--depth=0"});
  const auto best = HowStored();
  ASSERT_EQ(Deltas(best), 0);
  ExpectOnePack({"-f", "--level", "12"});
  int whole = 0;
  for (const auto& [id, how] : HowStored()) {
    if (!how.base.empty()) continue;
    ++whole;
    EXPECT_EQ(how.size, best.at(id).size);
  }
  EXPECT_GT(whole, 0);
  EXPECT_LT(whole, static_cast<int>(best.size()));

  // Less effort than ours is not enough.
  const std::string ours = ExpectOnePack({"-F", "--level", "12"});
  repo_.Git({"config", "pack.compression", "1"});
  GitPacks({"--depth=0"});
  EXPECT_EQ(ExpectOnePack({"-f", "--level", "12"}), ours);
}

TEST_F(RepackReuseTest, LargeObjectsAreCopied) {
  repo_.SetRef("refs/tags/large", repo_.WriteBlob(RandomBytes(1, 3 << 20)));
  repo_.SetRef("refs/tags/zeros", repo_.WriteBlob(std::string(3 << 20, 'x')));
  repo_.Git({"config", "core.bigFileThreshold", "1m"});
  repo_.Git({"config", "pack.compression", "0"});
  GitPacks();
  const auto before = HowStored();
  for (const char* version : {"1", "2"}) {
    repo_.Git({"config", "pack.indexVersion", version});
    GitPacks();
    repo_.Git({"config", "--unset", "pack.indexVersion"});
    ExpectOnePack();
    EXPECT_EQ(HowStored(), before);
  }
  // Without any effort at all is not enough here, either.
  ExpectOnePack({"-f"});
  EXPECT_NE(HowStored(), before);
}

TEST_F(RepackReuseTest, DamagedEntryIsNotCopied) {
  Edits(30);
  GitPacks();
  const std::string path = pack_directory() + '/' + Packs().at(0) + ".pack";
  const std::string bytes = ReadFile(path);
  int harmless = 0;
  for (size_t at = 200; at < bytes.size(); at += bytes.size() / 20) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    WriteFile(path, damaged);
    const auto before = Snapshot(repo_.path());
    const ProcessResult result = Repack({});
    // Bits that do not matter to anyone are no damage.
    if (result.ok()) {
      ++harmless;
      continue;
    }
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_TRUE(Snapshot(repo_.path()) == before);
  }
  EXPECT_LT(harmless, 5);
  WriteFile(path, bytes);
  ExpectOnePack();
}

}  // namespace
}  // namespace zpack::testing
