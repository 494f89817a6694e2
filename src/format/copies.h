// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chunk 'COPY': the parts that lead to all others, once more (FORMAT.md,
// "Copies"). Pure.

#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "format/chunk.h"

namespace zpack::format {

// The parts of which the file has a copy, each with its checksum.
struct CopiedParts {
  ByteView header;
  ByteView refs_chunk;
  ByteView block_table_chunk;
  ByteView table_of_contents_chunk;
};

// Appends the payload of the chunk.
void Encode(const CopiedParts& parts, Bytes& out);

// Size of the payload, framing not included, in a file with a header of
// `header_size` bytes and the chunks of `toc`, which does not list the copies
// yet.
uint64_t CopiesSize(const TableOfContents& toc, uint64_t header_size);

// Offsets of the copies, from the start of the file.
struct CopyOffsets {
  uint64_t header = 0;
  uint64_t refs_chunk = 0;
  uint64_t block_table_chunk = 0;
  uint64_t table_of_contents_chunk = 0;
};

// Where the copies are in a file with a header of `header_size` bytes, whose
// table of contents is the chunk at `toc_offset` with `toc_size` bytes, framing
// included. Nothing if the file has no copies, or if the chunk is not where it
// must be or has not the size of its parts.
std::optional<CopyOffsets> FindCopies(const TableOfContents& toc,
                                      uint64_t header_size, uint64_t toc_offset,
                                      uint64_t toc_size);

// Where the copy of the header is. Nothing as for FindCopies, as far as that
// can be told without the header.
std::optional<uint64_t> FindHeaderCopy(const TableOfContents& toc,
                                       uint64_t toc_offset);

// Where the copy of the table of contents is, whose original is the chunk at
// `toc_offset` with `toc_size` bytes. Nothing if there is no room for a copy.
// The caller checks with FindCopies that a copy which is found there is one.
std::optional<uint64_t> FindTableOfContentsCopy(uint64_t toc_offset,
                                                uint64_t toc_size);

}  // namespace zpack::format
