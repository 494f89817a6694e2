// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/parts_in_place.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "format/block_table.h"
#include "format/constants.h"
#include "format/trailer.h"
#include "reader/file_structure.h"
#include "reader/stated_size.h"
#include "salvage/chunk_scan.h"
#include "salvage/fatal_error.h"
#include "salvage/salvaged_parts.h"

namespace zpack {
namespace {

using format::ChunkLocation;

// Finds out where the parts belong.
class PartPlaces {
 public:
  PartPlaces(const RandomAccessFile& file, const FoundParts& found)
      : file_(file), found_(found) {}

  // Nothing if the file does not tell. kIo.
  Result<std::optional<std::vector<FilePiece>>> Find() {
    if (!found_.header || !IsMostlyThere(file_, found_.header->file_size)) {
      return std::nullopt;
    }
    ZPACK_TRY(FindContents());
    if (toc_.chunks.size() < 2) return std::nullopt;
    Place(toc_.chunks[0]);
    ZPACK_TRY(PlaceBlocks());
    for (const ChunkLocation& chunk : toc_.chunks | std::views::drop(1)) {
      Place(chunk);
    }
    PlaceFrom(contents_.offset, found_.header->table_of_contents_offset);
    ZPACK_TRY(PlaceTrailer());
    PlaceHeader();
    return std::move(pieces_);
  }

 private:
  Result<Bytes> Payload(const ChunkLocation& chunk) const {
    Bytes payload(chunk.payload_size);
    ZPACK_TRY(file_.Read(chunk.offset + format::kChunkHeaderSize, payload));
    return payload;
  }

  // A file inside of a damaged block, or one that was appended, may have a
  // header and a table, too. This file's own table lies before the trailer, as
  // the header states; of copies of it, the nearest one to its place is used.
  Status FindContents() {
    const format::FileHeader& header = *found_.header;
    const uint64_t begin = header.table_of_contents_offset;
    if (begin > header.file_size) return {};
    std::vector<ChunkLocation> chunks = Found(format::kTableOfContentsChunk);
    std::ranges::stable_sort(chunks, {}, [&](const ChunkLocation& chunk) {
      return Distance(chunk.offset, begin);
    });
    for (const ChunkLocation& chunk : chunks) {
      const uint64_t size = chunk.end() - chunk.offset;
      if (header.file_size - begin != size + format::kTrailerSize ||
          (!found_.header_in_place &&
           chunk.end() + format::kTrailerSize != file_.size())) {
        continue;
      }
      ZPACK_ASSIGN_OR_RETURN(const Bytes payload, Payload(chunk));
      auto toc =
          format::DecodeTableOfContents(payload, header.EncodedSize(), begin);
      if (!toc) continue;
      toc_ = *std::move(toc);
      contents_ = chunk;
      return {};
    }
    return {};
  }

  static uint64_t Distance(uint64_t a, uint64_t b) {
    return std::min(a - b, b - a);
  }

  // What is at `source` belongs at `begin`.
  void PlaceFrom(uint64_t source, uint64_t begin) {
    pieces_.push_back({begin, source});
  }

  // Of several places at which a part that belongs at `begin` may be, the
  // nearest one to where it is if nothing was inserted since the last part.
  void PlaceNearest(const std::vector<uint64_t>& sources, uint64_t begin) {
    const uint64_t expected =
        pieces_.empty()
            ? begin
            : begin + (pieces_.back().source - pieces_.back().begin);
    const auto nearest = std::ranges::min_element(
        sources, {},
        [&](uint64_t source) { return Distance(source, expected); });
    if (nearest != sources.end()) PlaceFrom(*nearest, begin);
  }

  const std::vector<ChunkLocation>& Found(uint32_t id) const {
    static const std::vector<ChunkLocation> none;
    const auto chunks = found_.chunks.find(id);
    return chunks == found_.chunks.end() ? none : chunks->second;
  }

  void Place(const ChunkLocation& listed) {
    std::vector<uint64_t> sources;
    for (const ChunkLocation& chunk : Found(listed.id)) {
      if (chunk.payload_size == listed.payload_size) {
        sources.push_back(chunk.offset);
      }
    }
    PlaceNearest(sources, listed.offset);
  }

  // The table among those found that is for the blocks of this file.
  Result<format::BlockTable> FindTable() const {
    for (const ChunkLocation& chunk : Found(format::kBlockTableChunk)) {
      ZPACK_ASSIGN_OR_RETURN(const Bytes payload, Payload(chunk));
      auto table = DecodeTableAlone(payload);
      if (table && table->rows.front().offset == toc_.chunks[0].end() &&
          table->rows.back().offset == toc_.chunks[1].offset) {
        return *std::move(table);
      }
    }
    return format::BlockTable();
  }

  Status PlaceBlocks() {
    ZPACK_ASSIGN_OR_RETURN(const format::BlockTable table, FindTable());
    std::multimap<ObjectNumber, const FoundBlock*> by_number;
    for (const FoundBlock& block : found_.blocks) {
      by_number.emplace(block.header.first_object, &block);
    }
    for (size_t row = 0; row < table.block_count(); ++row) {
      const uint64_t begin = table.rows[row].offset;
      std::vector<uint64_t> sources;
      const auto [first, last] =
          by_number.equal_range(table.rows[row].first_object);
      for (const auto& [number, block] : std::ranges::subrange(first, last)) {
        if (block->size == table.rows[row + 1].offset - begin) {
          sources.push_back(block->offset);
        }
      }
      PlaceNearest(sources, begin);
    }
    return {};
  }

  // Mostly follows the table of contents. What ends the file may be the trailer
  // of another one.
  Status PlaceTrailer() {
    Bytes bytes(format::kTrailerSize);
    if (file_.size() - contents_.end() >= bytes.size()) {
      ZPACK_TRY(file_.Read(contents_.end(), bytes));
      if (format::DecodeTrailer(bytes)) return {};
    }
    if (found_.trailer) {
      PlaceFrom(file_.size() - bytes.size(),
                found_.header->file_size - bytes.size());
    }
    return {};
  }

  // The first piece begins with the header, which comes before the first part.
  void PlaceHeader() {
    const FilePiece& first = pieces_.front();
    const bool moved = !found_.header_in_place && first.source > first.begin;
    pieces_.insert(pieces_.begin(),
                   {0, moved ? first.source - first.begin : 0});
  }

  const RandomAccessFile& file_;
  const FoundParts& found_;
  ChunkLocation contents_;  // where the table of contents is
  format::TableOfContents toc_;
  std::vector<FilePiece> pieces_;
};

}  // namespace

Result<std::unique_ptr<RandomAccessFile>> WithPartsInPlace(
    std::unique_ptr<RandomAccessFile> file, const ReadOptions& options,
    const RunOptions& run) {
  ZPACK_ASSIGN_OR_RETURN(const auto header, FindHeader(*file, options));
  if (header && header->file_size == file->size()) return file;
  const auto found = ScanFile(*file, options, run);
  if (!found) {
    if (IsFatal(found.error())) return std::unexpected(found.error());
    return WithStatedSize(std::move(file), options);
  }
  ZPACK_ASSIGN_OR_RETURN(auto pieces, PartPlaces(*file, *found).Find());
  if (!pieces) return WithStatedSize(std::move(file), options);
  return FromPieces(std::move(file), found->header->file_size,
                    *std::move(pieces));
}

}  // namespace zpack
