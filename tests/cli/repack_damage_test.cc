// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'repack -d' of what is damaged or odd, but all there: as Git, it takes the
// copy that is sound.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "codec/deflate.h"
#include "pack/pack_writer.h"
#include "support/pack_entries.h"
#include "support/repack_fixture.h"
#include "zpack/repack.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::SizeIs;

class RepackDamageTest : public RepackFixture {
 protected:
  // Offsets of the entries in a pack, ascending.
  std::vector<size_t> Offsets(const std::string& pack) const {
    std::vector<size_t> offsets;
    for (const ListedEntry& entry :
         EntriesOf(repo_, pack_directory() + '/' + pack)) {
      offsets.push_back(entry.offset);
    }
    return offsets;
  }

  // One entry of the pack after the other is damaged, at its beginning or in
  // its middle; nothing is lost.
  void ExpectOtherCopiesAreUsed(const std::string& pack) const {
    const std::string saved = dir_ / "saved";
    fs::copy(repo_.path(), saved, fs::copy_options::recursive);
    const std::string bytes =
        ReadFile(saved + "/objects/pack/" + pack + ".pack");
    const RepositoryState state = ReadState(repo_.path());
    const std::vector<size_t> offsets = Offsets(pack);
    ASSERT_GT(offsets.size(), 5U);
    for (size_t i = 0; i < offsets.size(); ++i) {
      SCOPED_TRACE("entry " + std::to_string(i));
      fs::remove_all(repo_.path());
      fs::copy(saved, repo_.path(), fs::copy_options::recursive);
      const size_t end = i + 1 < offsets.size() ? offsets[i + 1]
                                                : bytes.size() - IdDigits() / 2;
      const size_t at =
          i % 2 == 0 ? offsets[i] : offsets[i] + (end - offsets[i]) / 2;
      std::string damaged = bytes;
      damaged[at] ^= 0x10;
      WriteFile(pack_directory() + '/' + pack + ".pack", damaged);
      RepackOptions options;
      options.redundant = Redundant::kRemove;
      options.run.threads = 1;
      const auto stats = zpack::Repack(repo_.path(), options);
      EXPECT_TRUE(stats) << stats.error().message;
      EXPECT_THAT(Packs(), SizeIs(1));
      if (i % 4 == 0) {
        EXPECT_TRUE(repo_.TryGit({"fsck", "--full"}).ok());
      }
    }
    EXPECT_EQ(ReadState(repo_.path()), state);
  }
};

