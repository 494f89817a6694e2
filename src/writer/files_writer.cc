// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/files_writer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/hex.h"
#include "codec/compressibility.h"
#include "codec/zstd_codec.h"
#include "format/file_table.h"
#include "object/read_listed_file.h"

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

Result<std::vector<RepositoryFile>> WriteAll(const FilesToWrite& files,
                                             const std::stop_token& stop,
                                             PieceWriter& pieces) {
  std::vector<RepositoryFile> written;
  for (const ListedFile& listed : files.files) {
    ZPACK_ASSIGN_OR_RETURN(
        auto file,
        ReadListedFile(files.source, listed, stop,
                       [&](ByteView piece) { return pieces.Append(piece); }));
    if (!file) continue;
    if (!NameFitsContent(*file)) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "'{}' of '{}' is corrupt: its content hashes to {}",
                       file->name, AtPath{files.source.path()},
                       ToHex(file->sha256));
    }
    written.push_back(*std::move(file));
  }
  return written;
}

}  // namespace

Result<format::FileTable> WriteFiles(const FilesToWrite& files, int level,
                                     const std::stop_token& stop,
                                     ContainerWriter& container) {
  format::FileTable table;
  if (files.files.empty() && files.left_out.empty()) return table;
  ZPACK_TRY(container.BeginChunk(format::kFileDataChunk));
  PieceWriter pieces(level, stop, container);
  table.left_out = files.left_out;
  ZPACK_ASSIGN_OR_RETURN(table.files, WriteAll(files, stop, pieces));
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
