// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/files_writer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/hex.h"
#include "codec/compressibility.h"
#include "codec/zstd_codec.h"
#include "format/file_table.h"

namespace zpack {
namespace {

// Cuts the contents into pieces and compresses them.
class PieceWriter {
 public:
  PieceWriter(int level, const std::stop_token& stop,
              ContainerWriter& container)
      : compressor_(level, stop), container_(container) {}

  Status Append(ByteView bytes) {
    while (!bytes.empty()) {
      const ByteView part =
          bytes.first(std::min<uint64_t>(bytes.size(), kSize - piece_.size()));
      zpack::Append(piece_, part);
      bytes = bytes.subspan(part.size());
      if (piece_.size() == kSize) ZPACK_TRY(Flush());
    }
    return {};
  }

  // Ends the last piece, and returns the stored sizes of all.
  Result<std::vector<uint64_t>> Finish() {
    if (!piece_.empty()) ZPACK_TRY(Flush());
    return std::move(sizes_);
  }

 private:
  static constexpr uint64_t kSize = format::kFilePieceSize;

  Status Flush() {
    stored_.clear();
    // Objects of Git LFS are mostly media.
    ZPACK_ASSIGN_OR_RETURN(const bool incompressible,
                           compressibility_.IsIncompressible(piece_));
    ZstdCompressor& compressor =
        incompressible ? compressibility_.fast_compressor() : compressor_;
    ZPACK_ASSIGN_OR_RETURN(const size_t size,
                           compressor.Compress(piece_, stored_));
    sizes_.push_back(size);
    container_.AddContent(piece_.size());
    piece_.clear();
    return container_.AppendToChunk(stored_);
  }

  ZstdCompressor compressor_;
  Compressibility compressibility_;
  ContainerWriter& container_;
  Bytes piece_;
  Bytes stored_;
  std::vector<uint64_t> sizes_;
};

class FilesWriter {
 public:
  FilesWriter(const FilesToWrite& files, const std::stop_token& stop,
              PieceWriter& pieces)
      : files_(files), stop_(stop), pieces_(pieces) {}

  Result<std::vector<RepositoryFile>> WriteAll() {
    std::vector<RepositoryFile> written;
    for (const ListedFile& listed : files_.files) {
      ZPACK_ASSIGN_OR_RETURN(const auto stream, files_.source.OpenFile(listed));
      if (stream == nullptr) continue;
      written.push_back({listed.group, listed.name, listed.executable, 0, {}});
      ZPACK_TRY(Write(*stream, written.back()));
    }
    return written;
  }

 private:
  Status Write(FileStream& stream, RepositoryFile& file) {
    while (true) {
      ZPACK_TRY(CheckStop(stop_));
      ZPACK_ASSIGN_OR_RETURN(const size_t size, stream.Read(buffer_));
      if (size == 0) break;
      const ByteView read = ByteView(buffer_).first(size);
      file.size += size;
      hasher_.Update(read);
      ZPACK_TRY(pieces_.Append(read));
    }
    hasher_.Finish(file.sha256);
    return CheckName(file);
  }

  // The name of an object of Git LFS ends with the hash of its content.
  Status CheckName(const RepositoryFile& file) const {
    if (file.group != FileGroup::kLfs ||
        file.name.ends_with(ToHex(file.sha256)))
      return {};
    return MakeError(ErrorCode::kSourceCorrupt,
                     "'{}' of '{}' is corrupt: its content hashes to {}",
                     file.name, AtPath{files_.source.path()},
                     ToHex(file.sha256));
  }

  const FilesToWrite& files_;
  const std::stop_token& stop_;
  PieceWriter& pieces_;
  Bytes buffer_ = Bytes(size_t{256} << 10);
  Hasher hasher_{HashAlgorithm::kSha256};
};

}  // namespace

Result<format::FileTable> WriteFiles(const FilesToWrite& files, int level,
                                     const std::stop_token& stop,
                                     ContainerWriter& container) {
  format::FileTable table;
  if (files.files.empty() && files.left_out.empty()) return table;
  ZPACK_TRY(container.BeginChunk(format::kFileDataChunk));
  PieceWriter pieces(level, stop, container);
  table.left_out = files.left_out;
  ZPACK_ASSIGN_OR_RETURN(table.files,
                         FilesWriter(files, stop, pieces).WriteAll());
  ZPACK_ASSIGN_OR_RETURN(table.piece_sizes, pieces.Finish());
  ZPACK_ASSIGN_OR_RETURN(const auto reader,
                         files.file_system.OpenForRead(container.path()));
  ZPACK_TRY(container.EndChunk(*reader));
  Bytes payload;
  format::Encode(table, payload);
  ZPACK_TRY(container.AddChunk(format::kFileTableChunk, payload));
  return table;
}

}  // namespace zpack