// Puts the objects of another repository as loose ones beside the packs.
void CopyLooseObjects(const RepoBuilder& from, const RepoBuilder& to) {
  for (const auto& entry :
       fs::directory_iterator(from.git_dir() + "/objects")) {
    const std::string name = entry.path().filename().string();
    if (name.size() != 2) continue;
    fs::copy(
        entry.path(), to.git_dir() + "/objects/" + name,
        fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
}

TEST_F(RepackDamageTest, LooseCopyOfADamagedEntryIsUsed) {
  repo_.History(2);
  const RepoBuilder loose(dir_ / "loose");
  loose.History(2);
  repo_.PackAll();
  const std::string pack = Packs().at(0);
  CopyLooseObjects(loose, repo_);
  ExpectOtherCopiesAreUsed(pack);
}

TEST_F(RepackDamageTest, CopyInAnotherPackIsUsed) {
  repo_.History(2);
  repo_.Git({"repack", "-q", "-a", "-d"});
  const std::string pack = Packs().at(0);
  const std::string bytes = ReadFile(pack_directory() + '/' + pack + ".pack");
  const std::string index = ReadFile(pack_directory() + '/' + pack + ".idx");
  // Git finds no deltas this time.
  repo_.Git({"repack", "-q", "-a", "-d", "-F", "--depth=0"});
  ASSERT_NE(Packs().at(0), pack);
  WriteFile(pack_directory() + '/' + pack + ".pack", bytes);
  WriteFile(pack_directory() + '/' + pack + ".idx", index);
  ExpectOtherCopiesAreUsed(pack);
}

// A new one would be larger, but has what only loose objects have.
TEST_F(RepackDamageTest, SmallerPackThatIsDamagedDoesNotStay) {
  repo_.History(30);
  ASSERT_TRUE(Repack({"-d", "-F", "--level=12"}).ok());
  const std::string old = Packs().at(0);
  const RepoBuilder loose(dir_ / "loose");
  loose.History(30);
  CopyLooseObjects(loose, repo_);
  const std::string saved = dir_ / "saved";
  fs::copy(repo_.path(), saved, fs::copy_options::recursive);
  const std::vector<size_t> offsets = Offsets(old);
  for (const size_t i : {size_t{3}, offsets.size() / 2, offsets.size() - 2}) {
    fs::remove_all(repo_.path());
    fs::copy(saved, repo_.path(), fs::copy_options::recursive);
    const std::string path = pack_directory() + '/' + old + ".pack";
    std::string bytes = ReadFile(path);
    bytes.at((offsets[i] + offsets[i + 1]) / 2) ^= 0x10;
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    WriteFile(path, bytes);
    ASSERT_TRUE(Repack({"-d", "-F", "--level=1", "--window=1"}).ok());
    EXPECT_THAT(Packs(), ::testing::Not(::testing::Contains(old)));
    EXPECT_TRUE(repo_.TryGit({"fsck", "--full"}).ok());
  }
}

TEST_F(RepackDamageTest, KeptPackThatIsCutOffIsNotReliedOn) {
  repo_.History(5);
  ASSERT_TRUE(Repack({"-d"}).ok());
  const std::string kept = pack_directory() + '/' + Packs().at(0);
  WriteFile(kept + ".keep", "");
  const RepoBuilder loose(dir_ / "loose");
  loose.History(5);
  CopyLooseObjects(loose, repo_);
  std::string bytes = ReadFile(kept + ".pack");
  fs::permissions(kept + ".pack", fs::perms::owner_write,
                  fs::perm_options::add);
  WriteFile(kept + ".pack", bytes.substr(0, bytes.size() / 2));
  ASSERT_TRUE(Repack({"-d"}).ok());
  fs::remove(kept + ".idx");
  fs::remove(kept + ".pack");
  EXPECT_TRUE(repo_.TryGit({"fsck", "--full"}).ok());
}

// The delta itself has no other copy.
TEST_F(RepackDamageTest, DeltaOnADamagedBaseIsReadOnTheOtherCopyOfThat) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i * i) + '\n';
  const RepoBuilder loose(dir_ / "loose");
  for (const std::string& content : {text, text + "more\n"}) {
    const std::string id = repo_.WriteBlob(content);
    repo_.SetRef("refs/tags/" + id, id);
    loose.WriteBlob(content);
  }
  repo_.Git({"repack", "-q", "-a", "-d"});
  const std::string name = pack_directory() + '/' + Packs().at(0);
  std::string base;
  size_t offset = 0;
  for (const ListedEntry& entry : EntriesOf(repo_, name)) {
    if (entry.type != "blob" || !entry.base.empty()) continue;
    base = entry.id;
    offset = entry.offset + entry.stored / 2;
  }
  ASSERT_EQ(LongestChain(Packs().at(0)), 1U);
  std::string bytes = ReadFile(name + ".pack");
  bytes.at(offset) ^= 0x10;
  fs::permissions(name + ".pack", fs::perms::owner_write,
                  fs::perm_options::add);
  WriteFile(name + ".pack", bytes);
  const std::string copy = repo_.LooseObjectPath(base);
  fs::create_directories(DirectoryOf(copy));
  fs::copy_file(loose.LooseObjectPath(base), copy);
  // Otherwise the delta is copied, and nobody reads what it makes.
  const ProcessResult result = Repack({"-d", "-F"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_TRUE(repo_.TryGit({"fsck", "--full"}).ok());
}

TEST_F(RepackDamageTest, ObjectThatIsTwiceInOnePack) {
  const std::string head = repo_.History(3);
  const std::string text = "twice\n";
  const std::string id = HashObject("blob", text);
  repo_.PackAll();
  auto writer =
      PackWriter::Create(TestFormat(), PosixFileSystem(), pack_directory(), 3);
  Require(writer.has_value(), "pack writer");
  for (const std::string& content : {text, std::string("once\n"), text}) {
    Bytes stream;
    StreamDeflater deflater([&](ByteView piece) -> Status {
      Append(stream, piece);
      return {};
    });
    Require(deflater.Append(AsBytes(content)) && deflater.Finish(), "deflate");
    const ObjectId object = *ObjectId::FromHex(HashObject("blob", content));
    Require((*writer)
                ->Add(object, {ObjectType::kBlob, content.size()}, stream)
                .has_value(),
            "entry");
  }
  Require((*writer)->Finish() && (*writer)->Publish(), "publish");
  writer->reset();
  repo_.SetRef("refs/tags/twice", id);
  ASSERT_THAT(Packs(), SizeIs(2));
  const std::string copy = dir_ / "copy";
  fs::copy(repo_.path(), copy, fs::copy_options::recursive);
  ASSERT_TRUE(RunGit({"repack", "-q", "-a", "-d"}, copy).ok());
  const ProcessResult result = Repack({"-d"});
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
  EXPECT_THAT(Packs(), SizeIs(1));
  EXPECT_EQ(ReadState(repo_.path()), ReadState(copy));
  EXPECT_EQ(repo_.Git({"cat-file", "blob", id}) + '\n', text);
}

}  // namespace
}  // namespace zpack::testing
