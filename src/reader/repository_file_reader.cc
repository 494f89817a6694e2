// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/repository_file_reader.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "format/expansion.h"
#include "object/listed_files.h"

namespace zpack {

Result<format::FileTable> ReadFileTable(const ArchiveFile& archive) {
  const auto* const table = archive.toc().Find(format::kFileTableChunk);
  const auto* const data = archive.toc().Find(format::kFileDataChunk);
  if (table == nullptr && data == nullptr) return format::FileTable{};
  if (table == nullptr || data == nullptr) {
    return MakeError(ErrorCode::kCorrupt,
                     "chunk '{}' without chunk '{}' at offset {} of '{}'",
                     table == nullptr ? "FDAT" : "FTAB",
                     table == nullptr ? "FTAB" : "FDAT",
                     AtOffset{(table == nullptr ? data : table)->offset},
                     AtPath{archive.path()});
  }
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, archive.top().LoadChunk(*table));
  auto decoded = format::DecodeFileTable(
      chunk.payload, data->payload_size,
      format::MaxExpansion(archive.file().size()).content);
  if (decoded) return decoded;
  return std::unexpected(
      Extend(std::move(decoded).error(), " at offset {} of '{}'",
             AtOffset{table->offset}, AtPath{archive.path()}));
}

namespace {

uint64_t DataOffset(const ArchiveFile& archive) {
  const auto* const data = archive.toc().Find(format::kFileDataChunk);
  return data == nullptr ? 0 : data->offset;
}

}  // namespace

RepositoryFileReader::RepositoryFileReader(const ArchiveFile& archive,
                                           const format::FileTable& table)
    : RepositoryFileReader(archive.file(), table, DataOffset(archive)) {}

RepositoryFileReader::RepositoryFileReader(const RandomAccessFile& file,
                                           const format::FileTable& table,
                                           uint64_t data_offset)
    : file_(file),
      data_offset_(data_offset),
      table_(table),
      content_size_(table.content_size()) {
  uint64_t offset = 0;
  for (const RepositoryFile& listed : table.files) {
    file_offsets_.push_back(offset);
    offset += listed.size;
  }
  offset = data_offset + format::kChunkHeaderSize;
  for (const uint64_t size : table.piece_sizes) {
    piece_offsets_.push_back(offset);
    offset += size;
  }
}

Status RepositoryFileReader::LoadPiece(uint64_t number) {
  if (loaded_ == number) return {};
  loaded_.reset();
  stored_.resize(table_.piece_sizes[number]);
  ZPACK_TRY(file_.Read(piece_offsets_[number], stored_));
  content_.resize(std::min(format::kFilePieceSize,
                           content_size_ - number * format::kFilePieceSize));
  Status decoded = decompressor_.Decompress(stored_, content_);
  if (!decoded) {
    return std::unexpected(
        Extend(std::move(decoded).error(), " at offset {} of '{}'",
               AtOffset{piece_offsets_[number]}, AtPath{file_.path()}));
  }
  loaded_ = number;
  return {};
}

Status RepositoryFileReader::Read(size_t index,
                                  const Visitor<ByteView>& piece) {
  const RepositoryFile& file = table_.files[index];
  Hasher hasher(HashAlgorithm::kSha256);
  for (uint64_t at = 0; at < file.size;) {
    ZPACK_ASSIGN_OR_RETURN(const ByteView part, ReadSome(index, at));
    hasher.Update(part);
    ZPACK_VISIT(piece(part), {});
    at += part.size();
  }
  std::array<uint8_t, Hasher::kMaxSize> hash;
  return CheckHash(index, hasher.Finish(hash));
}

Result<ByteView> RepositoryFileReader::ReadSome(size_t index,
                                                uint64_t offset) {
  const uint64_t left = table_.files[index].size - offset;
  if (left == 0) return ByteView();
  const uint64_t at = file_offsets_[index] + offset;
  ZPACK_TRY(LoadPiece(at / format::kFilePieceSize));
  const ByteView rest = ByteView(content_).subspan(at % format::kFilePieceSize);
  return rest.first(std::min<uint64_t>(rest.size(), left));
}

Status RepositoryFileReader::CheckHash(size_t index, ByteView hash) const {
  const RepositoryFile& file = table_.files[index];
  if (std::ranges::equal(hash, file.sha256) && NameFitsContent(file)) return {};
  return MakeError(ErrorCode::kCorrupt,
                   "file '{}' is damaged at offset {} of '{}'", file.name,
                   AtOffset{data_offset_}, AtPath{file_.path()});
}

}  // namespace zpack
