// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A source that is damaged is refused: the object is named, and no file is
// made.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "git/repository_source.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

class CorruptSourceTest : public ::testing::Test {
 protected:
  CorruptSourceTest() : repo_(dir_ / "repo"), tip_(repo_.History(3)) {}

  // Replaces the file of a loose object.
  void Damage(const std::string& id, std::string_view file) const {
    WriteFile(repo_.LooseObjectPath(id), file);
  }

  // Refused, naming the object, with and without --reachable.
  void ExpectRefusedNaming(const std::string& id) const {
    ExpectRefused(repo_.path(), dir_, {id});
    ExpectRefused(repo_.path(), dir_, {id}, {"--reachable"});
    ExpectRefused(repo_.path(), dir_, {id}, {"--threads", "1"});
  }

  std::string Id(const std::string& revision) const {
    return repo_.Git({"rev-parse", revision});
  }

  std::string PackFile(std::string_view extension) const {
    const std::string directory = repo_.path() + "/objects/pack";
    for (const std::string& name : ListDirectory(directory)) {
      if (name.ends_with(extension)) return directory + '/' + name;
    }
    return "";
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
};

TEST_F(CorruptSourceTest, LooseGarbageIsNamed) {
  for (const char* const revision : {"main", "main^{tree}", "main:counter"}) {
    const std::string id = Id(revision);
    const std::string original = ReadFile(repo_.LooseObjectPath(id));
    Damage(id, "this is not zlib at all, but long enough to be tried");
    ExpectRefusedNaming(id);
    Damage(id, original);
  }
}

TEST_F(CorruptSourceTest, APackThatCannotBeOpenedIsTold) {
  repo_.PackAll();
  for (const char* const extension : {".pack", ".idx"}) {
    const std::string path = PackFile(extension);
    fs::rename(path, dir_ / "away");
    // Not permitted to anybody.
    fs::create_symlink(path, path);
    ExpectRefused(repo_.path(), dir_,
                  {path, extension == std::string(".pack")
                             ? "is a link that leads nowhere"
                             : "Too many levels of symbolic links"});
    fs::remove(path);
    fs::rename(dir_ / "away", path);
  }
}

TEST_F(CorruptSourceTest, EmptyLooseFileIsNamed) {
  const std::string id = Id("main~1:dir/file1.txt");
  Damage(id, "");
  ExpectRefusedNaming(id);
}

TEST_F(CorruptSourceTest, UnreachableLooseGarbageIsNamed) {
  const std::string id = repo_.WriteBlob("nobody needs this");
  Damage(id, "garbage");
  ExpectRefused(repo_.path(), dir_, {id});
  // What is not wanted does no harm.
  EXPECT_EQ(RunZpack({"convert", "-q", "--reachable", repo_.path(),
                      dir_ / "reachable.zpack"})
                .exit_code,
            0);
}

TEST_F(CorruptSourceTest, TruncatedLooseFileIsNamed) {
  const std::string id = Id("main:dir/file0.txt");
  const std::string file = ReadFile(repo_.LooseObjectPath(id));
  for (const size_t keep : {file.size() / 2, file.size() - 1}) {
    Damage(id, file.substr(0, keep));
    ExpectRefusedNaming(id);
  }
}

// Valid zlib with a valid header, but content of another object.
TEST_F(CorruptSourceTest, ContentOfAnotherObjectIsNamed) {
  const std::string blob = Id("main:counter");
  Damage(blob, ZlibCompress(std::string("blob 5\0wrong", 12)));
  ExpectRefusedNaming(blob);
}

TEST_F(CorruptSourceTest, TreeOfAnotherNameIsNamed) {
  const std::string tree = Id("main~1^{tree}");
  Damage(tree, ReadFile(repo_.LooseObjectPath(Id("main^{tree}"))));
  ExpectRefusedNaming(tree);
}

TEST_F(CorruptSourceTest, CommitOfAnotherNameIsNamed) {
  Damage(tip_, ReadFile(repo_.LooseObjectPath(Id("main~1"))));
  ExpectRefusedNaming(tip_);
}

TEST_F(CorruptSourceTest, TagOfAnotherNameIsNamed) {
  const std::string tag = repo_.WriteTag(tip_, "commit", "one");
  repo_.SetRef("refs/tags/one", tag);
  const std::string other = repo_.WriteTag(tip_, "commit", "other");
  Damage(tag, ReadFile(repo_.LooseObjectPath(other)));
  ExpectRefusedNaming(tag);
}

TEST_F(CorruptSourceTest, BlobStoredAsTreeIsNamed) {
  const std::string content = "content";
  const std::string blob = repo_.WriteBlob(content);
  repo_.SetRef("refs/tags/blob", blob);
  Damage(blob, ZlibCompress(std::string("tree 7\0", 7) + content));
  ExpectRefusedNaming(blob);
}

TEST_F(CorruptSourceTest, SizeInTheHeaderMustBeRight) {
  for (const char* const size : {"6", "8", "70000", "99999999999999"}) {
    const std::string blob = repo_.WriteBlob("content");
    repo_.SetRef("refs/tags/blob", blob);
    std::string bytes = std::string("blob ") + size;
    bytes += '\0';
    Damage(blob, ZlibCompress(bytes + "content"));
    ExpectRefusedNaming(blob);
  }
}

// As large as zlib could make of the file, so not refused for its size alone.
TEST_F(CorruptSourceTest, AnnouncedSizeIsNotAllocated) {
  const std::string tree = Id("main^{tree}");
  std::string bytes = "tree 1000000000";
  bytes += '\0';
  Damage(tree, ZlibCompress(bytes) + std::string(1 << 20, 'x'));
  const auto source = OpenRepository(repo_.path());
  ASSERT_TRUE(source.has_value());
  const auto id = ObjectId::FromHex(tree);
  ASSERT_TRUE(id.has_value());
  ASSERT_EQ((*source)->ReadInfo(*id)->size, 1'000'000'000U);
  Bytes content;
  const auto read = (*source)->Read(*id, content);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, ErrorCode::kSourceCorrupt);
  EXPECT_LT(content.capacity(), size_t{64} << 20);
  ExpectRefusedNaming(tree);
}

TEST_F(CorruptSourceTest, BytesAfterTheObjectAreNotIgnored) {
  const std::string blob = repo_.WriteBlob("content");
  repo_.SetRef("refs/tags/blob", blob);
  Damage(blob, ReadFile(repo_.LooseObjectPath(blob)) + "trailing garbage");
  // git fsck names it, so the restored repository could not be the same.
  const ProcessResult fsck = repo_.TryGit({"fsck", "--full"});
  if (fsck.ok()) {
    ExpectRoundTrip(repo_.path(), dir_);
  } else {
    const ProcessResult convert =
        RunZpack({"convert", "-q", repo_.path(), dir_ / "x.zpack"});
    // The object itself is intact: kept whole, or refused by name.
    if (convert.exit_code == 0) {
      EXPECT_EQ(RunZpack({"cat-file", "-p", dir_ / "x.zpack", blob}).out,
                "content");
    } else {
      EXPECT_THAT(convert.err, ::testing::HasSubstr(blob));
    }
  }
}

TEST_F(CorruptSourceTest, TypeThatGitDoesNotKnowIsNamed) {
  const std::string odd = repo_.WriteObject("gizmo", "content");
  ExpectRefused(repo_.path(), dir_, {odd});
}

TEST_F(CorruptSourceTest, FlippedBytesInAPackAreNamedOrDoNoHarm) {
  repo_.PackAll();
  const std::string file = dir_ / "x.zpack";
  const std::vector<std::string> convert = {"convert", "--force", repo_.path(),
                                            file};
  ASSERT_EQ(RunZpack(convert).exit_code, 0);
  const std::string undamaged = ReadFile(file);
  const std::string pack = PackFile(".pack");
  const std::string original = ReadFile(pack);
  int harmless = 0;
  // Behind the pack's header, before its hash.
  for (size_t at = 12; at + IdDigits() / 2 < original.size(); at += 37) {
    std::string damaged = original;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    WriteFile(pack, damaged);
    const ProcessResult result = RunZpack(convert);
    EXPECT_EQ(ReadFile(file), undamaged) << "byte " << at;
    if (result.exit_code == 0) {
      ++harmless;
      continue;
    }
    EXPECT_EQ(result.exit_code, 128) << "byte " << at << '\n'
                                     << ::testing::PrintToString(result);
    EXPECT_THAT(result.err, ::testing::ContainsRegex("[0-9a-f]{40}"));
  }
  // Some bits of a zlib stream mean nothing; few.
  EXPECT_LE(harmless, 3);
}

TEST_F(CorruptSourceTest, TruncatedPackIsRefused) {
  repo_.PackAll();
  const std::string pack = PackFile(".pack");
  WriteFile(pack, ReadFile(pack).substr(0, 200));
  ExpectRefused(repo_.path(), dir_, {"object "});
}

TEST_F(CorruptSourceTest, IndexWithoutPackIsRefused) {
  repo_.PackAll();
  fs::remove(PackFile(".pack"));
  ExpectRefused(repo_.path(), dir_, {});
}

TEST_F(CorruptSourceTest, PackWithoutIndexIsRefused) {
  repo_.PackAll();
  fs::remove(PackFile(".idx"));
  ExpectRefused(repo_.path(), dir_, {tip_});
}

TEST_F(CorruptSourceTest, UnreachablePackWithBrokenIndexIsNotDropped) {
  const RepoBuilder other(dir_ / "other");
  other.WriteBlob("only in the pack with the broken index");
  other.PackAll();
  for (const std::string& name :
       ListDirectory(other.path() + "/objects/pack")) {
    fs::copy(other.path() + "/objects/pack/" + name,
             repo_.path() + "/objects/pack/" + name);
  }
  const std::string index = PackFile(".idx");
  ASSERT_EQ(
      RunZpack({"convert", "-q", repo_.path(), dir_ / "x.zpack"}).exit_code, 0);
  const std::string original = ReadFile(index);
  WriteFile(index, original.substr(0, original.size() / 2));
  ExpectRefused(repo_.path(), dir_, {});
  std::string damaged = original;
  damaged[0] = 'X';
  WriteFile(index, damaged);
  ExpectRefused(repo_.path(), dir_, {});
}

TEST_F(CorruptSourceTest, DamagedIdInAnIndexIsNoticed) {
  repo_.PackAll();
  const std::string index = PackFile(".idx");
  std::string damaged = ReadFile(index);
  damaged[8 + 1024 + 19] ^= 1;  // the last byte of the first id
  WriteFile(index, damaged);
  ExpectRefused(repo_.path(), dir_, {});
}

TEST_F(CorruptSourceTest, DamagedCopyNextToAGoodOneIsRefusedOrIgnored) {
  const std::string id = Id("main:counter");
  repo_.Git({"repack", "-q", "-a"});
  Damage(id, "garbage");
  // Git reads the packed copy and does not mind the loose one.
  ASSERT_TRUE(repo_.TryGit({"cat-file", "-p", id}).ok());
  const ProcessResult result =
      RunZpack({"convert", repo_.path(), dir_ / "x.zpack"});
  if (result.exit_code == 0) {
    EXPECT_EQ(RunZpack({"cat-file", "-p", dir_ / "x.zpack", id}).out, "2\n");
  } else {
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err, ::testing::HasSubstr(id));
  }
}

TEST_F(CorruptSourceTest, OldFileSurvivesADamagedSource) {
  const std::string file = dir_ / "kept.zpack";
  ASSERT_EQ(RunZpack({"convert", "-q", repo_.path(), file}).exit_code, 0);
  const std::string before = ReadFile(file);
  Damage(Id("main:counter"), "garbage");
  EXPECT_EQ(RunZpack({"convert", "--force", repo_.path(), file}).exit_code,
            128);
  EXPECT_EQ(ReadFile(file), before);
  EXPECT_THAT(ListDirectory(dir_.path()),
              ::testing::ElementsAre("kept.zpack", "repo"));
}

}  // namespace
}  // namespace zpack::testing
