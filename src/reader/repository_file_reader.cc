// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/repository_file_reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "format/expansion.h"
#include "object/listed_files.h"
#include "reader/chunk_reader.h"

namespace zpack {

namespace {

// The table of one file; nothing if it makes no statement about files.
Result<std::optional<format::FileTable>> ReadTableOf(const SingleFile& file) {
  const auto* const table = file.toc().Find(format::kFileTableChunk);
  const auto* const data = file.toc().Find(format::kFileDataChunk);
  if (table == nullptr && data == nullptr) return std::nullopt;
  if (table == nullptr || data == nullptr) {
    return MakeError(ErrorCode::kCorrupt,
                     "chunk '{}' without chunk '{}' at offset {} of '{}'",
                     table == nullptr ? "FDAT" : "FTAB",
                     table == nullptr ? "FTAB" : "FDAT",
                     AtOffset{(table == nullptr ? data : table)->offset},
                     AtPath{file.path()});
  }
  ZPACK_ASSIGN_OR_RETURN(const LoadedChunk chunk, file.LoadChunk(*table));
  return Locate(
      format::DecodeFileTable(chunk.payload, data->payload_size,
                              format::MaxExpansion(file.file().size()).content,
                              file.below() != nullptr),
      table->offset, file.path());
}

RepositoryFiles::Source SourceOf(const RandomAccessFile& file,
                                 const format::FileTable& table,
                                 uint64_t data_offset) {
  RepositoryFiles::Source source{&file, data_offset, table.content_size(), {}};
  uint64_t offset = data_offset + format::kChunkHeaderSize;
  source.piece_offsets.push_back(offset);
  for (const uint64_t size : table.piece_sizes) {
    source.piece_offsets.push_back(offset += size);
  }
  return source;
}

// The files of a chain, while its tables are read.
class JoinedTables {
 public:
  Status Add(const SingleFile& file) {
    ZPACK_ASSIGN_OR_RETURN(const auto table, ReadTableOf(file));
    left_out_.clear();
    if (!table) {
      files_.clear();
      return {};
    }
    const uint64_t offset = file.toc().Find(format::kFileTableChunk)->offset;
    return Locate(Add(file, *table), offset, file.path());
  }

  RepositoryFiles Finish() && {
    RepositoryFiles joined;
    joined.left_out = std::move(left_out_);
    joined.sources = std::move(sources_);
    for (auto& [name, entry] : files_) {
      joined.files.push_back(std::move(entry.file));
      joined.parts.push_back(std::move(entry.parts));
    }
    return joined;
  }

 private:
  struct Entry {
    RepositoryFile file;
    std::vector<RepositoryFiles::Part> parts;
  };

  Status Add(const SingleFile& file, const format::FileTable& table) {
    left_out_ = table.left_out;
    if (!table.backed) files_.clear();
    for (const std::string& name : table.removed) {
      if (files_.erase(name) == 0) return Missing(name);
    }
    uint64_t position = 0;
    for (size_t i = 0; i < table.files.size(); ++i) {
      const RepositoryFile& changed = table.files[i];
      const bool continued = table.backed && table.continued[i];
      Entry& entry = files_[changed.name];
      if (continued && entry.file.name.empty()) {
        return Missing(changed.name);
      }
      const uint64_t before = continued ? entry.file.size : 0;
      if (!continued) entry.parts.clear();
      entry.file = changed;
      entry.file.size += before;
      if (changed.size > 0) {
        entry.parts.push_back({sources_.size(), position, changed.size});
      }
      position += changed.size;
    }
    const auto* const data = file.toc().Find(format::kFileDataChunk);
    sources_.push_back(SourceOf(file.file(), table, data->offset));
    if (!table.backed) return {};
    std::vector<RepositoryFile> files;
    files.reserve(files_.size());
    for (const auto& [name, entry] : files_) files.push_back(entry.file);
    if (format::FilesDigest(left_out_, files) == table.digest) return {};
    return MakeError(ErrorCode::kCorrupt,
                     "files are not those that their digest states");
  }

