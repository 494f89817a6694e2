// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/pack_file.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "format/refs_chunk.h"

namespace zpack {
namespace {

// Bytes that are read at a time where a chunk is only checked.
constexpr uint64_t kPiece = uint64_t{256} << 10;

// Adds where it happened to an error that a pure decoder reported.
Error Locate(Error error, uint64_t offset, const std::string& path) {
  error.message += FormatMessage(" at offset {} of '{}'", offset, path);
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
    error.message += FormatMessage(": '{}'", file.path());
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

Status CheckChunkSize(const RandomAccessFile& file, uint32_t id,
                      uint64_t offset, uint64_t size, uint64_t max_size) {
  if (size <= max_size) return {};
  return MakeError(
      ErrorCode::kLimitExceeded,
      "chunk '{}' of {} bytes is above the limit of {} at offset {} of '{}'",
      format::ChunkName(id), size, max_size, offset, file.path());
}

// Reads and checks the chunk at `offset`, which takes `size` bytes in all.
Result<LoadedChunk> ReadChunk(const RandomAccessFile& file, uint32_t id,
                              uint64_t offset, uint64_t size,
                              uint64_t max_size) {
  ZPACK_TRY(CheckChunkSize(file, id, offset, size, max_size));
  LoadedChunk chunk;
  chunk.bytes.resize(size);
  ZPACK_TRY(file.Read(offset, chunk.bytes));
  ZPACK_ASSIGN_OR_RETURN(
      chunk.payload,
      Locate(format::DecodeChunk(id, chunk.bytes), offset, file.path()));
  return chunk;
}

}  // namespace

Result<std::unique_ptr<PackFile>> PackFile::OpenWithoutIndex(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options) {
  std::unique_ptr<PackFile> pack(new PackFile(std::move(file), options));
  uint64_t reading_at = 0;
  ZPACK_TRY(pack->Load(reading_at));
  return pack;
}

Result<std::unique_ptr<PackFile>> PackFile::Open(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options,
    uint64_t* failed_at) {
  uint64_t ignored = 0;
  uint64_t& reading_at = failed_at != nullptr ? *failed_at : ignored;
  reading_at = 0;
  std::unique_ptr<PackFile> pack(new PackFile(std::move(file), options));
  ZPACK_TRY(pack->Load(reading_at));
  ZPACK_TRY(pack->LoadIndex(reading_at));
  return pack;
}

std::unique_ptr<PackFile> PackFile::OfBlocks(
    std::unique_ptr<RandomAccessFile> file, format::BlockTable blocks,
    ObjectIdTable ids, std::vector<uint32_t> numbers) {
  std::unique_ptr<PackFile> pack(new PackFile(std::move(file), ReadOptions{}));
  pack->header_.object_format = ids.format();
  pack->header_.object_count = ids.size();
  pack->header_.required_features = format::KnownFeatures();
  pack->blocks_ = std::move(blocks);
  // The finished file may be larger than it is now.
  pack->expansion_ = std::make_unique<ExpansionMeter>(
      pack->blocks_.block_count(), format::MaxExpansion(UINT64_MAX));
  (void)pack->load_index_.Do([&]() -> Status {
    pack->index_ = {std::move(ids), std::move(numbers), {}};
    pack->index_.ranks = format::InversePermutation(pack->index_.numbers);
    pack->index_loaded_ = true;
    return {};
  });
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
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk refs,
                         ReadChunk(file, format::kRefsChunk, offset,
                                   chunk.payload_size + format::kChunkOverhead,
                                   options.max_chunk_size));
  return Locate(format::DecodeRefs(refs.payload, header.object_format), offset,
                file.path());
}

Status PackFile::Load(uint64_t& reading_at) {
  // Every size below is bounded by the file's size before it is used.
  ZPACK_ASSIGN_OR_RETURN(header_, ReadHeader(*file_));
  const uint64_t start = header_.EncodedSize();
  if (file_->size() < start + format::kTrailerSize + format::kChunkOverhead) {
    return MakeError(ErrorCode::kCorrupt, "file too short: '{}'", path());
  }
  const uint64_t trailer_offset = file_->size() - format::kTrailerSize;
  Bytes trailer(format::kTrailerSize);
  reading_at = trailer_offset;
  ZPACK_TRY(file_->Read(trailer_offset, trailer));
  ZPACK_ASSIGN_OR_RETURN(
      trailer_, Locate(format::DecodeTrailer(trailer), trailer_offset, path()));

  const uint64_t toc_offset = header_.table_of_contents_offset;
  if (toc_offset < start ||
      toc_offset > trailer_offset - format::kChunkOverhead) {
    reading_at = 0;
    return MakeError(ErrorCode::kCorrupt,
                     "bad table of contents offset {} in header of '{}'",
                     toc_offset, path());
  }
  reading_at = toc_offset;
  ZPACK_ASSIGN_OR_RETURN(
      const LoadedChunk toc,
      ReadChunk(*file_, format::kTableOfContentsChunk, toc_offset,
                trailer_offset - toc_offset, options_.max_chunk_size));
  ZPACK_ASSIGN_OR_RETURN(toc_, Locate(format::DecodeTableOfContents(
                                          toc.payload, start, toc_offset),
                                      toc_offset, path()));
  return LoadTables(reading_at);
}

Result<LoadedChunk> PackFile::LoadChunk(
    const format::ChunkLocation& chunk) const {
  return ReadChunk(*file_, chunk.id, chunk.offset, chunk.end() - chunk.offset,
                   options_.max_chunk_size);
}

Result<LoadedChunk> PackFile::LoadChunk(uint32_t id) const {
  const format::ChunkLocation* const chunk = toc_.Find(id);
  if (chunk == nullptr) {
    return MakeError(ErrorCode::kCorrupt, "chunk '{}' is missing from '{}'",
                     format::ChunkName(id), path());
  }
  return LoadChunk(*chunk);
}

Status PackFile::LoadTables(uint64_t& reading_at) {
  // A chunk that is not there is missing from the table of contents.
  const uint64_t toc_offset = header_.table_of_contents_offset;
  const auto at = [this, toc_offset](uint32_t id) {
    const format::ChunkLocation* const chunk = toc_.Find(id);
    return chunk == nullptr ? toc_offset : chunk->offset;
  };
  reading_at = at(format::kRefsChunk);
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk refs, LoadChunk(format::kRefsChunk));
  ZPACK_ASSIGN_OR_RETURN(
      refs_, Locate(format::DecodeRefs(refs.payload, header_.object_format),
                    at(format::kRefsChunk), path()));

