// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/archive_file.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "format/lost_chunk.h"
#include "format/promises_chunk.h"
#include "reader/index_cache.h"

namespace zpack {
namespace {

// Bytes per read when a chunk is only checked.
constexpr uint64_t kChecksumPiece = uint64_t{256} << 10;

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

Result<std::unique_ptr<ArchiveFile>> ArchiveFile::OpenStructure(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(auto archive,
                         OpenWithoutIndex(std::move(file), options));
  if (archive->index_chunks()) ZPACK_TRY(archive->LoadIndex());
  return archive;
}

Status ArchiveFile::CheckUndamaged() const {
  if (damages().empty()) return {};
  return std::unexpected(damages().front());
}

Status ArchiveFile::Load() {
  ZPACK_ASSIGN_OR_RETURN(structure_, ReadStructure(*file_, options_));
  const auto index_chunks =
      format::FindIndexChunks(toc(), header().required_features);
  if (!index_chunks) {
    return std::unexpected(Extend(index_chunks.error(), " at offset {} of '{}'",
                                  AtOffset{header().table_of_contents_offset},
                                  AtPath{path()}));
  }
  index_chunks_ = *index_chunks;
  ZPACK_TRY(CheckPromisesChunk());
  if (!index_chunks_) {
    ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk,
                           LoadChunk(*toc().Find(format::kIdsDigestChunk)));
    ZPACK_ASSIGN_OR_RETURN(
        ids_digest_,
        Locate(format::DecodeIdsDigest(chunk.payload), chunk.offset, path()));
    // LoadIndex compares them with the ids.
    ZPACK_ASSIGN_OR_RETURN(promises_, ReadPromises(ObjectIdTable()));
    lost_ = ReadLost(ObjectIdTable());
  }
  blocks_.emplace(*file_, options_, BlockParts(),
                  [this] { return ReadIndex(); });
  return {};
}

FileBlocks::Parts ArchiveFile::BlockParts() const {
  return {header().object_format, header().object_count,
          header().required_features, structure_.blocks,
          format::MaxExpansion(file_->size())};
}

Result<LoadedChunk> ArchiveFile::LoadChunk(
    const format::ChunkLocation& chunk) const {
  return ReadChunk(*file_, chunk.id, chunk.offset, chunk.end() - chunk.offset,
                   options_.max_chunk_size);
}

Status ArchiveFile::CheckPromisesChunk() const {
  const bool stated =
      format::HasFeature(header().required_features, format::kPromisedFeature);
  if (stated == has_promises()) return {};
  return MakeError(
      ErrorCode::kCorrupt, "{} in table of contents at offset {} of '{}'",
      MessageText{stated ? "feature 'promised' without chunk 'PROM'"
                         : "chunk 'PROM' without feature 'promised'"},
      AtOffset{header().table_of_contents_offset}, AtPath{path()});
}

namespace {

// kCorrupt if an object of `list`, which is said to be `what`, is among the
// `ids` of the file.
Status CheckAbsent(const ObjectIdTable& list, const ObjectIdTable& ids,
                   std::string_view what, uint64_t offset,
                   const std::string& path) {
  for (uint32_t i = 0; i < list.size(); ++i) {
    const ObjectId id = list[i];
    if (!ids.Find(id)) continue;
    return MakeError(ErrorCode::kCorrupt,
                     "object {} is both {} and in the file, at offset {} of "
                     "'{}'",
                     id, MessageText{what}, AtOffset{offset}, AtPath{path});
  }
  return {};
}

}  // namespace

Result<Promises> ArchiveFile::ReadPromises(const ObjectIdTable& ids) const {
  const auto* const location = toc().Find(format::kPromisesChunk);
  if (location == nullptr) return Promises{};
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, LoadChunk(*location));
  ZPACK_ASSIGN_OR_RETURN(
      Promises promises,
      Locate(format::DecodePromises(chunk.payload, header().object_format),
             chunk.offset, path()));
  ZPACK_TRY(CheckAbsent(promises.ids, ids, "promised", chunk.offset, path()));
  return promises;
}

Result<LostObjects> ArchiveFile::ReadLost(const ObjectIdTable& ids) const {
  const auto* const location = toc().Find(format::kLostChunk);
  if (location == nullptr) return LostObjects{};
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, LoadChunk(*location));
  ZPACK_ASSIGN_OR_RETURN(
      LostObjects lost,
      Locate(format::DecodeLostObjects(chunk.payload, header().object_format),
             chunk.offset, path()));
  ZPACK_TRY(CheckAbsent(lost.ids, ids, "lost", chunk.offset, path()));
  return lost;
}

std::string_view ArchiveFile::WhyAbsent(const ObjectId& id) const {
  if (promises().Has(id)) return "promised, not in the file";
  return lost_ && lost_->Has(id) ? "lost" : "missing";
}

Result<FileIndex> ArchiveFile::ReadIndex() const {
  ZPACK_ASSIGN_OR_RETURN(
      FileIndex index, index_chunks_ ? ReadIndexChunks() : FindDerivedIndex());
  ZPACK_ASSIGN_OR_RETURN(promises_, ReadPromises(index.ids));
  lost_ = ReadLost(index.ids);
  return index;
}

Status ArchiveFile::SetIndex(FileIndex index) {
  if (!ids_digest_ ||
      format::IdsDigest(index.ids, index.ranks) != *ids_digest_) {
    return MakeError(ErrorCode::kMismatch,
                     "the objects are not those that the digest of object ids "
                     "states, in '{}'",
                     AtPath{path()});
  }
  given_index_ = std::move(index);
  return LoadIndex();
}

Result<FileIndex> ArchiveFile::FindDerivedIndex() const {
  if (given_index_) return *std::exchange(given_index_, std::nullopt);
  const CachedIndexKey key{trailer().file_hash, header().object_format,
                           object_count(), *ids_digest_};
  if (std::optional<FileIndex> cached = ReadCachedIndex(options_, key)) {
    return *std::move(cached);
  }
  derivation_.emplace();
  ZPACK_ASSIGN_OR_RETURN(
      FileIndex index,
      DeriveIndex(*file_, options_, BlockParts(), *ids_digest_, *derivation_));
  WriteCachedIndex(options_, key, index);
  return index;
}

Result<FileIndex> ArchiveFile::ReadIndexChunks() const {
  FileIndex index;
  const auto& [ids, numbers] = *index_chunks_;
  {
    ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, LoadChunk(ids));
    ZPACK_ASSIGN_OR_RETURN(
        index.ids,
        Locate(format::DecodeObjectIds(chunk.payload, header().object_format,
                                       header().object_count),
               ids.offset, path()));
  }
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, LoadChunk(numbers));
  ZPACK_ASSIGN_OR_RETURN(
      index.numbers,
      Locate(format::DecodeObjectNumbers(chunk.payload, header().object_count),
             numbers.offset, path()));
  index.ranks = format::InversePermutation(index.numbers);
  return index;
}

Status ArchiveFile::CheckChunk(const format::ChunkLocation& chunk) const {
  ChecksumHasher hasher;
  Bytes piece;
  const uint64_t checksum_offset = chunk.end() - format::kChecksumSize;
  file_->Prefetch(chunk.offset, chunk.end());
  for (uint64_t at = chunk.offset; at < checksum_offset; at += piece.size()) {
    piece.resize(std::min(kChecksumPiece, checksum_offset - at));
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
