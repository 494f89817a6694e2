// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes the checksums of an edited file right again, so that what lies behind
// them is tested. Pure.

#pragma once

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"
#include "format/chunk.h"
#include "format/constants.h"
#include "format/copies.h"

namespace zpack::testing {

// Copies header, refs and tables to chunk COPY, if the file has one that they
// fit into, and makes its checksum right.
inline void RefreshCopies(Bytes& file) {
  if (file.size() < format::kFixedHeaderSize + format::kTrailerSize) return;
  const uint64_t header_size = LoadBigEndian<uint32_t>(&file[24]);
  const uint64_t toc_offset = LoadBigEndian<uint64_t>(&file[36]);
  const uint64_t end = file.size() - format::kTrailerSize;
  if (header_size > toc_offset || toc_offset > end) return;
  const uint64_t toc_size = end - toc_offset;
  const auto payload =
      format::DecodeChunk(format::kTableOfContentsChunk,
                          ByteView(file).subspan(toc_offset, toc_size));
  if (!payload) return;
  const auto toc =
      format::DecodeTableOfContents(*payload, header_size, toc_offset);
  if (!toc) return;
  const auto at = format::FindCopies(*toc, header_size, toc_offset, toc_size);
  if (!at) return;
  const auto whole = [&](uint32_t id) {
    const format::ChunkLocation& chunk = *toc->Find(id);
    return ByteView(file).subspan(chunk.offset, chunk.end() - chunk.offset);
  };
  const ByteView view = file;
  Bytes copies;
  format::Encode(
      {view.first(header_size), whole(format::kRefsChunk),
       whole(format::kBlockTableChunk), view.subspan(toc_offset, toc_size)},
      copies);
  Bytes chunk;
  format::EncodeChunk(format::kCopiesChunk,
                      toc->Find(format::kCopiesChunk)->flags, copies, chunk);
  std::ranges::copy(
      chunk, file.begin() + static_cast<ptrdiff_t>(
                                toc->Find(format::kCopiesChunk)->offset));
}

// A file is a header and then chunks, and a checksum ends each of them. Stops
// where sizes make no sense.
inline void RepairChecksums(Bytes& bytes) {
  const auto repair = [&](uint64_t begin, uint64_t size) {
    if (size < format::kChecksumSize || size > bytes.size() - begin) {
      return false;
    }
    const uint64_t end = begin + size - format::kChecksumSize;
    Bytes checksum;
    ByteWriter(checksum).U64(
        Checksum(ByteView(bytes).subspan(begin, end - begin)));
    std::ranges::copy(checksum, bytes.begin() + static_cast<ptrdiff_t>(end));
    return true;
  };
  if (bytes.size() < format::kFixedHeaderSize) return;
  uint64_t at = LoadBigEndian<uint32_t>(&bytes[24]);
  if (!repair(0, at)) return;
  while (bytes.size() - at > format::kChunkOverhead) {
    const uint64_t payload = LoadBigEndian<uint64_t>(&bytes[at + 8]);
    if (payload > bytes.size() ||
        !repair(at, payload + format::kChunkOverhead)) {
      break;
    }
    at += payload + format::kChunkOverhead;
  }
  RefreshCopies(bytes);
}

}  // namespace zpack::testing
