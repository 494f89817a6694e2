// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Damages the parts of which a file has a copy: one of the two suffices to read
// everything, and damage to both is found.

#include "format/copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "reader/archive_file.h"
#include "reader/file_structure.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/sample_file.h"
#include "verify/verify_archive.h"

namespace zpack::testing {
namespace {

struct Range {
  std::string name;
  uint64_t begin = 0;
  uint64_t size = 0;
};

Result<std::unique_ptr<ArchiveFile>> OpenBytes(Bytes bytes) {
  return ArchiveFile::Open(std::make_unique<MemoryFile>(std::move(bytes)),
                           ReadOptions{});
}

class CopiesTest : public ::testing::Test {
 protected:
  CopiesTest() : good_(SampleFile()) {
    auto archive = OpenBytes(good_);
    EXPECT_THAT(archive, IsOk());
    archive_ = *std::move(archive);
    const format::TableOfContents& toc = archive_->toc();
    const uint64_t header_size = archive_->header().EncodedSize();
    const uint64_t toc_offset = archive_->header().table_of_contents_offset;
    const uint64_t toc_size = good_.size() - format::kTrailerSize - toc_offset;
    const auto at = format::FindCopies(toc, header_size, toc_offset, toc_size);
    EXPECT_TRUE(at.has_value());
    const auto chunk = [&](uint32_t id) {
      return Range{format::ChunkName(id), toc.Find(id)->offset,
                   toc.Find(id)->end() - toc.Find(id)->offset};
    };
    originals_ = {{"header", 0, header_size},
                  chunk(format::kRefsChunk),
                  chunk(format::kBlockTableChunk),
                  {"TOCC", toc_offset, toc_size}};
    for (size_t i = 0; i < originals_.size(); ++i) {
      const uint64_t copy[] = {at->header, at->refs_chunk,
                               at->block_table_chunk,
                               at->table_of_contents_chunk};
      copies_.push_back({originals_[i].name, copy[i], originals_[i].size});
    }
  }

  // The file with zeros in place of `ranges`.
  Bytes Without(const std::vector<Range>& ranges) const {
    Bytes bytes = good_;
    for (const Range& range : ranges) {
      std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(range.begin),
                  range.size, uint8_t{0});
    }
    return bytes;
  }

  // Everything that opening a file loads is what it is in the whole file.
  void ExpectSame(const Bytes& bytes, size_t damages) const {
    const auto opened = OpenBytes(bytes);
    ASSERT_THAT(opened, IsOk());
    const ArchiveFile& now = **opened;
    EXPECT_EQ(now.damages().size(), damages);
    EXPECT_EQ(now.refs(), archive_->refs());
    EXPECT_EQ(now.header().required_features,
              archive_->header().required_features);
    ASSERT_EQ(now.blocks().block_count(), archive_->blocks().block_count());
    for (size_t i = 0; i < now.blocks().block_count(); ++i) {
      EXPECT_EQ(now.blocks().block_offset(i),
                archive_->blocks().block_offset(i));
    }
    VerifyReport report;
    RunOptions run;
    run.threads = 1;
    ASSERT_THAT(
        VerifyArchive(now, {.level = VerifyLevel::kObjects}, run, report),
        IsOk());
    EXPECT_FALSE(report.ok()) << "verify finds the damage";
    EXPECT_EQ(report.objects_verified, report.objects);
    EXPECT_EQ(report.objects_damaged, 0U);
  }

