// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "protect/protect_inside.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "format/copies.h"
#include "format/file_header.h"
#include "format/trailer.h"
#include "parity/covered_data.h"
#include "parity/parity_encoder.h"
#include "protect/seal_file.h"

namespace zpack {
namespace {

bool IsRewritten(const format::ChunkLocation& chunk) {
  return chunk.id == format::kParityChunk || chunk.id == format::kCopiesChunk;
}

// True for chunks between the blocks and the parity that a copy of a file
// keeps.
bool IsKept(const format::ChunkLocation& chunk) {
  return !IsRewritten(chunk) && format::IsListedChunk(chunk.id);
}

// Everything of the new file except for blocks, tables and parity.
class NewFile {
 public:
  explicit NewFile(const SingleFile& single)
      : single_(single), header_(single.header()), toc_(single.toc()) {}

  Status Plan(uint32_t redundancy) {
    ZPACK_TRY(DropParity());
    refs_.resize(toc_.Find(format::kRefsChunk)->payload_size +
                 format::kChunkOverhead);
    blocks_.resize(toc_.Find(format::kBlockTableChunk)->payload_size +
                   format::kChunkOverhead);
    const uint64_t parity_at = toc_.chunks.back().end();
    toc_.chunks.push_back({format::kParityChunk, 0, parity_at, 0});
    EncodeTables();
    const uint64_t copies = format::CopiesSize(toc_, encoded_header_.size());
    toc_.chunks.push_back({format::kCopiesChunk, 0, 0, 0});
    EncodeTables();
    // All but the payload and the checksum of the parity, and the file hash.
    const uint64_t data_size = parity_at + format::kChunkHeaderSize + copies +
                               format::kChunkOverhead + encoded_toc_.size() +
                               format::kTrailerSize - format::kDigestSize;
    ZPACK_ASSIGN_OR_RETURN(
        shape_, MakeParityShape(data_size, parity_at + format::kChunkHeaderSize,
                                redundancy));
    format::ChunkLocation& parity = *(toc_.chunks.end() - 2);
    parity.payload_size = shape_.set_size();
    toc_.chunks.back().offset = parity.end();
    toc_.chunks.back().payload_size = copies;
    header_.table_of_contents_offset = toc_.chunks.back().end();
    header_.file_size = CoveredFileSize(shape_);
    EncodeTables();
    return {};
  }

  // Writes all but the parity, its checksum and the file hash.
  Status Write(const RunOptions& run, ImageFile& image) {
    ZPACK_TRY(image.Put(0, encoded_header_));
    const format::ChunkLocation& parity = *(toc_.chunks.end() - 2);
    ZPACK_TRY(CopyRange(encoded_header_.size(), parity.offset, run, image));
    Bytes bytes;
    format::Encode(
        format::ChunkHeader{parity.id, parity.flags, parity.payload_size},
        bytes);
    ZPACK_TRY(image.Put(parity.offset, bytes));
    ZPACK_TRY(ReadChunk(format::kRefsChunk, refs_));
    ZPACK_TRY(ReadChunk(format::kBlockTableChunk, blocks_));
    Bytes payload;
    format::Encode(
        format::CopiedParts{encoded_header_, refs_, blocks_, encoded_toc_},
        payload);
    bytes.clear();
    format::EncodeChunk(format::kCopiesChunk, 0, payload, bytes);
    Append(bytes, encoded_toc_);
    format::EncodeBeforeHash(single_.trailer(), bytes);
    return image.Put(parity.end(), bytes);
  }

  const ParityShape& shape() const { return shape_; }

 private:
  // Removes the old parity and copies, which are the last chunks.
  Status DropParity() {
    if (!header_.optional_features.empty()) {
      return MakeError(
          ErrorCode::kUnsupported, "feature '{}' needs a newer git-zpack: '{}'",
          header_.optional_features.front(), AtPath{single_.path()});
    }
    auto& chunks = toc_.chunks;
    while (IsRewritten(chunks.back())) chunks.pop_back();
    for (const format::ChunkLocation& chunk : chunks) {
      if (IsKept(chunk)) continue;
      return MakeError(ErrorCode::kUnsupported,
                       "chunk '{}' needs a newer git-zpack: '{}'",
                       format::ChunkName(chunk.id), AtPath{single_.path()});
    }
    return {};
  }

  void EncodeTables() {
    encoded_header_.clear();
    format::Encode(header_, encoded_header_);
    Bytes payload;
    format::Encode(toc_, payload);
    encoded_toc_.clear();
    format::EncodeChunk(format::kTableOfContentsChunk, format::kChunkRequired,
                        payload, encoded_toc_);
  }

  Status ReadChunk(uint32_t id, Bytes& chunk) const {
    return single_.file().Read(toc_.Find(id)->offset, chunk);
  }

  Status CopyRange(uint64_t begin, uint64_t end, const RunOptions& run,
                   ImageFile& image) const {
    constexpr uint64_t kPiece = uint64_t{1} << 20;
    Bytes bytes;
    for (uint64_t at = begin; at < end; at += bytes.size()) {
      ZPACK_TRY(CheckStop(run.stop));
      bytes.resize(std::min(kPiece, end - at));
      ZPACK_TRY(single_.file().Read(at, bytes));
      ZPACK_TRY(image.Put(at, bytes));
    }
    return {};
  }

  const SingleFile& single_;
  format::FileHeader header_;
  format::TableOfContents toc_;
  ParityShape shape_;
  Bytes encoded_header_;
  Bytes encoded_toc_;
  Bytes refs_;    // the whole chunk
  Bytes blocks_;  // likewise, of the block table
};

}  // namespace

Result<ParityParameters> WriteWithParity(const SingleFile& single,
                                         uint32_t redundancy,
                                         const RunOptions& run,
                                         ImageFile& image) {
  NewFile file(single);
  ZPACK_TRY(file.Plan(redundancy));
  ZPACK_TRY(file.Write(run, image));
  ZPACK_ASSIGN_OR_RETURN(const auto reader, image.Open());
  const uint64_t begin = file.shape().gap;
  ZPACK_ASSIGN_OR_RETURN(const ParityParameters parameters,
                         EncodeParitySet(*reader, file.shape(), run,
                                         [&](uint64_t offset, ByteView bytes) {
                                           return image.Put(begin + offset,
                                                            bytes);
                                         }));
  ZPACK_TRY(SealFile(*reader, file.shape(), run, image));
  return parameters;
}

}  // namespace zpack
