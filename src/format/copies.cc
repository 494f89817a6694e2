// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/copies.h"

#include "format/constants.h"

namespace zpack::format {
namespace {

// The chunk, if it is the last one before the table of contents.
const ChunkLocation* FindChunk(const TableOfContents& toc,
                               uint64_t toc_offset) {
  const ChunkLocation* const chunk = toc.Find(kCopiesChunk);
  return chunk != nullptr && chunk->end() == toc_offset ? chunk : nullptr;
}

uint64_t Size(const ChunkLocation& chunk) { return chunk.end() - chunk.offset; }

}  // namespace

void Encode(const CopiedParts& parts, Bytes& out) {
  Append(out, parts.header);
  Append(out, parts.refs_chunk);
  Append(out, parts.block_table_chunk);
  Append(out, parts.table_of_contents_chunk);
}

uint64_t CopiesSize(const TableOfContents& toc, uint64_t header_size) {
  const uint64_t rows = toc.chunks.size() + 1;
  return header_size + Size(*toc.Find(kRefsChunk)) +
         Size(*toc.Find(kBlockTableChunk)) + rows * kContentsRowSize +
         kChunkOverhead;
}

std::optional<CopyOffsets> FindCopies(const TableOfContents& toc,
                                      uint64_t header_size, uint64_t toc_offset,
                                      uint64_t toc_size) {
  const ChunkLocation* const copies = FindChunk(toc, toc_offset);
  const ChunkLocation* const refs = toc.Find(kRefsChunk);
  const ChunkLocation* const blocks = toc.Find(kBlockTableChunk);
  if (copies == nullptr || refs == nullptr || blocks == nullptr) return {};
  CopyOffsets at;
  at.header = copies->offset + kChunkHeaderSize;
  at.refs_chunk = at.header + header_size;
  at.block_table_chunk = at.refs_chunk + Size(*refs);
  at.table_of_contents_chunk = at.block_table_chunk + Size(*blocks);
  if (at.table_of_contents_chunk + toc_size + kChecksumSize != toc_offset) {
    return {};
  }
  return at;
}

std::optional<uint64_t> FindHeaderCopy(const TableOfContents& toc,
                                       uint64_t toc_offset) {
  const ChunkLocation* const copies = FindChunk(toc, toc_offset);
  if (copies == nullptr) return {};
  return copies->offset + kChunkHeaderSize;
}

std::optional<uint64_t> FindTableOfContentsCopy(uint64_t toc_offset,
                                                uint64_t toc_size) {
  const uint64_t distance = toc_size + kChecksumSize;
  if (distance > toc_offset) return {};
  return toc_offset - distance;
}

}  // namespace zpack::format