  Bytes good_;
  std::unique_ptr<ArchiveFile> archive_;
  std::vector<Range> originals_;
  std::vector<Range> copies_;
};

TEST_F(CopiesTest, TheCopyOfEachPartIsUsed) {
  for (const Range& part : originals_) {
    SCOPED_TRACE(part.name);
    ExpectSame(Without({part}), 1);
  }
}

TEST_F(CopiesTest, AFlippedBitInAnyByteOfAPartIsMadeGood) {
  for (const Range& part : originals_) {
    for (uint64_t at = part.begin; at < part.begin + part.size; ++at) {
      Bytes bytes = good_;
      bytes[at] ^= 1U << (at % 8);
      const auto opened = OpenBytes(std::move(bytes));
      ASSERT_THAT(opened, IsOk()) << part.name << ", offset " << at;
      ASSERT_EQ((*opened)->damages().size(), 1U);
      EXPECT_EQ((*opened)->refs(), archive_->refs());
    }
  }
}

// A file with `count` chunks that nobody knows.
Bytes WithManyChunks(const Bytes& good, size_t count) {
  HostileFile file(good);
  for (size_t i = 0; i < count; ++i) {
    const auto digit = [](size_t value) {
      return static_cast<char>('!' + value % 94);
    };
    const std::string id = {'~', digit(i / 94 / 94), digit(i / 94), digit(i)};
    file.extra.push_back({format::ChunkId(id), 0, {}});
  }
  return file.Build();
}

TEST_F(CopiesTest, TheCopyOfTheHeaderIsFoundHoweverManyChunksThereAre) {
  for (const size_t count : {200, 2'730, 2'731, 2'732, 10'000}) {
    SCOPED_TRACE(count);
    const Bytes whole = WithManyChunks(good_, count);
    ASSERT_THAT(OpenBytes(whole), IsOk());
    Bytes bytes = whole;
    std::fill_n(bytes.begin(), originals_[0].size, uint8_t{0});
    ExpectSame(bytes, 1);
    // One of both signatures is left.
    bytes = whole;
    bytes[0x0d] ^= 1;
    bytes[bytes.size() - format::kTrailerSize] ^= 1;
    ExpectSame(bytes, 2);
  }
}

TEST_F(CopiesTest, AFileWithoutAnySignatureIsNotReadToItsStart) {
  class Zeros final : public RandomAccessFile {
   public:
    Status Read(uint64_t, std::span<uint8_t> out) const override {
      bytes_read += out.size();
      std::ranges::fill(out, uint8_t{0});
      return {};
    }
    uint64_t size() const override { return uint64_t{1} << 40; }
    const std::string& path() const override { return path_; }

    mutable uint64_t bytes_read = 0;

   private:
    std::string path_ = "zeros";
  };
  const Zeros file;
  const auto header = FindHeader(file, ReadOptions{});
  ASSERT_THAT(header, IsOk());
  EXPECT_FALSE(header->has_value());
  EXPECT_LE(file.bytes_read, size_t{1} << 20);
}

// What looks like tables of contents costs no more than a few reads.
TEST_F(CopiesTest, AFileOfTablesOfContentsIsReadAFewTimesAtMost) {
  constexpr size_t kSize = size_t{4} << 20;
  Bytes bytes;
  ByteWriter to(bytes);
  while (bytes.size() + format::kChunkOverhead <= kSize) {
    const uint64_t payload_size = kSize - bytes.size() - format::kChunkOverhead;
    to.U32(format::kTableOfContentsChunk);
    to.U32(0);
    to.U64(payload_size);
  }
  bytes.resize(kSize);
  Append(bytes, ByteView(good_).last(format::kTrailerSize));
  const auto header = FindHeader(MemoryFile(std::move(bytes)), ReadOptions{});
  ASSERT_THAT(header, IsOk());
  EXPECT_FALSE(header->has_value());
}

TEST_F(CopiesTest, PairsOfPartsAreMadeGood) {
  for (const Range& first : originals_) {
    for (const Range& second : originals_) {
      // Nothing leads to the copies then.
      const bool lost = first.name == "header" && second.name == "TOCC";
      if (lost || first.begin >= second.begin) continue;
      SCOPED_TRACE(first.name + " and " + second.name);
      ExpectSame(Without({first, second}), 2);
    }
  }
}

TEST_F(CopiesTest, ADamagedCopyDoesNotMatterToReaders) {
  for (const Range& copy : copies_) {
    SCOPED_TRACE(copy.name);
    ExpectSame(Without({copy}), 0);
  }
}

TEST_F(CopiesTest, APartThatIsDamagedTwiceIsAnErrorAboutTheOriginal) {
  for (size_t i = 0; i < originals_.size(); ++i) {
    SCOPED_TRACE(originals_[i].name);
    const auto opened = OpenBytes(Without({originals_[i], copies_[i]}));
    ASSERT_FALSE(opened);
    if (i != 0) {  // Zeros are no damaged header.
      EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
      EXPECT_EQ(opened.error().offset, originals_[i].begin);
    }
  }
}

TEST_F(CopiesTest, TheTrailerIsNotNeededToRead) {
  Bytes bytes = good_;
  bytes[bytes.size() - format::kTrailerSize] ^= 1;
  ExpectSame(bytes, 1);
}

TEST_F(CopiesTest, ADamagedTrailerIsOneFinding) {
  for (const size_t size : {size_t{1}, format::kTrailerSize}) {
    Bytes bytes = good_;
    const uint64_t trailer = bytes.size() - format::kTrailerSize;
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(trailer), size,
                uint8_t{0});
    const auto opened = OpenBytes(bytes);
    ASSERT_THAT(opened, IsOk());
    VerifyReport report;
    ASSERT_THAT(VerifyArchive(**opened, {.level = VerifyLevel::kObjects},
                              RunOptions{}, report),
                IsOk());
    ASSERT_EQ(report.damages.size(), 1U);
    EXPECT_EQ(report.damages.front().offset, trailer);
    EXPECT_THAT(report.damages.front().message,
                ::testing::HasSubstr("bad trailer"));
  }
}

