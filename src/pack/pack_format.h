// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Constants and headers of gitformat-pack(5) that readers and writers of packs
// share. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "zpack/object_id.h"

namespace zpack {

inline constexpr uint32_t kPackSignature = 0x5041434b;       // "PACK"
inline constexpr uint32_t kPackIndexSignature = 0xff744f63;  // "\377tOc"
inline constexpr uint32_t kPackVersion = 2;  // of packs and of indexes
// Packs that Git reads: those of version 3 differ in nothing else.
constexpr bool IsPackVersion(uint32_t version) {
  return version == kPackVersion || version == 3;
}
inline constexpr uint64_t kPackHeaderSize = 12;
// Of a multi-pack-index, whose header and rows in the table of chunks are as
// long; and its chunk with the names of packs.
inline constexpr uint32_t kMultiPackIndexSignature = 0x4d494458;  // "MIDX"
inline constexpr size_t kMultiPackIndexHeader = 12;
inline constexpr size_t kMultiPackIndexRow = 12;
inline constexpr uint32_t kPackNamesChunk = 0x504e414d;  // "PNAM"
// Type of an entry that is an offset delta. The other types are object types
// and reference deltas.
inline constexpr uint8_t kOffsetDelta = 6;
inline constexpr uint8_t kReferenceDelta = 7;
// The index stores offsets from this value on in its table of 64-bit offsets.
// The table of offsets then has this value plus the position in that table.
inline constexpr uint32_t kFirstLargeOffset = uint32_t{1} << 31;

// Append the header of an entry: an object of `size` bytes; a delta of `size`
// bytes whose base begins `distance` bytes before the entry; a delta of `size`
// bytes against the object `base`.
void EncodeWholeHeader(ObjectType type, uint64_t size, Bytes& out);
void EncodeOffsetDeltaHeader(uint64_t size, uint64_t distance, Bytes& out);
void EncodeReferenceDeltaHeader(uint64_t size, const ObjectId& base,
                                Bytes& out);

// Maximum bytes of an entry before its zlib stream: a size of 64 bits and an
// id.
inline constexpr uint64_t kMaxPackEntryHeader = 10 + ObjectId::kMaxWidth;

// That part of an entry.
struct PackEntryHeader {
  uint8_t type = 0;
  uint64_t size = 0;      // of the content of the zlib stream
  uint64_t distance = 0;  // of an offset delta, back to the base; at least 1
  ByteView base;          // id, of a reference delta
};
// Nothing if `in` ends early, the size does not fit 60 bits, or there is no
// such type or distance.
std::optional<PackEntryHeader> ReadEntryHeader(ByteReader& in,
                                               ObjectFormat format);

// Version of files with one number for each object of a pack: reverse indexes
// and cruft times.
inline constexpr uint32_t kPackTableVersion = 1;
// The number of a hash algorithm in such a file.
constexpr uint32_t PackTableHash(ObjectFormat format) {
  return format == ObjectFormat::kSha256 ? 2 : 1;
}

// Encodes such a file for a pack with objects in `format`. `pack_hash` is the
// trailer of the pack.
Bytes EncodePackTable(ObjectFormat format, uint32_t signature,
                      const std::vector<uint32_t>& numbers, ByteView pack_hash);

// Appends the hash of `bytes` to `bytes`. Every file about a pack ends with it.
void AppendHash(ObjectFormat format, Bytes& bytes);

}  // namespace zpack
