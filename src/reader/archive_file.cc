// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/archive_file.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "format/promises_chunk.h"
#include "format/refs_chunk.h"

namespace zpack {
namespace {

// Bytes per read when a chunk is only checked.
constexpr uint64_t kPiece = uint64_t{256} << 10;

// Adds path and offset to the error of a pure decoder.
Error Locate(Error error, uint64_t offset, const std::string& path) {
  return Extend(std::move(error), " at offset {} of '{}'", AtOffset{offset},
                AtPath{path});
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
    if (error.code == ErrorCode::kCorrupt) {
      return std::unexpected(Locate(std::move(error), 0, file.path()));
    }
    return std::unexpected(
        Extend(std::move(error), ": '{}'", AtPath{file.path()}));
  }
  bytes.resize(*size);
  ZPACK_TRY(file.Read(0, bytes));
  ZPACK_ASSIGN_OR_RETURN(
      format::FileHeader header,
      Locate(format::DecodeFileHeader(bytes, format::KnownFeatures()), 0,
             file.path()));
  if (header.file_size != file.size()) {
    return MakeError(ErrorCode::kCorrupt,
                     "file of {} bytes where the header at offset {} says {}: "
                     "'{}'",
                     file.size(), AtOffset{0}, header.file_size,
                     AtPath{file.path()});
  }
  return header;
}

Status CheckChunkSize(const RandomAccessFile& file, uint32_t id,
                      uint64_t offset, uint64_t size, uint64_t max_size) {
  if (size <= max_size) return {};
  return MakeError(
      ErrorCode::kLimitExceeded,
      "chunk '{}' of {} bytes is above the limit of {} at offset {} of '{}'",
      format::ChunkName(id), size, max_size, AtOffset{offset},
      AtPath{file.path()});
}

// Reads and checks the chunk at `offset`, which takes `size` bytes in all.
Result<LoadedChunk> ReadChunk(const RandomAccessFile& file, uint32_t id,
                              uint64_t offset, uint64_t size,
                              uint64_t max_size) {
  ZPACK_TRY(CheckChunkSize(file, id, offset, size, max_size));
  LoadedChunk chunk;
  chunk.offset = offset;
  chunk.bytes.resize(size);
  ZPACK_TRY(file.Read(offset, chunk.bytes));
  ZPACK_ASSIGN_OR_RETURN(
      chunk.payload,
      Locate(format::DecodeChunk(id, chunk.bytes), offset, file.path()));
  return chunk;
}

}  // namespace

Result<std::unique_ptr<ArchiveFile>> ArchiveFile::OpenWithoutIndex(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options) {
  std::unique_ptr<ArchiveFile> archive(
      new ArchiveFile(std::move(file), options));
  ZPACK_TRY(archive->Load());
  return archive;
}

Result<std::unique_ptr<ArchiveFile>> ArchiveFile::Open(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(auto archive,
                         OpenWithoutIndex(std::move(file), options));
  ZPACK_TRY(archive->LoadIndex());
  return archive;
}

Result<RefsSnapshot> ArchiveFile::ReadRefs(const RandomAccessFile& file,
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
                     "bad size of chunk at offset {} of '{}'", AtOffset{offset},
                     AtPath{file.path()});
  }
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk refs,
                         ReadChunk(file, format::kRefsChunk, offset,
                                   chunk.payload_size + format::kChunkOverhead,
                                   options.max_chunk_size));
  return Locate(format::DecodeRefs(refs.payload, header.object_format), offset,
                file.path());
}

Status ArchiveFile::Load() {
  // Every size below is bounded by the file's size before it is used.
  ZPACK_ASSIGN_OR_RETURN(header_, ReadHeader(*file_));
  const uint64_t start = header_.EncodedSize();
  if (file_->size() < start + format::kTrailerSize + format::kChunkOverhead) {
    return MakeError(ErrorCode::kCorrupt, "file too short: '{}'",
                     AtPath{path()});
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
                     "bad table of contents offset {} in header at offset {} "
                     "of '{}'",
                     toc_offset, AtOffset{0}, AtPath{path()});
  }
  ZPACK_ASSIGN_OR_RETURN(
      const LoadedChunk toc,
      ReadChunk(*file_, format::kTableOfContentsChunk, toc_offset,
                trailer_offset - toc_offset, options_.max_chunk_size));
  ZPACK_ASSIGN_OR_RETURN(toc_, Locate(format::DecodeTableOfContents(
                                          toc.payload, start, toc_offset),
                                      toc_offset, path()));
  return LoadTables();
}

Result<LoadedChunk> ArchiveFile::LoadChunk(
    const format::ChunkLocation& chunk) const {
  return ReadChunk(*file_, chunk.id, chunk.offset, chunk.end() - chunk.offset,
                   options_.max_chunk_size);
}

Result<LoadedChunk> ArchiveFile::LoadChunk(uint32_t id) const {
  const format::ChunkLocation* const chunk = toc_.Find(id);
  if (chunk == nullptr) {
    return MakeError(ErrorCode::kCorrupt,
                     "chunk '{}' is missing from table of contents at offset "
                     "{} of '{}'",
                     format::ChunkName(id),
                     AtOffset{header_.table_of_contents_offset},
                     AtPath{path()});
  }
  return LoadChunk(*chunk);
}