  // The header, the refs, the blocks and then every other chunk follow each
  // other without a gap: there is no byte that no checksum covers.
  const auto& chunks = toc_.chunks;
  uint64_t expected = header_.EncodedSize();
  uint64_t blocks_end = toc_offset;
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (i == 1) {
      blocks_end = chunks[1].offset;
    } else if (chunks[i].offset != expected) {
      reading_at = chunks[i].offset;
      return MakeError(
          ErrorCode::kCorrupt, "gap before chunk '{}' at offset {} of '{}'",
          format::ChunkName(chunks[i].id), chunks[i].offset, path());
    }
    expected = chunks[i].end();
  }
  if (chunks.size() < 2 || chunks[0].id != format::kRefsChunk ||
      expected != toc_offset) {
    reading_at = toc_offset;
    return MakeError(ErrorCode::kCorrupt,
                     "table of contents does not cover '{}'", path());
  }

  reading_at = at(format::kBlockTableChunk);
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk blocks,
                         LoadChunk(format::kBlockTableChunk));
  ZPACK_ASSIGN_OR_RETURN(blocks_, Locate(format::DecodeBlockTable(
                                             blocks.payload, chunks[0].end(),
                                             blocks_end, header_.object_count),
                                         at(format::kBlockTableChunk), path()));
  expansion_ = std::make_unique<ExpansionMeter>(
      blocks_.block_count(), format::MaxExpansion(file_->size()));

  reading_at = toc_offset;
  const auto index_chunks = format::FindIndexChunks(toc_);
  if (!index_chunks) {
    Error error = index_chunks.error();
    error.message += FormatMessage(" from '{}'", path());
    return std::unexpected(std::move(error));
  }
  index_chunks_ = *index_chunks;
  return {};
}

