// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/single_file.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hash.h"

namespace zpack {
namespace {

// Bytes per read when a chunk is only checked.
constexpr uint64_t kChecksumPiece = uint64_t{256} << 10;

}  // namespace

Result<std::unique_ptr<SingleFile>> SingleFile::Open(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options) {
  std::unique_ptr<SingleFile> single(new SingleFile(std::move(file), options));
  ZPACK_TRY(single->Load());
  return single;
}

Status SingleFile::Load() {
  ZPACK_ASSIGN_OR_RETURN(structure_, ReadStructure(*file_, options_));
  const auto index_chunks =
      format::FindIndexChunks(toc(), header().required_features);
  if (!index_chunks) {
    return std::unexpected(Extend(index_chunks.error(), " at offset {} of '{}'",
                                  AtOffset{header().table_of_contents_offset},
                                  AtPath{path()}));
  }
  index_chunks_ = *index_chunks;
  ZPACK_TRY(CheckFeatures());
  if (index_chunks_) return {};
  Result<format::Digest> digest = ReadIdsDigest();
  if (digest) {
    ids_digest_ = *digest;
    return {};
  }
  if (!IsDamage(*file_, digest.error())) return std::unexpected(digest.error());
  structure_.damages.push_back(std::move(digest).error());
  if (options_.damages != nullptr) {
    options_.damages->OnDamage(structure_.damages.back());
  }
  return {};
}

Result<format::Digest> SingleFile::ReadIdsDigest() const {
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk,
                         LoadChunk(*toc().Find(format::kIdsDigestChunk)));
  return Locate(format::DecodeIdsDigest(chunk.payload), chunk.offset, path());
}

Status SingleFile::CheckFeatures() const {
  const bool promised =
      format::HasFeature(header().required_features, format::kPromisedFeature);
  const bool has_list = toc().Find(format::kPromisesChunk) != nullptr;
  if (promised != has_list) {
    return MakeError(
        ErrorCode::kCorrupt, "{} in table of contents at offset {} of '{}'",
        MessageText{promised ? "feature 'promised' without chunk 'PROM'"
                             : "chunk 'PROM' without feature 'promised'"},
        AtOffset{header().table_of_contents_offset}, AtPath{path()});
  }
  if (below() != nullptr && !index_chunks_) {
    return MakeError(ErrorCode::kCorrupt,
                     "both features 'backing' and 'derived-ids' in header at "
                     "offset {} of '{}'",
                     AtOffset{0}, AtPath{path()});
  }
  return {};
}

Result<LoadedChunk> SingleFile::LoadChunk(
    const format::ChunkLocation& chunk) const {
  return ReadChunk(*file_, chunk.id, chunk.offset, chunk.end() - chunk.offset,
                   options_.max_chunk_size);
}

Result<FileIndex> SingleFile::ReadIndexChunks() const {
  FileIndex index;
  const auto& [ids, numbers] = *index_chunks_;
  {
    ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, LoadChunk(ids));
    ZPACK_ASSIGN_OR_RETURN(
        index.ids,
        Locate(format::DecodeObjectIds(chunk.payload, header().object_format,
                                       header().object_count, fan_out()),
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

Status SingleFile::CheckChunk(const format::ChunkLocation& chunk) const {
  file_->Prefetch(chunk.offset, chunk.end());
  return ReadChecked(*file_, chunk.offset, chunk.end(),
                     [&] { return CheckChunkInPieces(chunk); });
}

Status SingleFile::CheckChunkInPieces(
    const format::ChunkLocation& chunk) const {
  ChecksumHasher hasher;
  Bytes piece;
  const uint64_t checksum_offset = chunk.end() - format::kChecksumSize;
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

Status SingleFile::CheckChunkSize(const format::ChunkLocation& chunk) const {
  // It is read in pieces.
  if (chunk.id == format::kFileDataChunk) return {};
  return zpack::CheckChunkSize(*file_, chunk.id, chunk.offset,
                               chunk.end() - chunk.offset,
                               options_.max_chunk_size);
}

}  // namespace zpack
