// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/chunk.h"

#include <gtest/gtest.h>

namespace zpack::format {
namespace {

Bytes Chunk(const Bytes& payload) {
  Bytes out;
  EncodeChunk(kRefsChunk, kChunkRequired, payload, out);
  return out;
}

Result<TableOfContents> Decode(const std::vector<ChunkLocation>& rows,
                               uint64_t begin, uint64_t end) {
  Bytes payload;
  Encode(TableOfContents{rows}, payload);
  return DecodeTableOfContents(payload, begin, end);
}

TEST(Chunk, HasIdFlagsSizePayloadChecksum) {
  const Bytes bytes = Chunk({7, 8});
  ASSERT_EQ(bytes.size(), 2 + kChunkOverhead);
  const Bytes start(bytes.begin(), bytes.begin() + 18);
  EXPECT_EQ(start, (Bytes{'R', 'E', 'F', 'S', 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
                          2, 7, 8}));
}

TEST(Chunk, RoundTrips) {
  const Bytes bytes = Chunk({1, 2, 3});
  const auto payload = DecodeChunk(kRefsChunk, bytes);
  ASSERT_TRUE(payload);
  EXPECT_EQ(Bytes(payload->begin(), payload->end()), (Bytes{1, 2, 3}));
}

TEST(Chunk, RefusesAFlipOfAnyBitAndAnyTruncation) {
  const Bytes good = Chunk({1, 2, 3});
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bad = good;
    bad[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_FALSE(DecodeChunk(kRefsChunk, bad)) << "bit " << bit;
  }
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(DecodeChunk(kRefsChunk, ByteView(good).first(size)));
  }
}

TEST(Chunk, NamesTheChunkItExpected) {
  const auto payload = DecodeChunk(kBlockChunk, Chunk({}));
  ASSERT_FALSE(payload);
  EXPECT_EQ(payload.error().message, "expected chunk 'BLCK', found 'REFS'");
}

TEST(TableOfContents, RoundTrips) {
  const auto toc = Decode(
      {{kRefsChunk, 1, 100, 10}, {kObjectIdsChunk, 1, 200, 0}}, 100, 224);
  ASSERT_TRUE(toc);
  EXPECT_EQ(toc->Find(kObjectIdsChunk)->offset, 200U);
  EXPECT_EQ(toc->Find(kBlockTableChunk), nullptr);
}

TEST(TableOfContents, RefusesRowsOutsideTheFileOrOverlapping) {
  const auto refused = [](const std::vector<ChunkLocation>& rows) {
    const auto toc = Decode(rows, 100, 200);
    return !toc && toc.error().code == ErrorCode::kCorrupt;
  };
  EXPECT_TRUE(refused({{kRefsChunk, 1, 99, 0}}));
  EXPECT_TRUE(refused({{kRefsChunk, 1, 177, 0}}));
  EXPECT_TRUE(refused({{kRefsChunk, 1, 100, 77}}));
  EXPECT_TRUE(refused({{kRefsChunk, 1, 100, ~uint64_t{0}}}));
  EXPECT_TRUE(refused({{kRefsChunk, 1, ~uint64_t{0}, 0}}));
  EXPECT_TRUE(refused({{kRefsChunk, 1, 100, 0}, {kObjectIdsChunk, 1, 110, 0}}));
  EXPECT_TRUE(refused({{kRefsChunk, 1, 100, 0}, {kRefsChunk, 1, 130, 0}}));
  EXPECT_TRUE(refused({{kRefsChunk, 0x10000, 100, 0}}));
  EXPECT_TRUE(refused({{kBlockChunk, 0, 100, 0}}));
  EXPECT_TRUE(refused({{kTableOfContentsChunk, 0, 100, 0}}));
}

TEST(TableOfContents, KnowsAllChunksOfTheSpecification) {
  for (const char* id :
       {"REFS", "BTAB", "OIDP", "ONBP", "FDAT", "FTAB", "PROM", "FILL"}) {
    EXPECT_TRUE(Decode({{ChunkId(id), kChunkRequired, 100, 0}}, 100, 200))
        << id;
  }
}

TEST(TableOfContents, RefusesAnUnknownRequiredChunkByName) {
  const auto toc =
      Decode({{ChunkId("NEWX"), kChunkRequired, 100, 0}}, 100, 200);
  ASSERT_FALSE(toc);
  EXPECT_EQ(toc.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(toc.error().message,
            "required chunk 'NEWX' needs a newer git-zpack");
}

TEST(TableOfContents, BitZeroOfAKnownChunkDoesNotMatter) {
  for (const uint32_t id : kListedChunks) {
    for (const uint32_t flags : {0U, kChunkRequired}) {
      EXPECT_TRUE(Decode({{id, flags, 100, 0}}, 100, 200)) << ChunkName(id);
    }
  }
}

TEST(TableOfContents, RefusesChunksOfDrafts) {
  for (const char* id : {"OIDS", "ONUM"}) {
    for (const uint32_t flags : {0U, kChunkRequired}) {
      const auto toc = Decode({{ChunkId(id), flags, 100, 0}}, 100, 200);
      ASSERT_FALSE(toc) << id;
      EXPECT_EQ(toc.error().code, ErrorCode::kUnsupported);
      EXPECT_NE(toc.error().message.find(id), std::string::npos);
    }
  }
}

TEST(TableOfContents, RefusesIdsThatDoNotPrint) {
  for (const uint32_t id :
       {0x4e455709U, 0x20455758U, 0x4e45577fU, 0xce455758U, 0x4e450058U}) {
    const auto toc = Decode({{id, 0, 100, 0}}, 100, 200);
    ASSERT_FALSE(toc) << id;
    EXPECT_EQ(toc.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(toc.error().message.find("bad chunk id 0x"), std::string::npos);
  }
}

TEST(TableOfContents, SkipsAnUnknownOptionalChunkAndUnusedFlags) {
  EXPECT_TRUE(Decode({{ChunkId("NEWX"), 0x0002, 100, 0}}, 100, 200));
}

TEST(TableOfContents, RefusesAPartialRow) {
  EXPECT_FALSE(DecodeTableOfContents(Bytes(25), 0, 100));
}

TEST(ChunkName, ReplacesWhatIsNotPrintable) {
  EXPECT_EQ(ChunkName(kRefsChunk), "REFS");
  EXPECT_EQ(ChunkName(0x41000aff), "A???");
}

}  // namespace
}  // namespace zpack::format