TEST_F(CopiesTest, AReaderIsToldOfTheDamage) {
  class Sink final : public DamageSink {
   public:
    void OnDamage(const Error& damage) override {
      messages.push_back(damage.message);
    }
    std::vector<std::string> messages;
  };
  Sink sink;
  ReadOptions options;
  options.damages = &sink;
  const auto opened = ArchiveFile::OpenWithoutIndex(
      std::make_unique<MemoryFile>(Without({originals_[1]})), options);
  ASSERT_THAT(opened, IsOk());
  ASSERT_EQ(sink.messages.size(), 1U);
  EXPECT_THAT(sink.messages.front(), ::testing::HasSubstr("its copy is used"));
}

TEST_F(CopiesTest, RefsAreReadFromTheCopy) {
  for (const size_t part : {0, 1}) {
    const auto refs =
        ReadRefsOnly(MemoryFile(Without({originals_[part]})), ReadOptions{});
    ASSERT_THAT(refs, IsOk());
    EXPECT_EQ(refs->refs, archive_->refs());
  }
}

TEST_F(CopiesTest, AFileThatIsTooNewIsRefusedInSpiteOfItsCopy) {
  HostileFile file(good_);
  Bytes bytes = file.Build();
  // The header, but not its copy, names a feature that nobody knows.
  const std::string& known = format::BlockFeatures().front();
  const auto name = std::ranges::search(bytes, AsBytes(known));
  ASSERT_FALSE(name.empty());
  *name.begin() = 'x';
  const size_t end = archive_->header().EncodedSize() - format::kChecksumSize;
  Bytes checksum;
  ByteWriter(checksum).U64(Checksum(ByteView(bytes).first(end)));
  std::ranges::copy(checksum, bytes.begin() + static_cast<ptrdiff_t>(end));
  const auto opened = OpenBytes(std::move(bytes));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnsupported);
}

TEST_F(CopiesTest, ACopyThatDiffersIsFoundByVerify) {
  // Both refs are whole; they differ.
  HostileFile file(good_);
  file.refs.shallow.clear();
  file.AddRef("refs/heads/zzz", file.ids.front());
  HostileFile other(good_);
  other.AddRef("refs/heads/zzy", other.ids.front());
  other.refs.shallow.clear();
  Bytes forged = file.Build();
  const Bytes source = other.Build();
  ASSERT_EQ(forged.size(), source.size());
  const uint64_t begin = archive_->header().EncodedSize();
  const uint64_t size =
      LoadBigEndian<uint64_t>(&source[begin + 8]) + format::kChunkOverhead;
  std::copy_n(source.begin() + static_cast<ptrdiff_t>(begin), size,
              forged.begin() + static_cast<ptrdiff_t>(begin));
  const auto opened = OpenBytes(forged);
  ASSERT_THAT(opened, IsOk());
  EXPECT_TRUE((*opened)->damages().empty());
  VerifyReport report;
  ASSERT_THAT(VerifyArchive(**opened, {.level = VerifyLevel::kChecksums},
                            RunOptions{}, report),
              IsOk());
  ASSERT_FALSE(report.damages.empty());
  EXPECT_THAT(report.damages.front().message,
              ::testing::HasSubstr("does not hold what it copies"));
}

}  // namespace
}  // namespace zpack::testing
