// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chunks 'OIDP' (sorted ids with fan-out) and 'ONBP' (object number of each
// rank), or 'OIDH' in their place (FORMAT.md, "Object index"). Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/huge_pages.h"
#include "base/index_spaces.h"
#include "format/chunk.h"
#include "format/trailer.h"
#include "object/object_id_table.h"
#include "zpack/result.h"

namespace zpack::format {

// The chunks that hold the index of a file.
struct IndexChunks {
  ChunkLocation ids;
  ChunkLocation numbers;
};
// The chunks of the index of a file with these required features; nothing if
// its ids are derived. kCorrupt if a chunk is missing, or one is there that
// does not fit the features.
Result<std::optional<IndexChunks>> FindIndexChunks(
    const TableOfContents& toc, const std::vector<std::string>& features);

// The digest of all ids in the order of their numbers: the payload of 'OIDH'.
Digest IdsDigest(const ObjectIdTable& ids,
                 const IndexedVector<ObjectNumber, FileRank>& ranks);
// kCorrupt unless the payload is a digest.
Result<Digest> DecodeIdsDigest(ByteView payload);

// Whether a table of few ids has a fan-out. In a file with a file below, it has
// none, since it would take more bytes than it saves.
enum class FanOut : uint8_t { kAlways, kIfMany };

// Offsets of the parts in a payload of ids. The fan-out ends at
// `counts_offset`.
struct ObjectIdsLayout {
  uint64_t fan_out_offset = 0;
  uint64_t counts_offset = 0;
  uint64_t ids_offset = 0;
  uint8_t prefix_size = 0;  // bytes left out at the front of each id
  uint8_t count_width = 0;  // bytes of a bucket's count; 0 without counts
  uint8_t suffix_size = 0;  // bytes stored of each id
};

inline constexpr size_t kFanOutSize = 256 * sizeof(uint32_t);
// Bytes before the fan-out in 'OIDP'.
inline constexpr size_t kObjectIdsHeaderSize = 2;

// The layout of a payload of 'OIDP' of `payload_size` bytes that begins with
// `start`. kCorrupt unless the header and the size fit `object_count` ids. The
// fan-out and the counts are not checked.
Result<ObjectIdsLayout> DecodeObjectIdsLayout(ByteView start,
                                              uint64_t payload_size,
                                              ObjectFormat format,
                                              uint32_t object_count,
                                              FanOut fan_out = FanOut::kAlways);

// Reads the count of a bucket. REQUIRES: `width` is 1, 2 or 4, the bytes of the
// count.
uint32_t ReadBucketCount(ByteReader& in, uint8_t width);

// Bits of each number in 'ONBP'. kCorrupt unless `payload_size` is the size for
// `object_count` numbers.
Result<unsigned> ObjectNumberBits(uint64_t payload_size, uint32_t object_count);

// Leaves out the first one or two bytes of each id, which the fan-out and the
// counts give, if there is a fan-out.
void EncodeObjectIds(const ObjectIdTable& ids, Bytes& out,
                     FanOut fan_out = FanOut::kAlways);

// Decodes the payload of 'OIDP'. kCorrupt if the fan-out does not fit the ids,
// or if the ids are not strictly ascending or not `object_count`.
Result<ObjectIdTable> DecodeObjectIds(ByteView payload, ObjectFormat format,
                                      uint32_t object_count,
                                      FanOut fan_out = FanOut::kAlways);

// Every number takes as many bits as the greatest number needs.
void EncodeObjectNumbers(const IndexedVector<FileRank, ObjectNumber>& numbers,
                         Bytes& out);

// Decodes the payload of 'ONBP'. kCorrupt unless the numbers are a permutation
// of 0 ... object_count - 1.
Result<IndexedVector<FileRank, ObjectNumber>> DecodeObjectNumbers(
    ByteView payload, uint32_t object_count);

// Inverts a permutation: numbers by rank become ranks by number, or the
// reverse. REQUIRES: every value from 0 to permutation.size() - 1 occurs once.
template <typename From, typename To>
IndexedVector<To, From> InversePermutation(
    const IndexedVector<From, To>& permutation) {
  IndexedVector<To, From> inverse;
  FillTable(inverse.raw(), permutation.size());
  for (const From index : permutation.indexes()) {
    inverse[permutation[index]] = index;
  }
  return inverse;
}

}  // namespace zpack::format
