// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Damages a small file at every offset, and cuts it off at every length. Every
// way must be found by verify, and no reader may crash, hang or return a wrong
// object.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "convert/convert_source.h"
#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "reader/object_locator.h"
#include "reader/object_reader.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/repair.h"
#include "support/repo_builder.h"
#include "support/sample_file.h"
#include "support/sweep_step.h"
#include "support/temp_dir.h"
#include "verify/verify_archive.h"
#include "zpack/convert.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

// A file with blocks of whole objects and of deltas, a segmented object, refs
// and a shallow boundary.
Bytes SmallFile(MemorySource& source) {
  for (const std::string& version : SampleVersions()) source.AddBlob(version);
  // More than eight blocks.
  std::string large;
  while (large.size() < 33000) large += std::to_string(large.size() / 3000);
  source.Add(ObjectType::kTag, large);
  source.refs.shallow = {source.refs.Resolve("HEAD")};
  return FileOf(source, 4096);
}

// True when the file passes every check.
bool Verifies(const Bytes& bytes) {
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
  if (!archive) return false;
  RunOptions run;
  run.threads = 1;
  VerifyReport report;
  const Status status = VerifyArchive(
      **archive, {.level = VerifyLevel::kConnectivity}, run, report);
  return status && report.ok();
}

// Reads every object that the file says it has; each must be right or an
// error.
void ReadEverything(const Bytes& bytes, const MemorySource& source) {
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
  if (!archive) return;
  ObjectReader reader(**archive);
  Bytes content;
  for (const FileRank rank : (*archive)->ids().ranks()) {
    const auto type =
        reader.Read((*archive)->number(rank), (*archive)->ids()[rank], content);
    if (!type) continue;
    const auto object = source.objects().find((*archive)->ids()[rank]);
    ASSERT_NE(object, source.objects().end()) << "an id that never was";
    EXPECT_EQ(object->second.type, *type);
    EXPECT_EQ(object->second.content, AsText(content));
  }
}

TEST(Sweep, TheFileHasBlocksOfEveryKind) {
  MemorySource source = SampleHistory(4);
  const auto archive = ArchiveFile::Open(
      std::make_unique<MemoryFile>(SmallFile(source)), ReadOptions{});
  ASSERT_TRUE(archive) << archive.error().message;
  std::set<format::BlockKind> kinds;
  size_t bases = 0;
  uint64_t copies = 0;  // at least
  BlockDecoder decoder;
  for (size_t i = 0; i < (*archive)->blocks().block_count(); ++i) {
    const auto block = decoder.Decode((*archive)->blocks(), i);
    ASSERT_TRUE(block) << block.error().message;
    kinds.insert(block->objects.header.kind);
    if (block->deltas() == nullptr) continue;
    for (uint32_t j = 0; j < block->deltas()->count(); ++j) {
      bases += block->deltas()->base(j) ? 1 : 0;
    }
    const auto view = decoder.Load((*archive)->blocks(), i);
    ASSERT_TRUE(view);
    copies += view->Find(format::StreamKind::kCopyLengths)->header.raw_size / 2;
  }
  EXPECT_EQ(kinds.size(), 5U);
  EXPECT_GE(bases, 3U);
  EXPECT_GT(copies, bases) << "some deltas have several";
}

TEST(Sweep, TheUndamagedFileIsRight) {
  MemorySource source = SampleHistory(4);
  const Bytes good = SmallFile(source);
  EXPECT_TRUE(Verifies(good));
  ReadEverything(good, source);
  EXPECT_LT(good.size(), 16384U) << "sweeps are quadratic in this";
}

TEST(Sweep, AFlipOfAnyByteIsFoundAndDoesNoHarm) {
  MemorySource source = SampleHistory(4);
  const Bytes good = SmallFile(source);
  for (size_t offset = 0; offset < good.size(); offset += kSweepStep) {
    for (const uint8_t mask :
         {uint8_t{0xff}, static_cast<uint8_t>(1 << offset % 8)}) {
      Bytes bad = good;
      bad[offset] ^= mask;
      ASSERT_FALSE(Verifies(bad)) << "offset " << offset;
      ReadEverything(bad, source);
    }
  }
}

