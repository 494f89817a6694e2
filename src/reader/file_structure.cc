// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/file_structure.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "format/copies.h"
#include "format/refs_chunk.h"
#include "reader/chunk_reader.h"
#include "reader/contents_search.h"

namespace zpack {
namespace {

// Bytes before the trailer in which the table of contents is looked for in a
// file that is of another kind, as far as its two ends tell. Room for 2,700
// chunks. A large file of another kind is not read for that.
constexpr uint64_t kSearchForeign = uint64_t{64} << 10;

// What to report when neither a part nor its copy could be used: that the copy
// could not be read, because another try may succeed, or what is wrong with the
// part.
std::unexpected<Error> Unusable(const Error& damage, const Error& of_copy) {
  return std::unexpected(of_copy.code == ErrorCode::kIo ? of_copy : damage);
}

Result<format::FileHeader> ReadHeaderAt(const RandomAccessFile& file,
                                        uint64_t offset) {
  const uint64_t rest = file.size() - offset;
  Bytes bytes(std::min<uint64_t>(rest, format::kFixedHeaderSize));
  ZPACK_TRY(file.Read(offset, bytes));
  Result<size_t> size = format::DecodeHeaderSize(bytes);
  if (!size) {
    Error error = std::move(size).error();
    if (error.code == ErrorCode::kCorrupt) {
      return Locate<format::FileHeader>(std::unexpected(std::move(error)),
                                        offset, file.path());
    }
    return std::unexpected(
        Extend(std::move(error), ": '{}'", AtPath{file.path()}));
  }
  bytes.resize(std::min<uint64_t>(rest, *size));
  ZPACK_TRY(file.Read(offset, bytes));
  return Locate(format::DecodeFileHeader(bytes, format::KnownFeatures()),
                offset, file.path());
}

Status CheckFileSize(const RandomAccessFile& file,
                     const format::FileHeader& header) {
  if (header.file_size == file.size()) return {};
  return MakeError(ErrorCode::kCorrupt,
                   "file of {} bytes where the header at offset {} says {}: "
                   "'{}'",
                   file.size(), AtOffset{0}, header.file_size,
                   AtPath{file.path()});
}

// Decodes the payload of 'REFS' into `out`, whose header is set.
Status SetRefs(ByteView payload, FileStructure& out) {
  const format::FileHeader& header = out.header;
  if (!format::HasFeature(header.required_features, format::kBackingFeature)) {
    ZPACK_ASSIGN_OR_RETURN(out.refs,
                           format::DecodeRefs(payload, header.object_format));
    return {};
  }
  ZPACK_ASSIGN_OR_RETURN(
      out.backed, format::DecodeBackedRefs(payload, header.object_format));
  const uint64_t end =
      uint64_t{out.backed->below.object_count} + header.object_count;
  if (end <= std::numeric_limits<uint32_t>::max()) return {};
  return MakeError(ErrorCode::kCorrupt, "{} objects with those below", end);
}

// Reads the parts one after the other. Each part needs those before it.
class StructureReader {
 public:
  StructureReader(const RandomAccessFile& file, const ReadOptions& options)
      : file_(file), options_(options) {}

  // Only the header, from its copy, because the original has `damage`.
  Result<format::FileHeader> ReadCopiedHeader(Error damage) {
    ZPACK_TRY(ReadHeaderCopy(std::move(damage)));
    return out_.header;
  }

  Result<FileStructure> Read() {
    ZPACK_TRY(ReadHeaderAndContents());
    ReadTrailer();
    ZPACK_TRY(ReadRefs());
    ZPACK_TRY(CheckCover());
    ZPACK_TRY(ReadBlockTable());
    for (const Error& damage : out_.damages) {
      if (options_.damages != nullptr) options_.damages->OnDamage(damage);
    }
    return std::move(out_);
  }

 private:
  uint64_t toc_offset() const { return out_.header.table_of_contents_offset; }
  uint64_t toc_size() const { return trailer_offset_ - toc_offset(); }
  uint64_t header_size() const { return out_.header.EncodedSize(); }
  std::optional<format::CopyOffsets> Copies() const {
    return format::FindCopies(out_.toc, header_size(), toc_offset(),
                              toc_size());
  }

  // The copy of a part is used, because its original has `damage`.
  void UseCopy(std::string_view part, uint64_t offset, const Error& damage) {
    out_.damages.push_back(NewError(
        damage.code == ErrorCode::kIo ? ErrorCode::kIo : ErrorCode::kCorrupt,
        "{} at offset {} of '{}' damaged, its copy is used ({})",
        MessageText{part}, AtOffset{offset}, AtPath{file_.path()},
        MessageText{damage.message}));
  }

  Status ReadHeaderAndContents() {
    Result<format::FileHeader> header = ReadHeaderAt(file_, 0);
    if (!header) return ReadHeaderCopy(std::move(header).error());
    out_.header = *std::move(header);
    ZPACK_TRY(CheckFileSize(file_, out_.header));
    ZPACK_TRY(CheckContentsOffset());
    Result<format::TableOfContents> toc = ReadContentsAt(toc_offset());
    if (!toc) return ReadContentsCopy(std::move(toc).error());
    out_.toc = *std::move(toc);
    return {};
  }

