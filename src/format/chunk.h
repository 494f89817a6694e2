// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The framing of chunks, and the table of contents that lists them (FORMAT.md,
// "Chunks"). Pure.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/constants.h"
#include "zpack/result.h"

namespace zpack::format {

// The four characters of a chunk id. '?' stands for a character that is not
// printable.
std::string ChunkName(uint32_t id);

struct ChunkHeader {
  uint32_t id = 0;
  uint32_t flags = 0;
  uint64_t payload_size = 0;
};

void Encode(const ChunkHeader& header, Bytes& out);

// The bytes before and after the payload of a chunk.
struct ChunkFrame {
  Bytes header;
  Bytes checksum;
};
ChunkFrame FrameChunk(uint32_t id, uint32_t flags, ByteView payload);

// Appends a whole chunk: header, payload, checksum.
void EncodeChunk(uint32_t id, uint32_t flags, ByteView payload, Bytes& out);

// Decodes the first kChunkHeaderSize bytes of a chunk. kCorrupt if `bytes` is
// too short, or if a reserved flag is set.
Result<ChunkHeader> DecodeChunkHeader(ByteView bytes);

// The first part of DecodeChunk, for a chunk that is read in pieces. kCorrupt
// unless `start` begins with the header of a chunk `id` of `chunk_size` bytes,
// framing included.
Status CheckChunkHeader(uint32_t id, uint64_t chunk_size, ByteView start);
// The second part of DecodeChunk. `end` is the last kChecksumSize bytes of a
// chunk `id`; `checksum` is the checksum of all bytes before `end`. kCorrupt if
// they differ.
Status CheckChunkChecksum(uint32_t id, ByteView end, uint64_t checksum);

// Checks a whole chunk, framing included, and returns its payload. kCorrupt
// unless `chunk` is exactly one undamaged chunk `id`.
Result<ByteView> DecodeChunk(uint32_t id, ByteView chunk);

// One row of the table of contents.
struct ChunkLocation {
  uint32_t id = 0;
  uint32_t flags = 0;
  uint64_t offset = 0;        // of the chunk's header, from the file's start
  uint64_t payload_size = 0;  // without framing

  uint64_t end() const { return offset + payload_size + kChunkOverhead; }
};

struct TableOfContents {
  std::vector<ChunkLocation> chunks;  // ascending by offset, ids unique

  const ChunkLocation* Find(uint32_t id) const;
};

void Encode(const TableOfContents& toc, Bytes& out);

// Decodes the payload of the table of contents. kCorrupt if a row is malformed,
// repeats an id, is not within [`begin`, `end`), or overlaps another row;
// kUnsupported for a required chunk that this version does not know.
Result<TableOfContents> DecodeTableOfContents(ByteView payload, uint64_t begin,
                                              uint64_t end);

}  // namespace zpack::format
