// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/object_index.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/huge_pages.h"
#include "format/file_header.h"

namespace zpack::format {
namespace {

// With at least this many ids, two bytes of each id are left out.
constexpr uint32_t kTwoBytePrefixes = 65536;
constexpr size_t kTwoByteBuckets = 65536;

std::unexpected<Error> BadFanOut() {
  return MakeError(ErrorCode::kCorrupt, "bad fan-out in object index");
}

// Bytes left out of each id in a table of `count` ids.
uint8_t PrefixSize(uint32_t count, FanOut fan_out) {
  if (count >= kTwoBytePrefixes) return 2;
  return fan_out == FanOut::kAlways ? 1 : 0;
}

// Number of ids by their first two bytes.
std::vector<uint32_t> CountByTwoBytes(const ObjectIdTable& ids) {
  std::vector<uint32_t> counts(kTwoByteBuckets);
  const size_t width = ObjectIdWidth(ids.format());
  for (size_t at = 0; at < ids.bytes().size(); at += width) {
    ++counts[LoadBigEndian<uint16_t>(&ids.bytes()[at])];
  }
  return counts;
}

// Bytes for each of `counts`: 1, 2 or 4.
uint8_t CountWidth(const std::vector<uint32_t>& counts) {
  const uint32_t greatest = *std::ranges::max_element(counts);
  return greatest < 0x100 ? 1 : greatest < 0x10000 ? 2 : 4;
}

// Returns `numbers`, or kCorrupt if they are not a permutation.
Result<IndexedVector<FileRank, ObjectNumber>> CheckPermutation(
    IndexedVector<FileRank, ObjectNumber> numbers) {
  IndexedVector<ObjectNumber, bool> seen(numbers.size());
  for (const ObjectNumber number : numbers) {
    if (number >= seen.end_index() || seen[number]) {
      return MakeError(ErrorCode::kCorrupt, "bad object number {}",
                       number.value());
    }
    seen[number] = true;
  }
  return numbers;
}

// Bits for a number below `count`.
unsigned NumberBits(uint32_t count) {
  return count < 2 ? 0 : static_cast<unsigned>(std::bit_width(count - 1));
}

Result<ChunkLocation> FindChunk(const TableOfContents& toc, uint32_t id) {
  const ChunkLocation* const chunk = toc.Find(id);
  if (chunk != nullptr) return *chunk;
  return MakeError(ErrorCode::kCorrupt,
                   "chunk '{}' is missing from table of contents",
                   ChunkName(id));
}

}  // namespace

Result<std::optional<IndexChunks>> FindIndexChunks(
    const TableOfContents& toc, const std::vector<std::string>& features) {
  const bool derived = HasFeature(features, kDerivedIdsFeature);
  const auto refuse = [&](std::initializer_list<uint32_t> others) -> Status {
    for (const uint32_t id : others) {
      if (toc.Find(id) == nullptr) continue;
      return MakeError(ErrorCode::kCorrupt,
                       "chunk '{}' {} feature '{}' in table of contents",
                       ChunkName(id), MessageText{derived ? "with" : "without"},
                       kDerivedIdsFeature);
    }
    return {};
  };
  if (derived) {
    ZPACK_TRY(FindChunk(toc, kIdsDigestChunk));
    ZPACK_TRY(refuse({kObjectIdsChunk, kObjectNumbersChunk}));
    return std::nullopt;
  }
  IndexChunks chunks;
  ZPACK_ASSIGN_OR_RETURN(chunks.ids, FindChunk(toc, kObjectIdsChunk));
  ZPACK_ASSIGN_OR_RETURN(chunks.numbers, FindChunk(toc, kObjectNumbersChunk));
  ZPACK_TRY(refuse({kIdsDigestChunk}));
  return chunks;
}

Digest IdsDigest(const ObjectIdTable& ids,
                 const IndexedVector<ObjectNumber, FileRank>& ranks) {
  // Hashed some at a time.
  constexpr size_t kAtOnce = size_t{64} << 10;
  const size_t width = ObjectIdWidth(ids.format());
  Hasher hasher(HashAlgorithm::kSha256);
  Bytes some;
  for (const FileRank rank : ranks) {
    Append(some, ids.bytes().subspan(rank.value() * width, width));
    if (some.size() < kAtOnce) continue;
    hasher.Update(some);
    some.clear();
  }
  hasher.Update(some);
  Digest digest;
  hasher.Finish(digest);
  return digest;
}

Result<Digest> DecodeIdsDigest(ByteView payload) {
  Digest digest;
  if (payload.size() != digest.size()) {
    return MakeError(ErrorCode::kCorrupt, "bad size of digest of object ids");
  }
  std::ranges::copy(payload, digest.begin());
  return digest;
}

Result<ObjectIdsLayout> DecodeObjectIdsLayout(ByteView start,
                                              uint64_t payload_size,
                                              ObjectFormat format,
                                              uint32_t object_count,
                                              FanOut fan_out) {
  ObjectIdsLayout layout;
  ByteReader in(start);
  layout.prefix_size = in.U8();
  layout.count_width = in.U8();
  const uint8_t width = layout.count_width;
  if (!in.ok() || layout.prefix_size != PrefixSize(object_count, fan_out) ||
      (layout.prefix_size < 2 ? width != 0
                              : width != 1 && width != 2 && width != 4)) {
    return BadFanOut();
  }
  layout.fan_out_offset = kObjectIdsHeaderSize;
  layout.suffix_size =
      static_cast<uint8_t>(ObjectIdWidth(format) - layout.prefix_size);
  layout.counts_offset =
      layout.fan_out_offset + (layout.prefix_size == 0 ? 0 : kFanOutSize);
  layout.ids_offset =
      layout.counts_offset + kTwoByteBuckets * layout.count_width;
  if (payload_size !=
      layout.ids_offset + uint64_t{object_count} * layout.suffix_size) {
    return MakeError(ErrorCode::kCorrupt, "bad size of object index");
  }
  return layout;
}

uint32_t ReadBucketCount(ByteReader& in, uint8_t width) {
  return width == 1 ? in.U8() : width == 2 ? in.U16() : in.U32();
}

Result<unsigned> ObjectNumberBits(uint64_t payload_size,
                                  uint32_t object_count) {
  const unsigned bits = NumberBits(object_count);
  if (payload_size != (uint64_t{object_count} * bits + 7) / 8) {
    return MakeError(ErrorCode::kCorrupt, "bad size of object numbers");
  }
  return bits;
}

void EncodeObjectIds(const ObjectIdTable& ids, Bytes& out, FanOut fan_out) {
  ByteWriter to(out);
  const uint8_t prefix = PrefixSize(ids.size(), fan_out);
  to.U8(prefix);
  if (prefix == 0) {
    to.U8(0);
  } else if (prefix == 1) {
    to.U8(0);
    for (const uint32_t count : ids.fan_out()) to.U32(count);
  } else {
    const std::vector<uint32_t> counts = CountByTwoBytes(ids);
    const uint8_t width = CountWidth(counts);
    to.U8(width);
    for (const uint32_t count : ids.fan_out()) to.U32(count);
    for (const uint32_t count : counts) {
      if (width == 1) {
        to.U8(static_cast<uint8_t>(count));
      } else if (width == 2) {
        to.U16(static_cast<uint16_t>(count));
      } else {
        to.U32(count);
      }
    }
  }
  const size_t width = ObjectIdWidth(ids.format());
  out.reserve(out.size() + ids.size() * (width - prefix));
  for (size_t at = 0; at < ids.bytes().size(); at += width) {
    to.Raw(ids.bytes().subspan(at + prefix, width - prefix));
  }
}

Result<ObjectIdTable> DecodeObjectIds(ByteView payload, ObjectFormat format,
                                      uint32_t object_count,
                                      FanOut fan_out_form) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdsLayout layout,
                         DecodeObjectIdsLayout(payload, payload.size(), format,
                                               object_count, fan_out_form));
  if (layout.prefix_size == 0) {
    const ByteView ids = payload.subspan(layout.ids_offset);
    return ObjectIdTable::FromSorted(format, Bytes(ids.begin(), ids.end()));
  }
  const size_t width = ObjectIdWidth(format);
  const uint8_t prefix = layout.prefix_size;
  ByteReader in(payload.subspan(layout.fan_out_offset));
  ObjectIdTable::FanOut fan_out;
  for (uint32_t& count : fan_out) count = in.U32();
  // Number of ids in each bucket, that is, with the same left-out bytes.
  std::vector<uint32_t> counts(prefix == 1 ? 256 : kTwoByteBuckets);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (prefix == 1) {
      const uint32_t before = i == 0 ? 0 : fan_out[i - 1];
      if (fan_out[i] < before) return BadFanOut();
      counts[i] = fan_out[i] - before;
    } else {
      counts[i] = ReadBucketCount(in, layout.count_width);
    }
  }
  Bytes ids(uint64_t{object_count} * width);
  size_t at = 0;
  for (size_t bucket = 0; bucket < counts.size(); ++bucket) {
    if (counts[bucket] > (ids.size() - at) / width) return BadFanOut();
    for (uint32_t i = 0; i < counts[bucket]; ++i) {
      if (prefix == 2) ids[at] = static_cast<uint8_t>(bucket >> 8);
      ids[at + prefix - 1] = static_cast<uint8_t>(bucket);
      std::ranges::copy(in.Raw(layout.suffix_size), &ids[at + prefix]);
      at += width;
    }
  }
  if (at != ids.size() ||
      (prefix == 2 && layout.count_width != CountWidth(counts))) {
    return BadFanOut();
  }
  ZPACK_ASSIGN_OR_RETURN(auto table,
                         ObjectIdTable::FromSorted(format, std::move(ids)));
  if (table.fan_out() != fan_out) return BadFanOut();
  return table;
}

