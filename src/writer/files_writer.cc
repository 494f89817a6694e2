// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/files_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
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

// Writes the contents of files, and collects the rows of the table.
class TableWriter {
 public:
  TableWriter(const FilesToWrite& files, const std::stop_token& stop,
              PieceWriter& pieces)
      : files_(files), stop_(stop), pieces_(pieces) {
    table_.backed = files.below != nullptr;
    table_.left_out = files.left_out;
  }

  Status Write() {
    for (const ListedFile& listed : files_.files) {
      const RepositoryFile* const below = FindBelow(listed);
      ZPACK_TRY(below == nullptr ? WriteNew(listed)
                                 : WriteDifference(listed, *below));
    }
    if (files_.below == nullptr) return {};
    for (const RepositoryFile& file : *files_.below) {
      if (!std::ranges::binary_search(all_, file.name, {},
                                      &RepositoryFile::name)) {
        table_.removed.push_back(file.name);
      }
    }
    table_.digest = format::FilesDigest(table_.left_out, all_);
    return {};
  }

  format::FileTable& table() { return table_; }
  std::vector<RepositoryFile>& all() { return all_; }

 private:
  const RepositoryFile* FindBelow(const ListedFile& listed) const {
    if (files_.below == nullptr) return nullptr;
    const auto at = std::ranges::lower_bound(*files_.below, listed.name, {},
                                             &RepositoryFile::name);
    return at != files_.below->end() && at->name == listed.name &&
                   at->group == listed.group
               ? &*at
               : nullptr;
  }

  Status WriteNew(const ListedFile& listed) {
    ZPACK_ASSIGN_OR_RETURN(
        auto file,
        ReadListedFile(files_.source, listed, stop_,
                       [&](ByteView piece) { return pieces_.Append(piece); }));
    if (!file) return {};
    ZPACK_TRY(CheckName(*file));
    if (table_.backed) table_.continued.push_back(false);
    table_.files.push_back(*file);
    all_.push_back(*std::move(file));
    return {};
  }

  // Reads the file twice: to see what has changed, and to write that.
  Status WriteDifference(const ListedFile& listed,
                         const RepositoryFile& below) {
    Hasher start_hasher(HashAlgorithm::kSha256);
    uint64_t position = 0;
    const auto hash_start = [&](ByteView piece) -> Status {
      const uint64_t left = below.size - std::min(position, below.size);
      start_hasher.Update(piece.first(std::min<uint64_t>(left, piece.size())));
      position += piece.size();
      return {};
    };
    ZPACK_ASSIGN_OR_RETURN(
        const auto file,
        ReadListedFile(files_.source, listed, stop_, hash_start));
    if (!file) return {};
    ZPACK_TRY(CheckName(*file));
    all_.push_back(*file);
    if (*file == below) return {};
    std::array<uint8_t, Hasher::kMaxSize> start;
    start_hasher.Finish(start);
    const bool continued = file->size >= below.size && start == below.sha256;
    const uint64_t skipped = continued ? below.size : 0;
    position = 0;
    ZPACK_ASSIGN_OR_RETURN(
        const auto again,
        ReadListedFile(
            files_.source, listed, stop_, [&](ByteView piece) -> Status {
              const uint64_t left = skipped - std::min(position, skipped);
              position += piece.size();
              return pieces_.Append(
                  piece.subspan(std::min<uint64_t>(left, piece.size())));
            }));
    if (again != file) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "'{}' of '{}' changed while it was converted",
                       listed.name, AtPath{files_.source.path()});
    }
    table_.files.push_back(*file);
    table_.files.back().size -= skipped;
    table_.continued.push_back(continued);
    return {};
  }

  Status CheckName(const RepositoryFile& file) const {
    Status checked = CheckContent(files_.source, file);
    if (checked) return checked;
    return std::unexpected(
        Extend(std::move(checked).error(),
               "; 'git lfs fetch' may bring it back once it is removed, and "
               "'git zpack convert --keep-going' leaves it out"));
  }

  const FilesToWrite& files_;
  const std::stop_token& stop_;
  PieceWriter& pieces_;
  format::FileTable table_;
  std::vector<RepositoryFile> all_;
};

}  // namespace

Result<std::vector<RepositoryFile>> WriteFiles(const FilesToWrite& files,
                                               int level,
                                               const std::stop_token& stop,
                                               ContainerWriter& container) {
  if (files.files.empty() && files.left_out.empty()) return {};
  ZPACK_TRY(container.BeginChunk(format::kFileDataChunk));
  PieceWriter pieces(level, stop, container);
  TableWriter writer(files, stop, pieces);
  ZPACK_TRY(writer.Write());
  ZPACK_ASSIGN_OR_RETURN(writer.table().piece_sizes, pieces.Finish());
  ZPACK_ASSIGN_OR_RETURN(const auto reader,
                         files.file_system.OpenForRead(container.path()));
  ZPACK_TRY(container.EndChunk(*reader));
  Bytes payload;
  format::Encode(writer.table(), payload);
  ZPACK_TRY(container.AddChunk(format::kFileTableChunk, payload));
  return std::move(writer.all());
}

}  // namespace zpack
