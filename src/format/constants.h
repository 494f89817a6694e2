// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The numbers of FORMAT.md. The values are on disk: do not change them.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zpack::format {

// Bytes 0-11 are a Git pack header that every Git implementation refuses: Git
// knows the versions 2 and 3, and the version here is "ZPAK".
inline constexpr uint32_t kPackSignature = 0x5041434b;  // "PACK"
inline constexpr uint32_t kPackVersion = 0x5a50414b;    // "ZPAK"

// Bytes 12-19, modelled on PNG: a byte above 127, a name, CR LF, the
// end-of-file character of DOS, LF. A transfer that converts text damages these
// bytes visibly.
inline constexpr std::array<uint8_t, 8> kSignature = {0x89, 'Z',  'P',  'K',
                                                      0x0d, 0x0a, 0x1a, 0x0a};

// Size of the header without features and checksum, and largest size of a
// header that a reader accepts.
inline constexpr size_t kFixedHeaderSize = 56;
inline constexpr size_t kMaxHeaderSize = 4096;
inline constexpr size_t kChecksumSize = 8;

// A chunk consists of id, flags, payload length, payload and checksum.
inline constexpr size_t kChunkHeaderSize = 16;
inline constexpr size_t kChunkOverhead = kChunkHeaderSize + kChecksumSize;

constexpr uint32_t ChunkId(std::string_view name) {
  uint32_t id = 0;
  for (const char c : name) id = id << 8 | static_cast<uint8_t>(c);
  return id;
}
inline constexpr uint32_t kRefsChunk = ChunkId("REFS");
inline constexpr uint32_t kBlockChunk = ChunkId("BLCK");
inline constexpr uint32_t kBlockTableChunk = ChunkId("BTAB");
inline constexpr uint32_t kObjectIdsChunk = ChunkId("OIDP");
inline constexpr uint32_t kObjectNumbersChunk = ChunkId("ONBP");
// With the feature `derived-ids`, and only then, in place of the two before
// (FORMAT.md, "Derived ids").
inline constexpr uint32_t kIdsDigestChunk = ChunkId("OIDH");
// Optional: the files of the repository (FORMAT.md, "Files"). Both or none.
inline constexpr uint32_t kFileDataChunk = ChunkId("FDAT");
inline constexpr uint32_t kFileTableChunk = ChunkId("FTAB");
// With the feature `promised`, and only then (FORMAT.md, "Promised objects").
inline constexpr uint32_t kPromisesChunk = ChunkId("PROM");
// Optional: ids of objects that the source had lost (FORMAT.md, "Lost
// objects").
inline constexpr uint32_t kLostChunk = ChunkId("LOST");
// Optional; filled with zeros (FORMAT.md, "Expansion").
inline constexpr uint32_t kPaddingChunk = ChunkId("FILL");
// Optional: header, refs and tables once more (FORMAT.md, "Copies").
inline constexpr uint32_t kCopiesChunk = ChunkId("COPY");
// Optional: parity of the file (FORMAT.md, "Parity").
inline constexpr uint32_t kParityChunk = ChunkId("PARI");
inline constexpr uint32_t kTableOfContentsChunk = ChunkId("TOCC");

// The chunks that this version knows: those that a table of contents may list,
// and those that it never lists, since they are found without it.
inline constexpr std::array kListedChunks = {
    kRefsChunk,      kBlockTableChunk, kObjectIdsChunk, kObjectNumbersChunk,
    kIdsDigestChunk, kFileDataChunk,   kFileTableChunk, kPromisesChunk,
    kLostChunk,      kPaddingChunk,    kCopiesChunk,    kParityChunk};
inline constexpr std::array kUnlistedChunks = {kBlockChunk,
                                               kTableOfContentsChunk};

constexpr bool IsListedChunk(uint32_t id) {
  return std::ranges::find(kListedChunks, id) != kListedChunks.end();
}
constexpr bool IsUnlistedChunk(uint32_t id) {
  return std::ranges::find(kUnlistedChunks, id) != kUnlistedChunks.end();
}

// A reader that does not know a chunk with this flag refuses the file.
inline constexpr uint32_t kChunkRequired = 1;
// Reserved: readers refuse a file that sets one of these bits. The other flag
// bits are unused: writers set them to 0, readers ignore them.
inline constexpr uint32_t kChunkReservedFlags = 0xffff0000;

// Size of a row of the table of contents.
inline constexpr size_t kContentsRowSize = 24;

inline constexpr uint32_t kTrailerSignature = ChunkId("ZEND");
inline constexpr size_t kDigestSize = 32;
inline constexpr size_t kTrailerSize = 8 + 2 * kDigestSize;

}  // namespace zpack::format