  Status CheckContentsOffset() {
    const uint64_t start = header_size();
    // Every size below is bounded by the file's size before it is used.
    if (file_.size() < start + format::kTrailerSize + format::kChunkOverhead) {
      return MakeError(ErrorCode::kCorrupt, "file too short: '{}'",
                       AtPath{file_.path()});
    }
    trailer_offset_ = file_.size() - format::kTrailerSize;
    if (toc_offset() >= start &&
        toc_offset() <= trailer_offset_ - format::kChunkOverhead) {
      return {};
    }
    return MakeError(ErrorCode::kCorrupt,
                     "bad table of contents offset {} in header at offset {} "
                     "of '{}'",
                     toc_offset(), AtOffset{0}, AtPath{file_.path()});
  }

  // `offset` is that of the table of contents or of its copy.
  Result<format::TableOfContents> ReadContentsAt(uint64_t offset) {
    ZPACK_ASSIGN_OR_RETURN(
        const LoadedChunk chunk,
        ReadChunk(file_, format::kTableOfContentsChunk, offset, toc_size(),
                  options_.max_chunk_size));
    return Locate(format::DecodeTableOfContents(chunk.payload, header_size(),
                                                toc_offset()),
                  offset, file_.path());
  }

  Status ReadContentsCopy(Error damage) {
    const std::optional<uint64_t> copy =
        format::FindTableOfContentsCopy(toc_offset(), toc_size());
    if (!copy || !IsDamage(file_, damage))
      return std::unexpected(std::move(damage));
    Result<format::TableOfContents> toc = ReadContentsAt(*copy);
    if (!toc) return Unusable(damage, toc.error());
    out_.toc = *std::move(toc);
    const auto copies = Copies();
    if (!copies || copies->table_of_contents_chunk != *copy) {
      return std::unexpected(std::move(damage));
    }
    UseCopy("table of contents", toc_offset(), damage);
    return {};
  }

  // Without a header, the end of the file leads to the copies.
  Status ReadHeaderCopy(Error damage) {
    bool foreign = false;
    if (!IsDamage(file_, damage)) {
      ZPACK_ASSIGN_OR_RETURN(foreign, IsForeign());
      if (!foreign) return std::unexpected(std::move(damage));
    }
    const Result<std::optional<format::FileHeader>> header =
        FindHeaderCopy(foreign);
    if (!header) return Unusable(damage, header.error());
    if (!*header) return std::unexpected(std::move(damage));
    out_.header = **header;
    if (!CheckFileSize(file_, out_.header) || !CheckContentsOffset()) {
      return std::unexpected(std::move(damage));
    }
    Result<format::TableOfContents> toc = ReadContentsAt(toc_offset());
    if (!toc) return Unusable(damage, toc.error());
    out_.toc = *std::move(toc);
    if (!Copies()) return std::unexpected(std::move(damage));
    UseCopy("header", 0, damage);
    return {};
  }

  // True if nothing says that this is a .zpack file, as with zeros in place of
  // the header. A file that is too new has a header.
  Result<bool> IsForeign() const {
    Bytes bytes(std::min<uint64_t>(file_.size(), format::kFixedHeaderSize));
    ZPACK_TRY(file_.Read(0, bytes));
    const Result<size_t> size = format::DecodeHeaderSize(bytes);
    return !size && size.error().code == ErrorCode::kUnsupported;
  }

  // Looks for a table of contents that ends where the trailer begins.
  Result<std::optional<format::FileHeader>> FindHeaderCopy(bool foreign) {
    if (file_.size() < format::kTrailerSize) return std::nullopt;
    const uint64_t end = file_.size() - format::kTrailerSize;
    const uint64_t most =
        foreign && !ReadTrailerAt(end) ? kSearchForeign : file_.size();
    ZPACK_ASSIGN_OR_RETURN(
        const std::optional<LoadedChunk> contents,
        SearchContents(file_, end, most, options_.max_chunk_size));
    if (!contents) return std::nullopt;
    ZPACK_ASSIGN_OR_RETURN(
        const format::TableOfContents toc,
        format::DecodeTableOfContents(contents->payload, 0, contents->offset));
    const std::optional<uint64_t> copy =
        format::FindHeaderCopy(toc, contents->offset);
    if (!copy) return std::nullopt;
    return ReadHeaderAt(file_, *copy);
  }

  Result<format::Trailer> ReadTrailerAt(uint64_t offset) const {
    Bytes bytes(format::kTrailerSize);
    ZPACK_TRY(file_.Read(offset, bytes));
    return Locate(format::DecodeTrailer(bytes), offset, file_.path());
  }

  void ReadTrailer() {
    Result<format::Trailer> trailer = ReadTrailerAt(trailer_offset_);
    if (trailer) {
      out_.trailer = *trailer;
    } else {
      out_.damages.push_back(std::move(trailer).error());
    }
  }