Status ArchiveFile::LoadTables() {
  ZPACK_TRY(LoadRefs());
  ZPACK_TRY(CheckCover());
  ZPACK_TRY(LoadBlockTable());
  const auto index_chunks = format::FindIndexChunks(toc_);
  if (!index_chunks) {
    return std::unexpected(Extend(
        index_chunks.error(), " from table of contents at offset {} of '{}'",
        AtOffset{header_.table_of_contents_offset}, AtPath{path()}));
  }
  index_chunks_ = *index_chunks;
  return CheckPromisesChunk();
}

Status ArchiveFile::CheckPromisesChunk() const {
  const bool stated =
      std::ranges::find(header_.required_features, format::kPromisedFeature) !=
      header_.required_features.end();
  if (stated == has_promises()) return {};
  return MakeError(
      ErrorCode::kCorrupt, "{} in table of contents at offset {} of '{}'",
      MessageText{stated ? "feature 'promised' without chunk 'PROM'"
                         : "chunk 'PROM' without feature 'promised'"},
      AtOffset{header_.table_of_contents_offset}, AtPath{path()});
}

Result<Promises> ArchiveFile::ReadPromises(const ObjectIdTable& ids) const {
  const auto* const location = toc_.Find(format::kPromisesChunk);
  if (location == nullptr) return Promises{};
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, LoadChunk(*location));
  ZPACK_ASSIGN_OR_RETURN(
      Promises promises,
      Locate(format::DecodePromises(chunk.payload, header_.object_format),
             chunk.offset, path()));
  for (uint32_t i = 0; i < promises.ids.size(); ++i) {
    const ObjectId id = promises.ids[i];
    if (!ids.Find(id)) continue;
    return MakeError(ErrorCode::kCorrupt,
                     "object {} is both promised and in the file, at offset {} "
                     "of '{}'",
                     id, AtOffset{chunk.offset}, AtPath{path()});
  }
  return promises;
}

Status ArchiveFile::LoadRefs() {
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk,
                         LoadChunk(format::kRefsChunk));
  ZPACK_ASSIGN_OR_RETURN(
      refs_, Locate(format::DecodeRefs(chunk.payload, header_.object_format),
                    chunk.offset, path()));
  return {};
}

Status ArchiveFile::CheckCover() const {
  // The header, the refs, the blocks and all other chunks follow each other
  // without gaps, so a checksum covers every byte.
  const auto& chunks = toc_.chunks;
  uint64_t expected = header_.EncodedSize();
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (i != 1 && chunks[i].offset != expected) {
      return MakeError(ErrorCode::kCorrupt,
                       "gap before chunk '{}' at offset {} of '{}'",
                       format::ChunkName(chunks[i].id),
                       AtOffset{chunks[i].offset}, AtPath{path()});
    }
    expected = chunks[i].end();
  }
  const uint64_t toc_offset = header_.table_of_contents_offset;
  if (chunks.size() < 2 || chunks[0].id != format::kRefsChunk ||
      expected != toc_offset) {
    return MakeError(ErrorCode::kCorrupt,
                     "table of contents at offset {} does not cover '{}'",
                     AtOffset{toc_offset}, AtPath{path()});
  }
  return {};
}

Status ArchiveFile::LoadBlockTable() {
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk,
                         LoadChunk(format::kBlockTableChunk));
  // The blocks lie between the first chunk and the second.
  ZPACK_ASSIGN_OR_RETURN(
      format::BlockTable table,
      Locate(
          format::DecodeBlockTable(chunk.payload, toc_.chunks[0].end(),
                                   toc_.chunks[1].offset, header_.object_count),
          chunk.offset, path()));
  blocks_.emplace(*file_, options_,
                  FileBlocks::Parts{header_.object_format, header_.object_count,
                                    header_.required_features, std::move(table),
                                    format::MaxExpansion(file_->size())},
                  [this] { return ReadIndex(); });
  return {};
}

Result<FileIndex> ArchiveFile::ReadIndex() const {
  FileIndex index;
  const auto& [ids, numbers] = index_chunks_;
  {
    const auto decode = ids.id == format::kObjectIdsChunk
                            ? format::DecodeObjectIds
                            : format::DecodeWholeObjectIds;
    ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, LoadChunk(ids));
    ZPACK_ASSIGN_OR_RETURN(index.ids,
                           Locate(decode(chunk.payload, header_.object_format,
                                         header_.object_count),
                                  ids.offset, path()));
  }
  const auto decode = numbers.id == format::kObjectNumbersChunk
                          ? format::DecodeObjectNumbers
                          : format::DecodeWideObjectNumbers;
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, LoadChunk(numbers));
  ZPACK_ASSIGN_OR_RETURN(index.numbers,
                         Locate(decode(chunk.payload, header_.object_count),
                                numbers.offset, path()));
  index.ranks = format::InversePermutation(index.numbers);
  ZPACK_ASSIGN_OR_RETURN(promises_, ReadPromises(index.ids));
  return index;
}

Status ArchiveFile::CheckChunk(const format::ChunkLocation& chunk) const {
  ChecksumHasher hasher;
  Bytes piece;
  const uint64_t checksum_offset = chunk.end() - format::kChecksumSize;
  file_->Prefetch(chunk.offset, chunk.end());
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

Status ArchiveFile::CheckChunkSize(const format::ChunkLocation& chunk) const {
  // It is read in pieces.
  if (chunk.id == format::kFileDataChunk) return {};
  return zpack::CheckChunkSize(*file_, chunk.id, chunk.offset,
                               chunk.end() - chunk.offset,
                               options_.max_chunk_size);
}

}  // namespace zpack