// Among them are blocks that continue other ones.
TEST(Sweep, AFlipOfAnyByteOfAFileWithGroupsIsFoundAndDoesNoHarm) {
  MemorySource source = SampleHistory(4);
  for (int blob = 1; blob <= 8; ++blob) {
    std::string text;
    for (int line = 1; line <= 250; ++line) {
      text += std::to_string(line * line % 83 * blob) + " of a line\n";
    }
    source.AddBlob(text);
  }
  const Bytes good = FileOf(source, 4096, Profile::kCold);
  EXPECT_TRUE(Verifies(good));
  ReadEverything(good, source);
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(good), ReadOptions{});
  ASSERT_TRUE(archive);
  BlockDecoder decoder;
  size_t continuing = 0;
  for (size_t i = 0; i < (*archive)->blocks().block_count(); ++i) {
    const auto view = decoder.Load((*archive)->blocks(), i);
    ASSERT_TRUE(view);
    continuing += view->header.group.blocks != 0 ? 1 : 0;
  }
  EXPECT_GE(continuing, 2U);
  for (size_t offset = 0; offset < good.size(); offset += kSweepStep) {
    Bytes bad = good;
    bad[offset] ^= static_cast<uint8_t>(1 << offset % 8);
    ASSERT_FALSE(Verifies(bad)) << "offset " << offset;
    ReadEverything(bad, source);
  }
}

// The file of a small repository with SHA-256 objects.
Bytes Sha256File() {
  const TempDir directory;
  const std::string path = directory / "work";
  fs::create_directories(path);
  EXPECT_TRUE(RunGit({"init", "-q", "--object-format=sha256"}, path).ok());
  const RepoBuilder repo = RepoBuilder::Existing(path);
  std::string text;
  for (int i = 0; i < 4; ++i) {
    for (int line = 0; line < 30; ++line) text += std::to_string(line * i);
    WriteFile(path + "/dir/text", text);
    WriteFile(path + "/counter", std::to_string(i));
    repo.Git({"add", "."});
    repo.Git({"commit", "-q", "-m", "commit " + std::to_string(i)});
  }
  repo.Git({"tag", "-a", "-m", "a tag", "v1"});
  ConvertOptions options;
  options.run.threads = 1;
  const auto stats = Convert(path, directory / "a.zpack", options);
  EXPECT_TRUE(stats) << stats.error().message;
  return *ReadWholeFile(PosixFileSystem(), directory / "a.zpack", 1 << 20);
}

TEST(Sweep, AFlipOfAnyByteOfASha256FileIsFound) {
  const Bytes good = Sha256File();
  ASSERT_TRUE(Verifies(good));
  for (size_t offset = 0; offset < good.size(); offset += kSweepStep) {
    Bytes bad = good;
    bad[offset] ^= static_cast<uint8_t>(1 << offset % 8);
    ASSERT_FALSE(Verifies(bad)) << "offset " << offset;
  }
}

TEST(Sweep, AHostileByteUnderARightChecksumIsFoundAndDoesNoHarm) {
  MemorySource source = SampleHistory(4);
  const Bytes good = SmallFile(source);
  for (size_t offset = 0; offset < good.size(); offset += kSweepStep) {
    for (const uint8_t value : {uint8_t{0x00}, uint8_t{0x7f}, uint8_t{0xff}}) {
      Bytes bad = good;
      bad[offset] = value;
      RepairChecksums(bad);
      // Bits that no reader looks at change nothing, but the file hash.
      if (bad != good) {
        ASSERT_FALSE(Verifies(bad)) << "offset " << offset;
      }
      ReadEverything(bad, source);
    }
  }
}

// Looks every object up without loading the index. Each answer must be right,
// or an error that says what is wrong; that something is not there, of which
// `bytes` are no proof, is no answer.
void LookEverythingUp(const Bytes& bytes, const MemorySource& source) {
  const auto archive = ArchiveFile::OpenWithoutIndex(
      std::make_unique<MemoryFile>(bytes), ReadOptions{});
  ASSERT_TRUE(archive) << archive.error().message;
  ObjectLocator locator(**archive);
  ObjectReader reader(**archive);
  const auto corrupt = [](const auto& result) {
    return !result && result.error().code == ErrorCode::kCorrupt;
  };
  Bytes content;
  for (const auto& [id, object] : source.objects()) {
    const Status contains = locator.Contains(id);
    EXPECT_TRUE(contains || corrupt(contains));
    if (const auto number = locator.Find(id)) {
      const auto type = reader.Read(*number, id, content);
      EXPECT_TRUE(corrupt(type) || AsText(content) == object.content);
    } else {
      EXPECT_TRUE(corrupt(number));
    }
    if (const auto number = locator.FindChecked(id)) {
      const auto info = reader.ReadInfo(*number);
      EXPECT_TRUE(corrupt(info) ||
                  *info == (ObjectInfo{object.type, object.content.size()}));
    } else {
      EXPECT_TRUE(corrupt(number));
    }
    const auto matches = locator.FindPrefix(id.ToHex().substr(0, 10), 2);
    EXPECT_TRUE(corrupt(matches) || matches->first == std::vector{id});
  }
  EXPECT_TRUE(corrupt(locator.Contains(ObjectId(Bytes(20, 0x5a)))));
  EXPECT_TRUE(corrupt(locator.FindPrefix("5a5a5a5a5a", 1)));
}