  // Reads a chunk, or its copy at `copy`, and hands it to `decode`.
  template <typename Decode>
  auto ReadPart(uint32_t id, std::string_view name,
                std::optional<uint64_t> copy, const Decode& decode) {
    const format::ChunkLocation* const location = out_.toc.Find(id);
    const auto read = [&](uint64_t offset) -> decltype(decode(ByteView{})) {
      ZPACK_ASSIGN_OR_RETURN(
          const LoadedChunk chunk,
          ReadChunk(file_, id, offset, location->end() - location->offset,
                    options_.max_chunk_size));
      return Locate(decode(chunk.payload), offset, file_.path());
    };
    auto part = location != nullptr ? read(location->offset) : Missing(id);
    if (part || !copy || !IsDamage(file_, part.error())) return part;
    auto second = read(*copy);
    if (!second) {
      return decltype(second)(Unusable(part.error(), second.error()));
    }
    UseCopy(name, location->offset, part.error());
    return second;
  }

  std::unexpected<Error> Missing(uint32_t id) const {
    return MakeError(ErrorCode::kCorrupt,
                     "chunk '{}' is missing from table of contents at offset "
                     "{} of '{}'",
                     format::ChunkName(id), AtOffset{toc_offset()},
                     AtPath{file_.path()});
  }

  Status ReadRefs() {
    const auto copies = Copies();
    return ReadPart(format::kRefsChunk, "refs",
                    copies ? std::optional(copies->refs_chunk) : std::nullopt,
                    [&](ByteView payload) { return SetRefs(payload, out_); });
  }

  // The blocks lie between the first chunk and the second.
  Status ReadBlockTable() {
    const auto copies = Copies();
    const auto& chunks = out_.toc.chunks;
    ZPACK_ASSIGN_OR_RETURN(
        out_.blocks,
        ReadPart(
            format::kBlockTableChunk, "block table",
            copies ? std::optional(copies->block_table_chunk) : std::nullopt,
            [&](ByteView payload) {
              return format::DecodeBlockTable(
                  payload, chunks[0].end(), chunks[1].offset,
                  {out_.first_object(),
                   out_.first_object() + out_.header.object_count});
            }));
    return {};
  }

  // The header, the refs, the blocks and all other chunks follow each other
  // without gaps, so a checksum covers every byte.
  Status CheckCover() const {
    const auto& chunks = out_.toc.chunks;
    uint64_t expected = header_size();
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (i != 1 && chunks[i].offset != expected) {
        return MakeError(ErrorCode::kCorrupt,
                         "gap before chunk '{}' at offset {} of '{}'",
                         format::ChunkName(chunks[i].id),
                         AtOffset{chunks[i].offset}, AtPath{file_.path()});
      }
      expected = chunks[i].end();
    }
    if (chunks.size() < 2 || chunks[0].id != format::kRefsChunk ||
        expected != toc_offset()) {
      return MakeError(ErrorCode::kCorrupt,
                       "table of contents at offset {} does not cover '{}'",
                       AtOffset{toc_offset()}, AtPath{file_.path()});
    }
    return {};
  }

  const RandomAccessFile& file_;
  const ReadOptions& options_;
  uint64_t trailer_offset_ = 0;
  FileStructure out_;
};

Result<FileStructure> ReadFirstRefs(const RandomAccessFile& file,
                                    const ReadOptions& options) {
  FileStructure out;
  ZPACK_ASSIGN_OR_RETURN(out.header, ReadHeaderAt(file, 0));
  if (options.size == SizeOfFile::kActual) {
    ZPACK_TRY(CheckFileSize(file, out.header));
  }
  const uint64_t offset = out.header.EncodedSize();
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
  ZPACK_TRY(Locate(SetRefs(refs.payload, out), offset, file.path()));
  return out;
}

}  // namespace

bool IsDamage(const RandomAccessFile& file, const Error& error) {
  return error.code == ErrorCode::kCorrupt ||
         (error.code == ErrorCode::kIo && !file.is_far_away());
}

Result<FileStructure> ReadStructure(const RandomAccessFile& file,
                                    const ReadOptions& options) {
  return StructureReader(file, options).Read();
}

Result<std::optional<format::FileHeader>> FindHeader(
    const RandomAccessFile& file, const ReadOptions& options) {
  Result<format::FileHeader> header = ReadHeaderAt(file, 0);
  if (!header && header.error().code != ErrorCode::kIo) {
    header = StructureReader(file, options)
                 .ReadCopiedHeader(std::move(header).error());
  }
  if (header) return *std::move(header);
  if (header.error().code == ErrorCode::kIo) {
    return std::unexpected(std::move(header).error());
  }
  return std::nullopt;
}

Result<FileStructure> ReadRefsOnly(const RandomAccessFile& file,
                                   const ReadOptions& options) {
  Result<FileStructure> refs = ReadFirstRefs(file, options);
  if (refs) return refs;
  Result<FileStructure> structure = ReadStructure(file, options);
  return structure ? std::move(structure) : std::move(refs);
}

}  // namespace zpack
