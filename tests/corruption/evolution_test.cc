// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Files of a future writer: features and chunks that this version does not
// know are refused by name when they are required and ignored otherwise.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/hash.h"
#include "format/block_table.h"
#include "format/chunk.h"
#include "format/copies.h"
#include "format/trailer.h"
#include "git/restore/repository_sink.h"
#include "reader/archive_file.h"
#include "reader/object_reader.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/repair.h"
#include "support/sample_file.h"
#include "support/temp_dir.h"
#include "transfer/repository_restorer.h"
#include "verify/verify_archive.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;

// What a future writer would add to a file.
struct Future {
  std::vector<std::string> required_features;
  std::vector<std::string> optional_features;
  std::optional<uint32_t> chunk_flags;  // of one more chunk, called 'NEWX'
};

// Writes `bytes` again, as a whole new file, with what `future` adds.
Bytes Rewrite(const Bytes& bytes, const Future& future) {
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
  EXPECT_THAT(archive, IsOk());
  format::FileHeader header = (*archive)->header();
  const uint64_t old_start = header.EncodedSize();
  std::ranges::copy(future.required_features,
                    std::back_inserter(header.required_features));
  header.optional_features = future.optional_features;
  const uint64_t shift = header.EncodedSize() - old_start;

  Bytes body;
  format::TableOfContents toc;
  uint64_t copied = old_start;
  for (format::ChunkLocation chunk : (*archive)->toc().chunks) {
    Append(body, ByteView(bytes).subspan(copied, chunk.offset - copied));
    copied = chunk.end();
    if (chunk.id == format::kCopiesChunk) continue;
    const ByteView old =
        ByteView(bytes).subspan(chunk.offset, chunk.end() - chunk.offset);
    if (chunk.id == format::kBlockTableChunk) {
      format::BlockTable table = (*archive)->blocks().table();
      for (auto& row : table.rows) row.offset += shift;
      Bytes payload;
      format::Encode(table, payload);
      format::EncodeChunk(chunk.id, chunk.flags, payload, body);
    } else {
      Append(body, old);
    }
    chunk.offset += shift;
    toc.chunks.push_back(chunk);
  }
  if (future.chunk_flags) {
    const uint32_t id = format::ChunkId("NEWX");
    toc.chunks.push_back(
        {id, *future.chunk_flags, header.EncodedSize() + body.size(), 3});
    format::EncodeChunk(id, *future.chunk_flags, Bytes{1, 2, 3}, body);
  }
  Bytes payload(format::CopiesSize(toc, header.EncodedSize()), 0);
  toc.chunks.push_back({format::kCopiesChunk, 0,
                        header.EncodedSize() + body.size(), payload.size()});
  format::EncodeChunk(format::kCopiesChunk, 0, payload, body);
  header.table_of_contents_offset = header.EncodedSize() + body.size();
  payload.clear();
  format::Encode(toc, payload);
  format::EncodeChunk(format::kTableOfContentsChunk, 1, payload, body);
  format::Trailer trailer;
  trailer.content_digest = format::ContentDigest((*archive)->ids());
  format::EncodeBeforeHash(trailer, body);
  header.file_size = header.EncodedSize() + body.size() + format::kDigestSize;
  Bytes out;
  format::Encode(header, out);
  Append(out, body);
  Append(out, trailer.file_hash);
  RepairFile(out);
  return out;
}

Result<std::unique_ptr<ArchiveFile>> Open(const Bytes& bytes) {
  return ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
}

Status VerifyAll(const Bytes& bytes) {
  const auto archive = Open(bytes);
  if (!archive) return std::unexpected(archive.error());
  VerifyReport report;
  RunOptions run;
  run.threads = 1;
  const Status status = VerifyArchive(
      **archive, {.level = VerifyLevel::kConnectivity}, run, report);
  EXPECT_TRUE(report.ok());
  return status;
}

class Evolution : public ::testing::Test {
 protected:
  MemorySource source_ = SampleHistory(3);
  Bytes file_ = FileOf(source_);
};

TEST_F(Evolution, RewritingWithoutAdditionsGivesTheSameFile) {
  EXPECT_EQ(Rewrite(file_, {}), file_);
}

TEST_F(Evolution, AnUnknownRequiredFeatureIsRefusedByName) {
  EXPECT_THAT(Open(Rewrite(file_, {{"delta-9"}, {}, {}})),
              IsError(ErrorCode::kUnsupported,
                      HasSubstr("required feature 'delta-9' needs a newer "
                                "git-zpack")));
}

TEST_F(Evolution, AnUnknownOptionalFeatureIsIgnored) {
  EXPECT_THAT(VerifyAll(Rewrite(file_, {{}, {"parity", "hints"}, {}})), IsOk());
}

TEST_F(Evolution, AnUnknownRequiredChunkIsRefusedByName) {
  EXPECT_THAT(
      Open(Rewrite(file_, {{}, {}, format::kChunkRequired})),
      IsError(ErrorCode::kUnsupported,
              HasSubstr("required chunk 'NEWX' needs a newer git-zpack")));
}