TEST(Sweep, AFlipInTheIndexMakesNoWrongAnswer) {
  MemorySource source = SampleHistory(4);
  const Bytes good = SmallFile(source);
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(good), ReadOptions{});
  ASSERT_TRUE(archive) << archive.error().message;
  const auto& [ids, numbers] = *(*archive)->top().index_chunks();
  for (const format::ChunkLocation& chunk : {ids, numbers}) {
    for (size_t offset = chunk.offset; offset < chunk.end();
         offset += kSweepStep) {
      for (const uint8_t mask :
           {uint8_t{0xff}, static_cast<uint8_t>(1 << offset % 8)}) {
        Bytes bad = good;
        bad[offset] ^= mask;
        LookEverythingUp(bad, source);
        ASSERT_FALSE(::testing::Test::HasFailure()) << "offset " << offset;
      }
    }
  }
}

TEST(Sweep, ACutAtAnyLengthIsFound) {
  MemorySource source = SampleHistory(4);
  const Bytes good = SmallFile(source);
  for (size_t size = 0; size < good.size(); ++size) {
    const Bytes bad(good.begin(), good.begin() + static_cast<ptrdiff_t>(size));
    ASSERT_FALSE(Verifies(bad)) << "size " << size;
  }
}

TEST(Sweep, ExtraBytesAtTheEndAreFound) {
  MemorySource source = SampleHistory(4);
  Bytes bad = SmallFile(source);
  bad.push_back(0);
  EXPECT_FALSE(Verifies(bad));
}

TEST(Sweep, DamagedBaseIsAnErrorOrMakesNoDifference) {
  MemorySource source = SampleHistory(3);
  // A block that is renumbered.
  const ObjectId outside = *ObjectId::FromHex(std::string(40, '7'));
  source.AddTree({{"160000", "module", outside}});
  const Bytes old_file = SmallFile(source);
  source.AddBlob("new");
  const TempDir directory;
  const std::string base = directory / "base.zpack";
  const std::string path = directory / "new.zpack";
  ConvertOptions options;
  options.run.threads = 1;
  options.block_size = 4096;
  options.overwrite = Overwrite::kYes;
  options.base = base;
  const auto convert = [&](const Bytes& bytes) {
    WriteFile(base, std::string(bytes.begin(), bytes.end()));
    return ConvertSource([&](SourceUse) { return source.Open(); },
                         PosixFileSystem(), path, options);
  };
  const auto sound = convert(old_file);
  ASSERT_TRUE(sound) << sound.error().message;
  EXPECT_EQ(sound->reused.renumbered_blocks, 1U);
  const std::string expected = ReadFile(path);
  // What is not read: the two digests, and copies of what is whole.
  const auto base_archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(old_file), ReadOptions{});
  ASSERT_TRUE(base_archive);
  const auto& copies = *(*base_archive)->toc().Find(format::kCopiesChunk);
  const auto is_unread = [&](uint64_t offset) {
    return offset >= old_file.size() - 64 ||
           (offset >= copies.offset && offset < copies.end());
  };
  // Every part of the file is longer than that.
  constexpr size_t kStep = 3;
  for (size_t offset = 0; offset < old_file.size(); offset += kStep) {
    Bytes damaged = old_file;
    damaged[offset] ^= 1U << (offset % 8);
    const auto stats = convert(damaged);
    if (!stats) {
      EXPECT_NE(stats.error().message.find(base), std::string::npos)
          << stats.error().message;
      continue;
    }
    EXPECT_TRUE(is_unread(offset)) << "offset " << offset;
    EXPECT_TRUE(ReadFile(path) == expected) << "offset " << offset;
  }
}

}  // namespace
}  // namespace zpack::testing
