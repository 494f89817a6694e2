// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/pack_file.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "format/object_index.h"
#include "format/refs_chunk.h"

namespace zpack {
namespace {

// Adds where it happened to an error that a pure decoder reported.
Error Locate(Error error, uint64_t offset, const std::string& path) {
  error.message += fmt::format(" at offset {} of '{}'", offset, path);
  return error;
}

template <typename T>
Result<T> Locate(Result<T> result, uint64_t offset, const std::string& path) {
  if (result) return result;
  return std::unexpected(Locate(std::move(result).error(), offset, path));
}

Result<format::FileHeader> ReadHeader(const RandomAccessFile& file) {
  Bytes bytes(std::min<uint64_t>(file.size(), format::kFixedHeaderSize));
  ZPACK_TRY(file.Read(0, bytes));
  Result<size_t> size = format::DecodeHeaderSize(bytes);
  if (!size) {
    Error error = std::move(size).error();
    error.message += fmt::format(": '{}'", file.path());
    return std::unexpected(std::move(error));
  }
  bytes.resize(*size);
  ZPACK_TRY(file.Read(0, bytes));
  ZPACK_ASSIGN_OR_RETURN(
      format::FileHeader header,
      Locate(format::DecodeFileHeader(bytes, format::KnownFeatures()), 0,
             file.path()));
  if (header.file_size != file.size()) {
    return MakeError(ErrorCode::kCorrupt,
                     "file of {} bytes where its header says {}: '{}'",
                     file.size(), header.file_size, file.path());
  }
  return header;
}

// Reads and checks the chunk at `offset`, which takes `size` bytes in all.
Result<Bytes> ReadChunk(const RandomAccessFile& file, uint32_t id,
                        uint64_t offset, uint64_t size, uint64_t max_size) {
  if (size > max_size) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "chunk '{}' of {} bytes is above the limit of {} at "
                     "offset {} of '{}'",
                     format::ChunkName(id), size, max_size, offset,
                     file.path());
  }
  Bytes chunk(size);
  ZPACK_TRY(file.Read(offset, chunk));
  ZPACK_ASSIGN_OR_RETURN(
      const ByteView payload,
      Locate(format::DecodeChunk(id, chunk), offset, file.path()));
  return Bytes(payload.begin(), payload.end());
}

}  // namespace

Result<std::unique_ptr<PackFile>> PackFile::Open(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options) {
  std::unique_ptr<PackFile> pack(new PackFile(std::move(file), options));
  ZPACK_TRY(pack->Load());
  return pack;
}

Result<RefsSnapshot> PackFile::ReadRefs(const RandomAccessFile& file,
                                        const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(const format::FileHeader header, ReadHeader(file));
  const uint64_t offset = header.EncodedSize();
  const uint64_t rest = file.size() - offset;
  Bytes start(std::min<uint64_t>(rest, format::kChunkHeaderSize));
  ZPACK_TRY(file.Read(offset, start));
  ZPACK_ASSIGN_OR_RETURN(
      const format::ChunkHeader chunk,
      Locate(format::DecodeChunkHeader(start), offset, file.path()));
  if (rest < format::kChunkOverhead ||
      chunk.payload_size > rest - format::kChunkOverhead) {
    return MakeError(ErrorCode::kCorrupt,
                     "bad size of chunk at offset {} of '{}'", offset,
                     file.path());
  }
  ZPACK_ASSIGN_OR_RETURN(const Bytes payload,
                         ReadChunk(file, format::kRefsChunk, offset,
                                   chunk.payload_size + format::kChunkOverhead,
                                   options.max_chunk_size));
  return Locate(format::DecodeRefs(payload, header.object_format), offset,
                file.path());
}

Status PackFile::Load() {
  // Every size below is bounded by the file's size before it is used.
  ZPACK_ASSIGN_OR_RETURN(header_, ReadHeader(*file_));
  const uint64_t start = header_.EncodedSize();
  if (file_->size() < start + format::kTrailerSize + format::kChunkOverhead) {
    return MakeError(ErrorCode::kCorrupt, "file too short: '{}'", path());
  }
  const uint64_t trailer_offset = file_->size() - format::kTrailerSize;
  Bytes trailer(format::kTrailerSize);
  ZPACK_TRY(file_->Read(trailer_offset, trailer));
  ZPACK_ASSIGN_OR_RETURN(
      trailer_, Locate(format::DecodeTrailer(trailer), trailer_offset, path()));

  const uint64_t toc_offset = header_.table_of_contents_offset;
  if (toc_offset < start ||
      toc_offset > trailer_offset - format::kChunkOverhead) {
    return MakeError(ErrorCode::kCorrupt,
                     "bad table of contents offset {} in header of '{}'",
                     toc_offset, path());
  }
  ZPACK_ASSIGN_OR_RETURN(
      const Bytes toc,
      ReadChunk(*file_, format::kTableOfContentsChunk, toc_offset,
                trailer_offset - toc_offset, options_.max_chunk_size));
  ZPACK_ASSIGN_OR_RETURN(
      toc_, Locate(format::DecodeTableOfContents(toc, start, toc_offset),
                   toc_offset, path()));
  return LoadTables();
}

