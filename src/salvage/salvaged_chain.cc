// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/salvaged_chain.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "reader/repository_file_reader.h"
#include "salvage/fatal_error.h"

namespace zpack {
namespace {

void Shift(std::vector<DamagedRange>& ranges, uint64_t by) {
  for (DamagedRange& range : ranges) range.offset += by;
}

template <typename T>
void MoveTo(std::vector<T>& from, std::vector<T>& to) {
  std::ranges::move(from, std::back_inserter(to));
}

// Sets what is known of ids without an index of all files: what the undamaged
// indexes of some of them say.
void SetKnownIds(const ArchiveFile& archive, SalvagedParts& parts) {
  const size_t width = ObjectIdWidth(parts.format);
  Bytes& known = parts.known_ids;
  std::vector<ObjectIdTable> tables;
  for (const auto& file : archive.files()) {
    if (!file->index_chunks()) continue;
    const auto index = file->ReadIndexChunks();
    if (!index) continue;
    known.resize(file->object_end() * width, 0);
    for (const FileRank rank : index->ids.ranks()) {
      const uint32_t number =
          file->first_object() + index->numbers[rank].value();
      std::ranges::copy(index->ids[rank].bytes(), &known[number * width]);
    }
    tables.push_back(index->ids);
  }
  auto ids = ObjectIdTable::Merge(parts.format, tables);
  if (ids) parts.ids = FileIds(*std::move(ids));
}

// Adds the damaged parts of each file; those of the files below with a path.
void NoteLost(const ArchiveFile& archive, const FoundParts& found,
              SalvagedParts& parts) {
  uint64_t start = 0;
  for (const auto& file : archive.files()) {
    parts.object_ends.push_back(file->object_end());
    for (const format::ChunkLocation& chunk : file->toc().chunks) {
      const auto known = found.chunks.find(chunk.id);
      const bool is_there =
          known != found.chunks.end() &&
          std::ranges::find(known->second, chunk.offset + start,
                            &format::ChunkLocation::offset) !=
              known->second.end();
      if (is_there) continue;
      std::string name = format::ChunkName(chunk.id);
      if (file.get() != &archive.top()) {
        name += FormatMessage(" of '{}'", file->path());
      }
      if (std::ranges::find(parts.lost, name) == parts.lost.end()) {
        parts.lost.push_back(std::move(name));
      }
    }
    start += file->file().size();
  }
}

}  // namespace

Status ChainBytes::Read(uint64_t offset, std::span<uint8_t> out) const {
  for (const auto& file : files_) {
    if (out.empty()) return {};
    const uint64_t size = file->file().size();
    if (offset >= size) {
      offset -= size;
      continue;
    }
    const auto part = out.first(std::min<uint64_t>(out.size(), size - offset));
    ZPACK_TRY(file->file().Read(offset, part));
    out = out.subspan(part.size());
    offset = 0;
  }
  if (out.empty()) return {};
  return MakeError(ErrorCode::kCorrupt, "unexpected end of '{}'",
                   AtPath{path()});
}

uint64_t ChainBytes::size() const {
  uint64_t size = 0;
  for (const auto& file : files_) size += file->file().size();
  return size;
}

std::pair<std::string, uint64_t> ChainBytes::Locate(uint64_t offset) const {
  for (const auto& file : files_) {
    if (offset < file->file().size()) return {file->path(), offset};
    offset -= file->file().size();
  }
  return {path(), offset};
}

Result<FoundParts> ScanChain(FileChain files, const ReadOptions& options,
                             const RunOptions& run) {
  FoundParts all;
  uint64_t start = 0;
  for (const auto& file : files) {
    ZPACK_ASSIGN_OR_RETURN(FoundParts found,
                           ScanFile(file->file(), options, run));
    for (FoundBlock& block : found.blocks) block.offset += start;
    for (auto& [id, chunks] : found.chunks) {
      for (format::ChunkLocation& chunk : chunks) chunk.offset += start;
      MoveTo(chunks, all.chunks[id]);
    }
    Shift(found.damaged, start);
    Shift(found.damaged_blocks, start);
    MoveTo(found.blocks, all.blocks);
    MoveTo(found.damaged, all.damaged);
    MoveTo(found.damaged_blocks, all.damaged_blocks);
    start += file->file().size();
  }
  return all;
}

Result<SalvagedParts> PartsOfChain(const ArchiveFile& archive,
                                   const FoundParts& found) {
  SalvagedParts parts;
  parts.format = archive.header().object_format;
  parts.format_source = "header";
  parts.format_known = true;
  parts.object_count = archive.object_count();
  parts.refs = archive.refs();
  parts.all_parts_known = true;
  const Status loaded = archive.LoadIndex();
  if (!loaded && IsFatal(loaded.error()))
    return std::unexpected(loaded.error());
  if (loaded) {
    parts.index = archive.blocks().index();
    parts.ids = archive.ids();
    parts.promises = archive.promises();
  } else {
    SetKnownIds(archive, parts);
  }
  if (const auto& lost = archive.lost()) parts.lost_before = *lost;
  Result<RepositoryFiles> files = ReadFileTable(archive);
  if (files) {
    parts.files = *std::move(files);
  } else if (IsFatal(files.error())) {
    return std::unexpected(files.error());
  } else {
    parts.lost.push_back(format::ChunkName(format::kFileTableChunk));
  }
  NoteLost(archive, found, parts);
  return parts;
}

}  // namespace zpack
