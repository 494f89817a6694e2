// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Chunks 'OIDP' (sorted ids with fan-out) and 'ONBP' (object number of each
// rank), and their forms in older files, 'OIDS' and 'ONUM' (FORMAT.md, "Object
// index"). Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/huge_pages.h"
#include "base/index_spaces.h"
#include "format/chunk.h"
#include "object/object_id_table.h"
#include "zpack/result.h"

namespace zpack::format {

// The chunks of a file that hold its index, in either form.
struct IndexChunks {
  ChunkLocation ids;
  ChunkLocation numbers;
};
// kCorrupt when one is missing.
Result<IndexChunks> FindIndexChunks(const TableOfContents& toc);

// Where the parts are in a payload of ids; the fan-out ends at `counts_offset`.
struct ObjectIdsLayout {
  uint64_t fan_out_offset = 0;
  uint64_t counts_offset = 0;
  uint64_t ids_offset = 0;
  uint8_t prefix_size = 0;  // bytes that are left out of each id
  uint8_t count_width = 0;  // of a bucket's count; 0 when there are none
  uint8_t suffix_size = 0;  // bytes of each id that are there
};

inline constexpr size_t kFanOutSize = 256 * sizeof(uint32_t);
// What precedes the fan-out in 'OIDP'.
inline constexpr size_t kObjectIdsHeaderSize = 2;

// The layout of chunk `id`, whose payload has `payload_size` bytes and begins
// with `start`. kCorrupt unless it is one of `object_count` ids. What the
// fan-out and the counts say is not looked at.
Result<ObjectIdsLayout> DecodeObjectIdsLayout(uint32_t id, ByteView start,
                                              uint64_t payload_size,
                                              ObjectFormat format,
                                              uint32_t object_count);

// Reads the count of a bucket that takes `width` bytes: 1, 2 or 4.
uint32_t ReadBucketCount(ByteReader& in, uint8_t width);

// Bits of each number in chunk `id`. kCorrupt unless that is the chunk of
// `object_count` numbers and its payload has the size that follows.
Result<unsigned> ObjectNumberBits(uint32_t id, uint64_t payload_size,
                                  uint32_t object_count);

// Leaves out the first byte or two of each id, which the fan-out tells.
void EncodeObjectIds(const ObjectIdTable& ids, Bytes& out);

// kCorrupt when the fan-out does not fit the ids, or they are not ascending or
// not `object_count`.
Result<ObjectIdTable> DecodeObjectIds(ByteView payload, ObjectFormat format,
                                      uint32_t object_count);
// The same for 'OIDS', which has whole ids.
Result<ObjectIdTable> DecodeWholeObjectIds(ByteView payload,
                                           ObjectFormat format,
                                           uint32_t object_count);

// The number of each rank takes as many bits as the greatest needs.
void EncodeObjectNumbers(const IndexedVector<FileRank, ObjectNumber>& numbers,
                         Bytes& out);

// kCorrupt unless the payload is a permutation of 0 ... object_count - 1.
Result<IndexedVector<FileRank, ObjectNumber>> DecodeObjectNumbers(
    ByteView payload, uint32_t object_count);
// The same for 'ONUM', where each takes four bytes.
Result<IndexedVector<FileRank, ObjectNumber>> DecodeWideObjectNumbers(
    ByteView payload, uint32_t object_count);

// Ranks by number from numbers by rank, and the other way round. REQUIRES:
// every value from 0 to permutation.size() - 1 occurs once.
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
