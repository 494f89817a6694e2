// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Packs whose index names an id more than once, as 'git index-pack' makes them
// of packs with several entries of an object.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "support/pack_entries.h"
#include "support/repack_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::SizeIs;

class RepackDuplicatesTest : public RepackFixture {
 protected:
  RepackDuplicatesTest() {
    // Without deltas.
    repo_.Git({"config", "pack.window", "0"});
    tip_ = repo_.History(3);
  }

  // Packs everything, each object twice, with an index of this version. Returns
  // the path of the pack without extension.
  std::string PackTwice(const std::string& version = "2") const {
    repo_.Git({"repack", "-a", "-d", "-q", "--no-write-bitmap-index"});
    const std::string old = Packs().at(0);
    const size_t hash = IdDigits() / 2;
    std::string pack = ReadFile(pack_directory() + '/' + old + ".pack");
    pack.resize(pack.size() - hash);
    const auto entries = EntriesOf(repo_, pack_directory() + '/' + old);
    for (const ListedEntry& entry : entries) {
      pack += pack.substr(entry.offset, entry.stored);
    }
    pack[11] = static_cast<char>(2 * entries.size());
    pack += HexToRaw(TestFormat() == ObjectFormat::kSha1 ? Sha1(pack)
                                                         : Sha256(pack));
    fs::remove_all(pack_directory());
    fs::create_directories(pack_directory());
    const std::string path =
        pack_directory() + "/pack-" + RawToHex(pack.substr(pack.size() - hash));
    WriteFile(path + ".pack", pack);
    repo_.Git({"index-pack", "--index-version=" + version, path + ".pack"});
    return path;
  }

  // Damages every entry of each object that the index names first (second).
  void Damage(const std::string& path, bool first) const {
    const std::string index = ReadFile(path + ".idx");
    const size_t count = 2 * ReadState(repo_.path()).objects.size();
    const size_t offsets = 8 + 1024 + count * (IdDigits() / 2 + 4);
    std::string pack = ReadFile(path + ".pack");
    for (size_t i = first ? 0 : 1; i < count; i += 2) {
      ByteReader in(AsBytes(index).subspan(offsets + 4 * i));
      // After the header and the header of zlib.
      pack[in.U32() + 5] ^= 0x10;
    }
    fs::permissions(path + ".pack", fs::perms::owner_all);
    WriteFile(path + ".pack", pack);
  }

  void ExpectConverts() const {
    const RepositoryState before = ReadState(repo_.path());
    const std::string file = dir_ / "file.zpack";
    const ProcessResult converted =
        RunZpack({"convert", "-q", "--force", repo_.path(), file});
    ASSERT_EQ(converted.exit_code, 0) << converted.err;
    const std::string restored = dir_ / "restored";
    fs::remove_all(restored);
    ASSERT_TRUE(RunZpack({"restore", "-q", file, restored}).ok());
    EXPECT_EQ(ReadState(restored), before);
  }

  std::string tip_;
};

TEST_F(RepackDuplicatesTest, PackWithEachObjectTwiceIsConvertedAndRepacked) {
  for (const char* const version : {"1", "2", "2,0x40"}) {
    PackTwice(version);
    ExpectConverts();
    ExpectOnePack();
    EXPECT_THAT(EntriesOf(repo_, pack_directory() + '/' + Packs().at(0)),
                SizeIs(ReadState(repo_.path()).objects.size()));
  }
}

TEST_F(RepackDuplicatesTest, MultiPackIndexIsThatOfGit) {
  const std::string path = PackTwice();
  repo_.WriteBlob("loose");
  for (const char* const option : {"-g2", "-n"}) {
    const ProcessResult result = Repack({option, "--write-midx"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    const std::string midx = pack_directory() + "/multi-pack-index";
    const std::string bytes = ReadFile(midx);
    EXPECT_THAT(bytes, HasSubstr(fs::path(path).filename().string()));
    fs::remove(midx);
    repo_.Git({"multi-pack-index", "write"});
    EXPECT_TRUE(ReadFile(midx) == bytes);
  }
}

TEST_F(RepackDuplicatesTest, EntryThatIsSoundIsRead) {
  for (const bool first : {true, false}) {
    const std::string path = PackTwice();
    const RepositoryState before = ReadState(repo_.path());
    Damage(path, first);
    const std::string file = dir_ / "file.zpack";
    const ProcessResult converted =
        RunZpack({"convert", "-q", "--force", repo_.path(), file});
    ASSERT_EQ(converted.exit_code, 0) << converted.err;
    const ProcessResult repacked = Repack({"-d"});
    EXPECT_EQ(repacked.exit_code, 0) << repacked.err;
    EXPECT_EQ(ReadState(repo_.path()), before);
  }
}

// An object as a delta of another one, that one as a delta of the first one,
// and the first one whole: each delta names its base by id.
TEST_F(RepackDuplicatesTest, CircleOfDeltasIsBrokenByAWholeEntry) {
  const std::string a = "first content, which is long enough for a delta\n";
  const std::string b = a + "second\n";
  const std::string a_id = repo_.WriteBlob(a);
  const std::string b_id = repo_.WriteBlob(b);
  const auto entry = [](int type, const std::string& raw,
                        const std::string& base) {
    std::string bytes;
    bytes += static_cast<char>(0x80 | type << 4 | (raw.size() & 15));
    bytes += static_cast<char>(raw.size() >> 4);
    return bytes + HexToRaw(base) + ZlibCompress(raw);
  };
  const auto byte = [](size_t value) {
    return std::string(1, static_cast<char>(value));
  };
  const std::string copy = "\x90" + byte(a.size());
  const std::string a_of_b = byte(b.size()) + byte(a.size()) + copy;
  const std::string b_of_a =
      byte(a.size()) + byte(b.size()) + copy + byte(7) + "second\n";
  std::string pack = std::string("PACK\0\0\0\2\0\0\0\3", 12) +
                     entry(7, a_of_b, b_id) + entry(7, b_of_a, a_id) +
                     entry(3, a, "");
  pack +=
      HexToRaw(TestFormat() == ObjectFormat::kSha1 ? Sha1(pack) : Sha256(pack));
  if (!repo_.TryGit({"index-pack", "--stdin"}, pack).ok()) {
    GTEST_SKIP() << "this version of Git makes no index of such a pack";
  }
  fs::remove(repo_.LooseObjectPath(a_id));
  fs::remove(repo_.LooseObjectPath(b_id));
  repo_.SetRef("refs/tags/b", b_id);
  const std::string file = dir_ / "file.zpack";
  const ProcessResult converted =
      RunZpack({"convert", "-q", repo_.path(), file});
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  ASSERT_TRUE(Repack({"-d", "-k"}).ok());
  EXPECT_EQ(repo_.Git({"cat-file", "blob", a_id}) + '\n', a);
  EXPECT_EQ(repo_.Git({"cat-file", "blob", b_id}) + '\n', b);
}

}  // namespace
}  // namespace zpack::testing