Result<Bytes> PackFile::LoadChunk(uint32_t id) const {
  const format::ChunkLocation* const chunk = toc_.Find(id);
  if (chunk == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "chunk '{}' is missing from '{}'",
                     format::ChunkName(id), path());
  }
  return ReadChunk(*file_, id, chunk->offset, chunk->end() - chunk->offset,
                   options_.max_chunk_size);
}

Status PackFile::LoadTables() {
  const auto at = [this](uint32_t id) { return toc_.Find(id)->offset; };
  ZPACK_ASSIGN_OR_RETURN(const Bytes refs, LoadChunk(format::kRefsChunk));
  ZPACK_ASSIGN_OR_RETURN(refs_,
                         Locate(format::DecodeRefs(refs, header_.object_format),
                                at(format::kRefsChunk), path()));

  // The header, the refs, the blocks and then every other chunk follow each
  // other without a gap: there is no byte that no checksum covers.
  const auto& chunks = toc_.chunks;
  uint64_t expected = header_.EncodedSize();
  uint64_t blocks_end = header_.table_of_contents_offset;
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (i == 1) {
      blocks_end = chunks[1].offset;
    } else if (chunks[i].offset != expected) {
      return MakeError(
          ErrorCode::kCorrupt, "gap before chunk '{}' at offset {} of '{}'",
          format::ChunkName(chunks[i].id), chunks[i].offset, path());
    }
    expected = chunks[i].end();
  }
  if (chunks.size() < 2 || chunks[0].id != format::kRefsChunk ||
      expected != header_.table_of_contents_offset) {
    return MakeError(ErrorCode::kCorrupt,
                     "table of contents does not cover '{}'", path());
  }

  ZPACK_ASSIGN_OR_RETURN(const Bytes blocks,
                         LoadChunk(format::kBlockTableChunk));
  ZPACK_ASSIGN_OR_RETURN(blocks_, Locate(format::DecodeBlockTable(
                                             blocks, chunks[0].end(),
                                             blocks_end, header_.object_count),
                                         at(format::kBlockTableChunk), path()));

  ZPACK_TRY(LoadIndex());
  ranks_ = format::InversePermutation(numbers_);
  return {};
}

Status PackFile::LoadIndex() {
  // Older files have other forms of either chunk.
  const bool old_ids = toc_.Find(format::kObjectIdsChunk) == nullptr;
  const uint32_t ids_chunk =
      old_ids ? format::kWholeObjectIdsChunk : format::kObjectIdsChunk;
  ZPACK_ASSIGN_OR_RETURN(const Bytes ids, LoadChunk(ids_chunk));
  ZPACK_ASSIGN_OR_RETURN(
      ids_,
      Locate((old_ids ? format::DecodeWholeObjectIds : format::DecodeObjectIds)(
                 ids, header_.object_format, header_.object_count),
             toc_.Find(ids_chunk)->offset, path()));

  const bool old_numbers = toc_.Find(format::kObjectNumbersChunk) == nullptr;
  const uint32_t numbers_chunk = old_numbers ? format::kWideObjectNumbersChunk
                                             : format::kObjectNumbersChunk;
  ZPACK_ASSIGN_OR_RETURN(const Bytes numbers, LoadChunk(numbers_chunk));
  ZPACK_ASSIGN_OR_RETURN(numbers_,
                         Locate((old_numbers ? format::DecodeWideObjectNumbers
                                             : format::DecodeObjectNumbers)(
                                    numbers, header_.object_count),
                                toc_.Find(numbers_chunk)->offset, path()));
  return {};
}

uint32_t PackFile::block_object_count(size_t block) const {
  const uint32_t count =
      blocks_.rows[block + 1].first_object - blocks_.rows[block].first_object;
  return std::max<uint32_t>(count, 1);
}

Status PackFile::ReadBlockChunk(size_t block, Bytes& chunk) const {
  const uint64_t size = block_stored_size(block);
  if (size > options_.max_block_size) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "block of {} bytes is above the limit of {} at offset {} "
                     "of '{}'",
                     size, options_.max_block_size, block_offset(block),
                     path());
  }
  chunk.resize(size);
  return file_->Read(block_offset(block), chunk);
}

}  // namespace zpack
