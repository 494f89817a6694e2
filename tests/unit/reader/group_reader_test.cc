// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/group_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codec/zstd_codec.h"
#include "format/chunk.h"
#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "support/hostile_file.h"
#include "support/matchers.h"
#include "support/memory_file.h"

namespace zpack {
namespace {

using format::StreamCodec;
using format::StreamKind;
using testing::HasCode;
using ::testing::HasSubstr;
using testing::HostileFile;
using testing::IsOk;
using testing::MemoryFile;
using testing::Varints;

constexpr uint32_t kBlobs = 3;  // of each block

// A blob that shares most of its text with all others.
Bytes BlobOf(size_t group, size_t block, uint32_t index) {
  std::string text;
  for (int line = 0; line < 40; ++line) {
    text += std::to_string(line * 7919 % 10007) + " of a file\n";
  }
  text += std::to_string(group) + '.' + std::to_string(block) + '.' +
          std::to_string(index);
  return {text.begin(), text.end()};
}

// Adds a group of blocks of whole blobs.
void AddGroup(HostileFile& file, size_t group, size_t blocks) {
  ZstdCompressor compressor(3);
  compressor.BeginPieces(1 << 20);
  format::GroupPlace place;
  for (size_t block = 0; block < blocks; ++block) {
    Bytes literals;
    std::vector<uint64_t> sizes;
    std::vector<ObjectId> ids;
    for (uint32_t i = 0; i < kBlobs; ++i) {
      const Bytes blob = BlobOf(group, block, i);
      Append(literals, blob);
      sizes.push_back(blob.size());
      ids.push_back(file.Hash(ObjectType::kBlob, blob));
    }
    Bytes piece;
    ASSERT_THAT(compressor.CompressPiece(literals, piece), IsOk());
    const auto first = static_cast<uint32_t>(file.ids.size());
    format::BlockHeader header{format::BlockKind::kDeltas,
                               ObjectType::kBlob,
                               ObjectNumber(first),
                               kBlobs,
                               0,
                               place};
    Bytes stored = Varints(sizes);
    const uint64_t size_bytes = stored.size();
    Append(stored, Bytes(kBlobs, 0));  // no bases
    Append(stored, piece);
    Bytes payload;
    format::Encode(
        header,
        {{StreamKind::kSizes, StreamCodec::kStored, size_bytes, size_bytes},
         {StreamKind::kBases, StreamCodec::kStored, kBlobs, kBlobs},
         {StreamKind::kLiteralLengths, StreamCodec::kStored, 0, 0},
         {StreamKind::kCopyLengths, StreamCodec::kStored, 0, 0},
         {StreamKind::kCopyOffsets, StreamCodec::kStored, 0, 0},
         {StreamKind::kLiterals, StreamCodec::kContinued, literals.size(),
          piece.size()}},
        payload);
    Append(payload, stored);
    Bytes chunk;
    format::EncodeChunk(format::kBlockChunk, 0, payload, chunk);
    file.blocks.push_back({first, std::move(chunk)});
    file.ids.insert(file.ids.end(), ids.begin(), ids.end());
    ++place.blocks;
    place.raw_size += static_cast<uint32_t>(literals.size());
  }
}

class GroupReaderTest : public ::testing::Test {
 protected:
  // Two groups with a block of another kind between them.
  static HostileFile TwoGroups() {
    HostileFile file;
    AddGroup(file, 0, 4);
    file.AddObjects(ObjectType::kBlob, {{'a'}, {'b'}});
    AddGroup(file, 1, 3);
    return file;
  }
  static constexpr size_t kOther = 4;
  static constexpr size_t kBlocks = 8;

  void Open(const Bytes& bytes) {
    auto opened =
        ArchiveFile::Open(std::make_unique<MemoryFile>(bytes), ReadOptions{});
    ASSERT_THAT(opened, IsOk());
    archive_ = *std::move(opened);
  }

  // Decodes a block and compares its blobs.
  void ExpectDecodes(BlockDecoder& decoder, size_t block) {
    const auto decoded = decoder.Decode(archive_->blocks(), block);
    ASSERT_THAT(decoded, IsOk());
    if (block == kOther) return;
    const size_t group = block < kOther ? 0 : 1;
    const size_t at = block < kOther ? block : block - kOther - 1;
    Bytes buffer;
    for (uint32_t i = 0; i < kBlobs; ++i) {
      EXPECT_TRUE(std::ranges::equal(*decoded->Object(i, buffer),
                                     BlobOf(group, at, i)));
    }
  }
  std::string ErrorOf(BlockDecoder& decoder, size_t block) {
    const auto decoded = decoder.Decode(archive_->blocks(), block);
    EXPECT_THAT(decoded, HasCode(ErrorCode::kCorrupt)) << block;
    return decoded ? "" : decoded.error().message;
  }