TEST_F(Evolution, AnUnknownOptionalChunkIsIgnoredButItsChecksumIsNot) {
  Bytes bytes = Rewrite(file_, {{}, {}, 0U});
  EXPECT_THAT(VerifyAll(bytes), IsOk());
  const auto archive = Open(bytes);
  const auto* const chunk = (*archive)->toc().Find(format::ChunkId("NEWX"));
  ASSERT_NE(chunk, nullptr);
  bytes[chunk->offset + format::kChunkHeaderSize] ^= 1;
  const auto damaged = Open(bytes);
  ASSERT_THAT(damaged, IsOk());
  VerifyReport report;
  ASSERT_THAT(VerifyChecksums(**damaged, {}, RunOptions{}, report), IsOk());
  EXPECT_EQ(report.damages.size(), 2U) << "the chunk and the file hash";
}

TEST_F(Evolution, RefsAreReadFromTheStartOfTheFileAlone) {
  const auto archive = Open(file_);
  ASSERT_THAT(archive, IsOk());
  Bytes bytes = Rewrite(file_, {{}, {"later"}, {}});
  const auto header = *format::DecodeHeaderSize(bytes);
  // Everything behind the refs may be garbage.
  for (size_t at = header + 400; at < bytes.size(); ++at) bytes[at] = 0xee;
  const auto refs = ReadRefsOnly(MemoryFile(bytes), ReadOptions{});
  ASSERT_THAT(refs, IsOk());
  EXPECT_EQ(refs->refs, source_.refs);
}

TEST_F(Evolution, AForgedPeeledValueIsFound) {
  const auto good = Open(file_);
  const Ref* const tag = (*good)->refs().Find("refs/tags/v1");
  ASSERT_NE(tag, nullptr);
  // The commit is named by branches too; the tag comes last among the refs.
  const auto refs_end =
      file_.begin() +
      static_cast<ptrdiff_t>((*good)->toc().Find(format::kRefsChunk)->end());
  const auto peeled = std::ranges::find_end(
      std::ranges::subrange(file_.begin(), refs_end), tag->peeled.bytes());
  ASSERT_FALSE(peeled.empty());
  Bytes bytes = file_;
  bytes[static_cast<size_t>(peeled.begin() - file_.begin())] ^= 1;
  RepairChecksums(bytes);
  const auto archive = Open(bytes);
  ASSERT_THAT(archive, IsOk());
  VerifyReport report;
  ASSERT_THAT(VerifyPeeledRefs(**archive, {}, report), IsOk());
  ASSERT_EQ(report.damages.size(), 1U);
  EXPECT_THAT(report.damages[0].message, HasSubstr("'refs/tags/v1'"));
  const TempDir directory;
  const auto sink =
      CreateRepository(PosixFileSystem(), directory / "r.git", Overwrite::kNo,
                       {.object_count = (*archive)->ids().size()});
  ASSERT_THAT(sink, IsOk());
  EXPECT_THAT(RestoreArchive(**archive, RestoreOptions{}, **sink),
              HasCode(ErrorCode::kCorrupt));
}

TEST_F(Evolution, LimitsAreCheckedBeforeAnythingIsAllocated) {
  ReadOptions options;
  options.max_chunk_size = 100;
  EXPECT_THAT(ArchiveFile::Open(std::make_unique<MemoryFile>(file_), options),
              HasCode(ErrorCode::kLimitExceeded));
  options = ReadOptions{};
  options.max_block_size = 100;
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(file_), options);
  ASSERT_THAT(archive, IsOk());
  Bytes content;
  EXPECT_THAT(ObjectReader(**archive).Read(
                  {}, (*archive)->ids()[(*archive)->rank({})], content),
              HasCode(ErrorCode::kLimitExceeded));
  // What nobody could read is not called sound.
  VerifyReport report;
  ASSERT_THAT(VerifyChecksums(**archive, {}, RunOptions{}, report), IsOk());
  ASSERT_FALSE(report.damages.empty());
  EXPECT_EQ(report.damages[0].code, ErrorCode::kLimitExceeded);
}

TEST_F(Evolution, AnObjectAboveTheLimitCanStillBeStreamed) {
  ReadOptions options;
  options.max_object_size = 10;
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(file_), options);
  ASSERT_THAT(archive, IsOk());
  ObjectReader reader(**archive);
  const ObjectId id = (*archive)->ids()[(*archive)->rank({})];
  Bytes content;
  EXPECT_THAT(reader.Read({}, id, content), HasCode(ErrorCode::kLimitExceeded));
  uint64_t streamed = 0;
  EXPECT_THAT(reader.Stream(
                  {}, id, [](const ObjectInfo&) { return Status{}; },
                  [&](ByteView piece) {
                    streamed += piece.size();
                    return Status{};
                  }),
              IsOk());
  EXPECT_GT(streamed, 10U);
}

}  // namespace
}  // namespace zpack::testing