void EncodeObjectNumbers(const IndexedVector<FileRank, ObjectNumber>& numbers,
                         Bytes& out) {
  const unsigned bits = NumberBits(static_cast<uint32_t>(numbers.size()));
  uint64_t pending = 0;  // the lowest `pending_bits` bits are not written yet
  unsigned pending_bits = 0;
  for (const ObjectNumber number : numbers) {
    pending = pending << bits | number.value();
    pending_bits += bits;
    for (; pending_bits >= 8; pending_bits -= 8) {
      out.push_back(static_cast<uint8_t>(pending >> (pending_bits - 8)));
    }
  }
  if (pending_bits != 0) {
    out.push_back(static_cast<uint8_t>(pending << (8 - pending_bits)));
  }
}

Result<IndexedVector<FileRank, ObjectNumber>> DecodeObjectNumbers(
    ByteView payload, uint32_t object_count) {
  ZPACK_ASSIGN_OR_RETURN(const unsigned bits,
                         ObjectNumberBits(payload.size(), object_count));
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  IndexedVector<FileRank, ObjectNumber> numbers(object_count);
  uint64_t pending = 0;
  unsigned pending_bits = 0;
  ByteReader in(payload);
  for (ObjectNumber& number : numbers) {
    for (; pending_bits < bits; pending_bits += 8) {
      pending = pending << 8 | in.U8();
    }
    pending_bits -= bits;
    number =
        ObjectNumber(static_cast<uint32_t>(pending >> pending_bits & mask));
  }
  if ((pending & ((uint64_t{1} << pending_bits) - 1)) != 0) {
    return MakeError(ErrorCode::kCorrupt, "bad end of object numbers");
  }
  return CheckPermutation(std::move(numbers));
}

}  // namespace zpack::format