  static std::unexpected<Error> Missing(const std::string& name) {
    return MakeError(ErrorCode::kCorrupt,
                     "'{}' in table of files is not in the file below", name);
  }

  std::vector<FileGroup> left_out_;
  std::map<std::string, Entry> files_;
  std::vector<RepositoryFiles::Source> sources_;
};

}  // namespace

uint64_t RepositoryFiles::content_size() const {
  uint64_t sum = 0;
  for (const RepositoryFile& file : files) sum += file.size;
  return sum;
}

Result<RepositoryFiles> ReadFileTable(const ArchiveFile& archive) {
  JoinedTables tables;
  for (const auto& file : archive.files()) ZPACK_TRY(tables.Add(*file));
  return std::move(tables).Finish();
}

Result<bool> TablesFit(FileChain below, const SingleFile& file) {
  // Damage of `file` is no reason to look for another file below.
  const auto changes = ReadTableOf(file);
  if (!changes || !*changes || !(*changes)->backed) return true;
  JoinedTables tables;
  for (const auto& one : below) ZPACK_TRY(tables.Add(*one));
  if (!tables.Add(file)) return false;
  // The content of a file that goes on has its hash only with what is below.
  const RepositoryFiles joined = std::move(tables).Finish();
  RepositoryFileReader reader(joined);
  for (size_t i = 0; i < joined.files.size(); ++i) {
    if (joined.parts[i].size() < 2) continue;
    const Status read = reader.Read(i, [](ByteView) { return Status(); });
    if (!read && read.error().code == ErrorCode::kCorrupt) return false;
    ZPACK_TRY(read);
  }
  return true;
}

RepositoryFiles FilesOf(const RandomAccessFile& file,
                        const format::FileTable& table, uint64_t data_offset) {
  RepositoryFiles files{table.left_out, table.files, {}, {}};
  uint64_t offset = 0;
  for (const RepositoryFile& listed : table.files) {
    files.parts.push_back({{0, offset, listed.size}});
    offset += listed.size;
  }
  files.sources.push_back(SourceOf(file, table, data_offset));
  return files;
}

Status RepositoryFileReader::LoadPiece(size_t source, uint64_t number) {
  if (loaded_ == std::pair(source, number)) return {};
  loaded_.reset();
  const RepositoryFiles::Source& from = table_.sources[source];
  const uint64_t offset = from.piece_offsets[number];
  stored_.resize(from.piece_offsets[number + 1] - offset);
  content_.resize(
      std::min(format::kFilePieceSize,
               from.content_size - number * format::kFilePieceSize));
  const auto read = [&]() -> Status {
    ZPACK_TRY(from.file->Read(offset, stored_));
    return Locate(decompressor_.Decompress(stored_, content_), offset,
                  from.file->path());
  };
  ZPACK_TRY(ReadChecked(*from.file, offset, offset + stored_.size(), read));
  loaded_ = std::pair(source, number);
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

Result<ByteView> RepositoryFileReader::ReadSome(size_t index, uint64_t offset) {
  for (const RepositoryFiles::Part& part : table_.parts[index]) {
    if (offset >= part.size) {
      offset -= part.size;
      continue;
    }
    const uint64_t at = part.offset + offset;
    ZPACK_TRY(LoadPiece(part.source, at / format::kFilePieceSize));
    const ByteView rest =
        ByteView(content_).subspan(at % format::kFilePieceSize);
    return rest.first(std::min<uint64_t>(rest.size(), part.size - offset));
  }
  return ByteView();
}

Status RepositoryFileReader::CheckHash(size_t index, ByteView hash) const {
  const RepositoryFile& file = table_.files[index];
  if (std::ranges::equal(hash, file.sha256) && NameFitsContent(file)) return {};
  // An empty file has no part; every archive with files has a source.
  const auto& parts = table_.parts[index];
  const RepositoryFiles::Source& source =
      table_.sources[parts.empty() ? 0 : parts.back().source];
  return MakeError(ErrorCode::kCorrupt,
                   "file '{}' is damaged at offset {} of '{}'", file.name,
                   AtOffset{source.data_offset}, AtPath{source.file->path()});
}

}  // namespace zpack