  std::unique_ptr<ArchiveFile> archive_;
};

TEST_F(GroupReaderTest, LaterBlocksAreSmall) {
  const HostileFile file = TwoGroups();
  EXPECT_LT(file.blocks[1].chunk.size() + 100, file.blocks[0].chunk.size());
}

TEST_F(GroupReaderTest, ReadsEachBlockFirst) {
  Open(TwoGroups().Build());
  for (size_t block = 0; block < kBlocks; ++block) {
    BlockDecoder decoder;
    ExpectDecodes(decoder, block);
  }
}

TEST_F(GroupReaderTest, ReadsEachBlockOnceInTheOrderOfTheFile) {
  Open(TwoGroups().Build());
  BlockDecoder decoder;
  for (size_t block = 0; block < kBlocks; ++block) {
    ExpectDecodes(decoder, block);
  }
  EXPECT_EQ(archive_->blocks().read_cost().blocks, kBlocks);
}

TEST_F(GroupReaderTest, ReadsInAnyOrder) {
  Open(TwoGroups().Build());
  BlockDecoder decoder;
  for (size_t first = 0; first < kBlocks; ++first) {
    for (size_t second = 0; second < kBlocks; ++second) {
      ExpectDecodes(decoder, first);
      ExpectDecodes(decoder, second);
    }
  }
}

TEST_F(GroupReaderTest, SizesNeedNoOtherBlock) {
  Open(TwoGroups().Build());
  BlockDecoder decoder;
  ASSERT_THAT(decoder.DecodeObjects(archive_->blocks(), 3), IsOk());
  EXPECT_EQ(archive_->blocks().read_cost().blocks, 1U);
}

TEST_F(GroupReaderTest, OneReaderReadsSeveralFiles) {
  BlockDecoder decoder;
  Open(TwoGroups().Build());
  ExpectDecodes(decoder, 1);
  // Other texts at the same places, perhaps at the same address.
  HostileFile other;
  AddGroup(other, 7, 4);
  archive_.reset();
  Open(other.Build());
  const auto decoded = decoder.Decode(archive_->blocks(), 2);
  ASSERT_THAT(decoded, IsOk());
  Bytes buffer;
  EXPECT_TRUE(std::ranges::equal(*decoded->Object(0, buffer), BlobOf(7, 2, 0)));
}

TEST_F(GroupReaderTest, DamageCostsTheRestOfTheGroup) {
  for (size_t damaged = 0; damaged < kOther; ++damaged) {
    HostileFile file = TwoGroups();
    file.blocks[damaged].chunk[30] ^= 1;
    Open(file.Build());
    BlockDecoder decoder;
    for (int round = 0; round < 2; ++round) {
      for (size_t block = 0; block < kBlocks; ++block) {
        if (block < damaged || block >= kOther) {
          ExpectDecodes(decoder, block);
        } else if (block == damaged) {
          EXPECT_THAT(ErrorOf(decoder, block), HasSubstr("checksum"));
        } else {
          EXPECT_THAT(ErrorOf(decoder, block),
                      HasSubstr("the block continues the one at offset " +
                                std::to_string(
                                    archive_->blocks().block_offset(damaged))));
        }
      }
    }
  }
}

TEST_F(GroupReaderTest, ALostBlockIsNoticed) {
  HostileFile file = TwoGroups();
  file.ids.erase(file.ids.begin() + kBlobs, file.ids.begin() + 2 * kBlobs);
  file.blocks.erase(file.blocks.begin() + 1);
  for (size_t block = 1; block < file.blocks.size(); ++block) {
    file.blocks[block].first_object -= kBlobs;
    // The block itself, too.
    Bytes& chunk = file.blocks[block].chunk;
    Bytes payload(chunk.begin() + format::kChunkHeaderSize,
                  chunk.end() - format::kChecksumSize);
    Bytes first;
    ByteWriter(first).U32(file.blocks[block].first_object);
    std::ranges::copy(first, payload.begin() + 4);
    chunk.clear();
    format::EncodeChunk(format::kBlockChunk, 0, payload, chunk);
  }
  Open(file.Build());
  BlockDecoder decoder;
  ExpectDecodes(decoder, 0);
  EXPECT_THAT(ErrorOf(decoder, 1), HasSubstr("group of the block"));
}

TEST_F(GroupReaderTest, NeedsTheFeature) {
  HostileFile file = TwoGroups();
  std::erase(file.header.required_features, "groups");
  Open(file.Build());
  BlockDecoder decoder;
  EXPECT_THAT(ErrorOf(decoder, 0),
              HasSubstr("without the required feature 'groups'"));
  ExpectDecodes(decoder, kOther);
}

}  // namespace
}  // namespace zpack
