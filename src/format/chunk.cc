// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/chunk.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "base/error.h"
#include "base/hash.h"

namespace zpack::format {
namespace {

// Only in files of drafts (FORMAT.md, "Versions").
constexpr std::array kDraftChunks = {ChunkId("OIDS"), ChunkId("ONUM")};

bool IsPrintable(char c) { return c > ' ' && c < 0x7f; }

// The four characters of a chunk id.
std::array<char, 4> Characters(uint32_t id) {
  std::array<char, 4> characters;
  for (char& c : characters) {
    id = std::rotl(id, 8);
    c = static_cast<char>(id & 0xff);
  }
  return characters;
}

bool IsPrintable(uint32_t id) {
  return std::ranges::all_of(Characters(id),
                             [](char c) { return IsPrintable(c); });
}

}  // namespace

std::string ChunkName(uint32_t id) {
  std::string name;
  for (const char c : Characters(id)) name += IsPrintable(c) ? c : '?';
  return name;
}

void Encode(const ChunkHeader& header, Bytes& out) {
  ByteWriter to(out);
  to.U32(header.id);
  to.U32(header.flags);
  to.U64(header.payload_size);
}

ChunkFrame FrameChunk(uint32_t id, uint32_t flags, ByteView payload) {
  ChunkFrame frame;
  Encode(ChunkHeader{id, flags, payload.size()}, frame.header);
  ChecksumHasher hasher;
  hasher.Update(frame.header);
  hasher.Update(payload);
  ByteWriter(frame.checksum).U64(hasher.Value());
  return frame;
}

void EncodeChunk(uint32_t id, uint32_t flags, ByteView payload, Bytes& out) {
  const ChunkFrame frame = FrameChunk(id, flags, payload);
  Append(out, frame.header);
  Append(out, payload);
  Append(out, frame.checksum);
}

Result<ChunkHeader> DecodeChunkHeader(ByteView bytes) {
  ByteReader in(bytes);
  ChunkHeader header;
  header.id = in.U32();
  header.flags = in.U32();
  header.payload_size = in.U64();
  if (!in.ok() || (header.flags & kChunkReservedFlags) != 0) {
    return MakeError(ErrorCode::kCorrupt, "bad chunk header");
  }
  return header;
}

Status CheckChunkHeader(uint32_t id, uint64_t chunk_size, ByteView start) {
  ZPACK_ASSIGN_OR_RETURN(const ChunkHeader header, DecodeChunkHeader(start));
  if (header.id != id) {
    return MakeError(ErrorCode::kCorrupt, "expected chunk '{}', found '{}'",
                     ChunkName(id), ChunkName(header.id));
  }
  if (chunk_size < kChunkOverhead ||
      header.payload_size != chunk_size - kChunkOverhead) {
    return MakeError(ErrorCode::kCorrupt, "bad size of chunk '{}'",
                     ChunkName(id));
  }
  return {};
}

Status CheckChunkChecksum(uint32_t id, ByteView end, uint64_t checksum) {
  if (ByteReader(end).U64() != checksum) {
    return MakeError(ErrorCode::kCorrupt, "bad checksum of chunk '{}'",
                     ChunkName(id));
  }
  return {};
}

Result<ByteView> DecodeChunk(uint32_t id, ByteView chunk) {
  ZPACK_TRY(CheckChunkHeader(id, chunk.size(), chunk));
  const ByteView content = chunk.first(chunk.size() - kChecksumSize);
  ZPACK_TRY(
      CheckChunkChecksum(id, chunk.last(kChecksumSize), Checksum(content)));
  return content.subspan(kChunkHeaderSize);
}

const ChunkLocation* TableOfContents::Find(uint32_t id) const {
  const auto at = std::ranges::find(chunks, id, &ChunkLocation::id);
  return at == chunks.end() ? nullptr : &*at;
}

void Encode(const TableOfContents& toc, Bytes& out) {
  ByteWriter to(out);
  for (const ChunkLocation& row : toc.chunks) {
    to.U32(row.id);
    to.U32(row.flags);
    to.U64(row.offset);
    to.U64(row.payload_size);
  }
}

Result<TableOfContents> DecodeTableOfContents(ByteView payload, uint64_t begin,
                                              uint64_t end) {
  if (payload.size() % kContentsRowSize != 0) {
    return MakeError(ErrorCode::kCorrupt, "bad size of table of contents");
  }
  TableOfContents toc;
  ByteReader in(payload);
  uint64_t free_from = begin;
  std::set<uint32_t> seen;
  while (in.remaining() > 0) {
    ChunkLocation row;
    row.id = in.U32();
    row.flags = in.U32();
    row.offset = in.U64();
    row.payload_size = in.U64();
    if (!IsPrintable(row.id)) {
      return MakeError(ErrorCode::kCorrupt,
                       "bad chunk id {:#010x} in table of contents", row.id);
    }
    if (row.offset < free_from || row.offset > end ||
        end - row.offset < kChunkOverhead ||
        row.payload_size > end - row.offset - kChunkOverhead ||
        (row.flags & kChunkReservedFlags) != 0 || !seen.insert(row.id).second ||
        IsUnlistedChunk(row.id)) {
      return MakeError(ErrorCode::kCorrupt,
                       "bad row for chunk '{}' in table of contents",
                       ChunkName(row.id));
    }
    if (std::ranges::find(kDraftChunks, row.id) != kDraftChunks.end()) {
      return MakeError(ErrorCode::kUnsupported,
                       "chunk '{}' is of a draft of the format; restore the "
                       "file with the git-zpack that wrote it",
                       ChunkName(row.id));
    }
    if ((row.flags & kChunkRequired) != 0 && !IsListedChunk(row.id)) {
      return MakeError(ErrorCode::kUnsupported,
                       "required chunk '{}' needs a newer git-zpack",
                       ChunkName(row.id));
    }
    free_from = row.end();
    toc.chunks.push_back(row);
  }
  return toc;
}

}  // namespace zpack::format