Status PackFile::LoadIndex() const {
  uint64_t reading_at = 0;
  return LoadIndex(reading_at);
}

Status PackFile::LoadIndex(uint64_t& reading_at) const {
  return load_index_.Do([&]() -> Status {
    ZPACK_ASSIGN_OR_RETURN(index_, ReadIndex(reading_at));
    index_loaded_ = true;
    return {};
  });
}

Result<PackFile::Index> PackFile::ReadIndex(uint64_t& reading_at) const {
  Index index;
  const auto& [ids, numbers] = index_chunks_;
  {
    const auto decode = ids.id == format::kObjectIdsChunk
                            ? format::DecodeObjectIds
                            : format::DecodeWholeObjectIds;
    reading_at = ids.offset;
    ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, LoadChunk(ids));
    ZPACK_ASSIGN_OR_RETURN(index.ids,
                           Locate(decode(chunk.payload, header_.object_format,
                                         header_.object_count),
                                  ids.offset, path()));
  }
  const auto decode = numbers.id == format::kObjectNumbersChunk
                          ? format::DecodeObjectNumbers
                          : format::DecodeWideObjectNumbers;
  reading_at = numbers.offset;
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, LoadChunk(numbers));
  ZPACK_ASSIGN_OR_RETURN(index.numbers,
                         Locate(decode(chunk.payload, header_.object_count),
                                numbers.offset, path()));
  index.ranks = format::InversePermutation(index.numbers);
  return index;
}

Status PackFile::CheckChunk(const format::ChunkLocation& chunk) const {
  ChecksumHasher hasher;
  Bytes piece;
  const uint64_t checksum_offset = chunk.end() - format::kChecksumSize;
  for (uint64_t at = chunk.offset; at < checksum_offset; at += piece.size()) {
    piece.resize(std::min(kPiece, checksum_offset - at));
    ZPACK_TRY(file_->Read(at, piece));
    if (at == chunk.offset) {
      ZPACK_TRY(Locate(
          format::CheckChunkHeader(chunk.id, chunk.end() - chunk.offset, piece),
          chunk.offset, path()));
    }
    hasher.Update(piece);
  }
  piece.resize(format::kChecksumSize);
  ZPACK_TRY(file_->Read(checksum_offset, piece));
  return Locate(format::CheckChunkChecksum(chunk.id, piece, hasher.Value()),
                chunk.offset, path());
}

uint32_t PackFile::block_object_count(size_t block) const {
  const uint32_t count =
      blocks_.rows[block + 1].first_object - blocks_.rows[block].first_object;
  return std::max<uint32_t>(count, 1);
}

Status PackFile::CheckBlockSize(size_t block) const {
  const uint64_t size = block_stored_size(block);
  if (size <= options_.max_block_size) return {};
  return MakeError(
      ErrorCode::kLimitExceeded,
      "block of {} bytes is above the limit of {} at offset {} of '{}'", size,
      options_.max_block_size, block_offset(block), path());
}

Status PackFile::CheckChunkSize(const format::ChunkLocation& chunk) const {
  return zpack::CheckChunkSize(*file_, chunk.id, chunk.offset,
                               chunk.end() - chunk.offset,
                               options_.max_chunk_size);
}

Status PackFile::ReadBlockChunk(size_t block, Bytes& chunk) const {
  ZPACK_TRY(CheckBlockSize(block));
  chunk.resize(block_stored_size(block));
  return file_->Read(block_offset(block), chunk);
}

}  // namespace zpack
