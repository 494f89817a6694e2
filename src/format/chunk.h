// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Framing of chunks, and the table of contents that lists them (FORMAT.md,
// "Chunks"). Pure.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/constants.h"
#include "zpack/result.h"

namespace zpack::format {

// The four characters of a chunk id, with '?' for what is not printable.
std::string ChunkName(uint32_t id);

struct ChunkHeader {
  uint32_t id = 0;
  uint32_t flags = 0;
  uint64_t payload_size = 0;
};

// What stands before and after the payload of a chunk.
struct ChunkFrame {
  Bytes header;
  Bytes checksum;
};
ChunkFrame FrameChunk(uint32_t id, uint32_t flags, ByteView payload);

// Appends a whole chunk: header, payload, checksum.
void EncodeChunk(uint32_t id, uint32_t flags, ByteView payload, Bytes& out);

// Decodes the first kChunkHeaderSize bytes of a chunk. kCorrupt when they are
// cut short or set a reserved flag.
Result<ChunkHeader> DecodeChunkHeader(ByteView bytes);

// The parts of DecodeChunk, for a chunk that is read in pieces. kCorrupt unless
// `start` begins with the header of a chunk `id` that takes `chunk_size` bytes
// in all.
Status CheckChunkHeader(uint32_t id, uint64_t chunk_size, ByteView start);
// kCorrupt unless `end`, the last kChecksumSize bytes of a chunk `id`, are
// `checksum`, that of all bytes before them.
Status CheckChunkChecksum(uint32_t id, ByteView end, uint64_t checksum);

// Checks a whole chunk, framing included, and returns its payload. kCorrupt
// when it is not exactly one undamaged chunk `id`.
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

// Decodes the payload of the table of contents. Every row is checked to lie in
// [`begin`, `end`) without overlap. kCorrupt, or kUnsupported for an unknown
// chunk that is required.
Result<TableOfContents> DecodeTableOfContents(ByteView payload, uint64_t begin,
                                              uint64_t end);

}  // namespace zpack::format
