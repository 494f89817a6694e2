// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Packs as git writes them, object by object against what was put in.

#include "pack/pack_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "object/object_hasher.h"
#include "pack/pack_lookup.h"
#include "support/deltas.h"
#include "support/fault_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack {
namespace {

using testing::HasCode;
using testing::IsOk;
using testing::ReadFile;
using testing::RepoBuilder;
using testing::TempDir;
using testing::ToBytes;

ObjectId HashOf(ObjectType type, ByteView content) {
  return ObjectHasher(testing::TestFormat()).Hash(type, content);
}

class PackReaderTest : public ::testing::Test {
 protected:
  PackReaderTest() : repo_(dir_ / "repo") {
    repo_.History(30);
    // Versions of one text, which become a chain of deltas.
    std::string text = testing::RawToHex(testing::RandomBytes(1, 3000));
    for (int i = 0; i < 40; ++i) {
      text = text.substr(200) + testing::RawToHex(testing::RandomBytes(
                                    static_cast<uint64_t>(i), 100));
      repo_.WriteBlob(text);
    }
    repo_.WriteBlob("");
    repo_.WriteTag(repo_.Git({"rev-parse", "main"}), "commit", "v1");
  }

  // Packs everything with these options; returns the path without extension.
  std::string Pack(const std::vector<std::string>& options) const {
    std::vector<std::string> command = {"pack-objects", "-q", "--window=20"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back(dir_ / "pack");
    const std::string ids = repo_.Git(
        {"cat-file", "--batch-all-objects", "--batch-check=%(objectname)"});
    return dir_ / ("pack-" + repo_.Git(command, ids + '\n'));
  }

  // Takes no more memory than there is content, whatever size is announced.
  static bool ReadsInPieces(const PackReader& reader, PackRank rank,
                            Bytes& content) {
    const auto stream = reader.OpenStream(rank);
    if (!stream) return false;
    uint64_t left = reader.Info(rank).size;
    do {
      Bytes piece(std::min<uint64_t>(left, 1000));
      if (!(*stream)->Read(piece)) return false;
      content.insert(content.end(), piece.begin(), piece.end());
      left -= piece.size();
    } while (left > 0);
    return true;
  }

  // That the other way to read the pack gives the same.
  static void ExpectSame(const PackLookup& lookup, PackRank rank,
                         const Bytes& content) {
    Bytes same;
    const auto type = lookup.Read(rank, same);
    ASSERT_THAT(type, IsOk());
    EXPECT_EQ(same, content);
    const auto info = lookup.ReadInfo(rank);
    ASSERT_THAT(info, IsOk());
    EXPECT_EQ(info->type, *type);
    EXPECT_EQ(info->size, content.size());
    const auto stream = lookup.OpenStream(rank);
    ASSERT_THAT(stream, IsOk());
    Bytes pieces(content.size());
    ASSERT_THAT((*stream)->Read(pieces), IsOk());
    EXPECT_EQ(pieces, content);
  }

  void ExpectReadsAll(const std::string& path) const {
    const auto reader =
        PackReader::Open(testing::TestFormat(), PosixFileSystem(), path);
    ASSERT_THAT(reader, IsOk());
    auto index =
        ReadPackIndex(testing::TestFormat(), PosixFileSystem(), path + ".idx");
    ASSERT_THAT(index, IsOk());
    auto file = PosixFileSystem().OpenForRead(path + ".pack");
    ASSERT_THAT(file, IsOk());
    const auto lookup = PackLookup::Create(*std::move(index), *std::move(file),
                                           uint64_t{1} << 30);
    ASSERT_THAT(lookup, IsOk());
    const PackIds& ids = (*reader)->ids();
    ASSERT_GT(ids.size(), 100U);
    for (const PackRank rank : ids.ranks()) {
      Bytes content;
      ASSERT_THAT((*reader)->Read(rank, content), IsOk());
      const ObjectInfo info = (*reader)->Info(rank);
      EXPECT_EQ(info.size, content.size());
      EXPECT_EQ(HashOf(info.type, content), ids[rank]);
      ExpectSame(**lookup, rank, content);
    }
  }

  TempDir dir_;
  RepoBuilder repo_;
};

TEST_F(PackReaderTest, ReadsDeltasByOffset) {
  const std::string path = Pack({"--delta-base-offset"});
  // Otherwise this would test little.
  EXPECT_THAT(repo_.Git({"verify-pack", "-v", path + ".pack"}),
              ::testing::HasSubstr("chain length = 5"));
  ExpectReadsAll(path);
}

TEST_F(PackReaderTest, ReadsDeltasByReference) { ExpectReadsAll(Pack({})); }

TEST_F(PackReaderTest, ReadsOffsetsOf64Bits) {
  ExpectReadsAll(Pack({"--delta-base-offset", "--index-version=2,0x40"}));
}

TEST_F(PackReaderTest, ReadsFromSeveralThreads) {
  const std::string path = Pack({"--delta-base-offset"});
  const auto reader =
      PackReader::Open(testing::TestFormat(), PosixFileSystem(), path);
  ASSERT_THAT(reader, IsOk());
  const auto read_all = [&] {
    for (const PackRank rank : (*reader)->ids().ranks()) {
      Bytes content;
      ASSERT_THAT((*reader)->Read(rank, content), IsOk());
      EXPECT_EQ(HashOf((*reader)->Info(rank).type, content),
                (*reader)->ids()[rank]);
    }
  };
  std::jthread other(read_all);
  read_all();
}

// Threads read the offsets of entries for which others set what they found.
TEST_F(PackReaderTest, ScansALargePackOnSeveralThreads) {
  std::string input;
  for (int i = 0; i < 9000; ++i) {
    const std::string text =
        "what the blobs of this pack share, " + std::to_string(i) + '\n';
    input += "blob\ndata " + std::to_string(text.size()) + '\n' + text;
  }
  repo_.Git({"fast-import", "--quiet"}, input);
  std::string path;
  for (const std::string& name :
       testing::ListDirectory(repo_.path() + "/objects/pack")) {
    if (!name.ends_with(".pack")) continue;
    path = repo_.path() + "/objects/pack/" + name.substr(0, name.size() - 5);
  }
  const auto open = [&](unsigned threads) {
    return PackReader::Open(testing::TestFormat(), PosixFileSystem(), path,
                            std::make_shared<BaseCache>(), threads);
  };
  const auto one = open(1);
  const auto four = open(4);
  ASSERT_THAT(one, IsOk());
  ASSERT_THAT(four, IsOk());
  ASSERT_EQ((*four)->ids().size(), 9000U);
  size_t deltas = 0;
  for (const PackRank rank : (*one)->ids().ranks()) {
    EXPECT_EQ((*four)->Info(rank), (*one)->Info(rank));
    EXPECT_EQ((*four)->Base(rank), (*one)->Base(rank));
    deltas += (*one)->IsWhole(rank) ? 0 : 1;
  }
  EXPECT_GT(deltas, 4000U);
}

TEST_F(PackReaderTest, ReadsOldIndexes) {
  ExpectReadsAll(Pack({"--index-version=1"}));
}

TEST_F(PackReaderTest, StreamsWhatIsStoredWhole) {
  const std::string large = testing::RandomBytes(3, (5 << 20) + 7);
  repo_.WriteBlob(large);
  repo_.WriteBlob(std::string(3 << 20, 'z'));
  const std::string path = Pack({"--delta-base-offset"});
  const auto reader =
      PackReader::Open(testing::TestFormat(), PosixFileSystem(), path);
  ASSERT_THAT(reader, IsOk());
  uint32_t deltas = 0;
  for (const PackRank at : (*reader)->ids().ranks()) {
    if (!(*reader)->IsWhole(at)) {
      ++deltas;
      continue;
    }
    const ObjectInfo info = (*reader)->Info(at);
    const auto stream = (*reader)->OpenStream(at);
    ASSERT_THAT(stream, IsOk());
    EXPECT_EQ((*stream)->info().size, info.size);
    Bytes content(info.size);
    for (size_t done = 0; done < content.size();) {
      const size_t size = std::min<size_t>(content.size() - done, 70001);
      ASSERT_THAT((*stream)->Read(std::span(content).subspan(done, size)),
                  IsOk());
      done += size;
    }
    EXPECT_EQ(HashOf(info.type, content), (*reader)->ids()[at]);
    uint8_t more = 0;
    EXPECT_THAT((*stream)->Read({&more, 1}), HasCode(ErrorCode::kCorrupt));
  }
  EXPECT_GT(deltas, 10U);
}

TEST_F(PackReaderTest, AReadThatFailsIsNoDamage) {
  const std::string path = Pack({"--delta-base-offset"});
  int fail_at = 0;
  for (;; ++fail_at) {
    testing::FaultFileSystem file_system(
        fail_at, testing::FaultFileSystem::Fault::kError);
    const auto reader =
        PackReader::Open(testing::TestFormat(), file_system, path);
    if (file_system.failed().empty()) break;
    EXPECT_THAT(reader, HasCode(ErrorCode::kIo)) << file_system.failed();
  }
  EXPECT_GT(fail_at, 5);
}

// Whatever byte is wrong: no crash, and nothing is read with another size than
// was announced. Wrong content is found by whoever hashes it.
TEST_F(PackReaderTest, TakesDamageCalmly) {
  const std::string path = Pack({"--delta-base-offset"});
  const std::string index = ReadFile(path + ".idx");
  const std::string pack = ReadFile(path + ".pack");
  uint64_t refused = 0;
  const auto read = [&](const std::string& index_bytes,
                        const std::string& pack_bytes) {
    auto decoded = ReadPackIndex(testing::TestFormat(),
                                 testing::MemoryFile(ToBytes(index_bytes)));
    if (!decoded) return void(++refused);
    const auto reader = PackReader::Create(
        *std::move(decoded),
        std::make_unique<testing::MemoryFile>(ToBytes(pack_bytes)));
    if (!reader) return void(++refused);
    for (const PackRank rank : (*reader)->ids().ranks()) {
      Bytes content;
      const bool whole = static_cast<bool>((*reader)->Read(rank, content));
      if (!whole) {
        ++refused;
      } else {
        EXPECT_EQ((*reader)->Info(rank).size, content.size());
      }
      if (!(*reader)->IsWhole(rank)) continue;
      // Where it cannot be read whole, it ends in an error here, too.
      Bytes streamed;
      EXPECT_EQ(whole, ReadsInPieces(**reader, rank, streamed));
      if (whole) {
        EXPECT_EQ(streamed, content);
      }
    }
  };
  const auto flip = [](std::string bytes, size_t at) {
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    return bytes;
  };
  for (size_t at = 0; at < pack.size(); at += 37) read(index, flip(pack, at));
  for (size_t at = 0; at < index.size(); at += 41) read(flip(index, at), pack);
  for (size_t size = 0; size < pack.size(); size += 501) {
    read(index, pack.substr(0, size));
  }
  for (size_t size = 0; size < index.size(); size += 97) {
    read(index.substr(0, size), pack);
  }
  // Git does not put an index in the place of another one.
  std::filesystem::remove(path + ".idx");
  const std::string old =
      ReadFile(Pack({"--delta-base-offset", "--index-version=1"}) + ".idx");
  for (size_t at = 0; at < old.size(); at += 41) read(flip(old, at), pack);
  for (size_t size = 0; size < old.size(); size += 97) {
    read(old.substr(0, size), pack);
  }
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace zpack
