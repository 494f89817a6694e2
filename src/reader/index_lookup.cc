// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/index_lookup.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/hex.h"

namespace zpack {
namespace {

// Number of ids per read. One read costs about as much as copying a few
// kilobytes.
constexpr uint32_t kIdsAtOnce = 64;

// Returns the smallest or largest id that begins with these digits.
std::optional<Bytes> PadWith(char digit, std::string_view hex_prefix,
                             size_t id_width) {
  std::string hex(hex_prefix);
  hex.resize(2 * id_width, digit);
  return FromHex(hex);
}

}  // namespace

std::unexpected<Error> IndexLookup::Bad(const format::ChunkLocation& chunk,
                                        std::string_view what) const {
  return MakeError(ErrorCode::kCorrupt,
                   "bad {} in object index at offset {} of '{}'", what,
                   AtOffset{chunk.offset}, AtPath{file_.path()});
}

Status IndexLookup::Read(const format::ChunkLocation& chunk, uint64_t offset,
                         std::span<uint8_t> out) const {
  return file_.Read(chunk.offset + format::kChunkHeaderSize + offset, out);
}

Result<IndexLookup::Start> IndexLookup::ReadStart() const {
  const format::ChunkLocation& chunk = chunks_.ids;
  std::array<uint8_t, format::kObjectIdsHeaderSize + format::kFanOutSize>
      buffer;
  const auto bytes = std::span(buffer).first(
      std::min<uint64_t>(buffer.size(), chunk.payload_size));
  ZPACK_TRY(Read(chunk, 0, bytes));
  Start start;
  const auto layout = format::DecodeObjectIdsLayout(
      bytes, chunk.payload_size, format_, object_count_, fan_out_);
  if (!layout) return Bad(chunk, "layout");
  start.layout = *layout;
  if (layout->prefix_size == 0) return start;
  ByteReader in(ByteView(bytes).subspan(layout->fan_out_offset));
  for (uint32_t& count : start.fan_out) count = in.U32();
  return start;
}

Result<std::vector<FileRank>> IndexLookup::ReadBuckets(const Start& start,
                                                       uint8_t byte) const {
  const FileRank begin(byte == 0 ? 0 : start.fan_out[byte - 1]);
  const FileRank end(start.fan_out[byte]);
  if (begin > end || end.value() > object_count_) {
    return Bad(chunks_.ids, "fan-out");
  }
  const uint8_t width = start.layout.count_width;
  if (width == 0) return std::vector{begin, end};

  std::array<uint8_t, 256 * sizeof(uint32_t)> buffer;
  const auto bytes = std::span(buffer).first(size_t{256} * width);
  ZPACK_TRY(Read(chunks_.ids,
                 start.layout.counts_offset + uint64_t{byte} * bytes.size(),
                 bytes));
  std::vector<FileRank> buckets = {begin};
  buckets.reserve(257);
  ByteReader in(bytes);
  for (size_t i = 0; i < 256; ++i) {
    const uint32_t count = format::ReadBucketCount(in, width);
    if (count > end - buckets.back()) return Bad(chunks_.ids, "count");
    buckets.push_back(buckets.back() + count);
  }
  if (buckets.back() != end) return Bad(chunks_.ids, "count");
  return buckets;
}

Result<IndexLookup::Bucket> IndexLookup::FindBucket(const Start& start,
                                                    ByteView key) const {
  if (start.layout.prefix_size == 0) {
    return Bucket{FileRank(), FileRank(object_count_)};
  }
  ZPACK_ASSIGN_OR_RETURN(const auto buckets, ReadBuckets(start, key[0]));
  const size_t index = start.layout.count_width == 0 ? 0 : key[1];
  return Bucket{buckets[index], buckets[index + 1]};
}

Status IndexLookup::ReadSuffixes(const Start& start, FileRank rank,
                                 std::span<uint8_t> out) const {
  return Read(chunks_.ids,
              start.layout.ids_offset +
                  uint64_t{rank.value()} * start.layout.suffix_size,
              out);
}

Result<FileRank> IndexLookup::Search(const Start& start, Bucket bucket,
                                     ByteView key, Bound bound) const {
  const size_t width = start.layout.suffix_size;
  const ByteView suffix = key.last(width);
  const auto precedes = [&](const uint8_t* id) {
    const int order = std::memcmp(id, suffix.data(), width);
    return order < 0 || (order == 0 && bound == Bound::kUpper);
  };
  std::array<uint8_t, kIdsAtOnce * ObjectId::kMaxWidth> ids;
  auto [begin, end] = bucket;
  while (end - begin > kIdsAtOnce) {
    const FileRank middle = begin + (end - begin) / 2;
    ZPACK_TRY(ReadSuffixes(start, middle, std::span(ids).first(width)));
    if (precedes(ids.data())) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  const FileRank first = begin;
  ZPACK_TRY(ReadSuffixes(start, first,
                         std::span(ids).first(size_t{end - first} * width)));
  while (begin < end && precedes(&ids[size_t{begin - first} * width])) ++begin;
  return begin;
}

Result<std::optional<FileRank>> IndexLookup::Find(const ObjectId& id) const {
  const ByteView key = id.bytes();
  if (key.size() != ObjectIdWidth(format_)) return std::nullopt;
  ZPACK_ASSIGN_OR_RETURN(const Start start, ReadStart());
  ZPACK_ASSIGN_OR_RETURN(const Bucket bucket, FindBucket(start, key));
  ZPACK_ASSIGN_OR_RETURN(const FileRank rank,
                         Search(start, bucket, key, Bound::kLower));
  if (rank == bucket.end) return std::nullopt;
  std::array<uint8_t, ObjectId::kMaxWidth> buffer;
  const auto found = std::span(buffer).first(start.layout.suffix_size);
  ZPACK_TRY(ReadSuffixes(start, rank, found));
  if (!std::ranges::equal(found, key.last(found.size()))) return std::nullopt;
  return rank;
}

Result<std::pair<FileRank, FileRank>> IndexLookup::FindPrefix(
    std::string_view hex_prefix) const {
  constexpr std::pair<FileRank, FileRank> kNone;
  const size_t width = ObjectIdWidth(format_);
  if (hex_prefix.empty() || hex_prefix.size() > 2 * width) return kNone;
  const auto least = PadWith('0', hex_prefix, width);
  const auto greatest = PadWith('f', hex_prefix, width);
  if (!least || !greatest) return kNone;
  ZPACK_ASSIGN_OR_RETURN(const Start start, ReadStart());
  ZPACK_ASSIGN_OR_RETURN(const Bucket low, FindBucket(start, *least));
  ZPACK_ASSIGN_OR_RETURN(const FileRank first,
                         Search(start, low, *least, Bound::kLower));
  ZPACK_ASSIGN_OR_RETURN(const Bucket high, FindBucket(start, *greatest));
  ZPACK_ASSIGN_OR_RETURN(const FileRank last,
                         Search(start, high, *greatest, Bound::kUpper));
  if (first > last) return Bad(chunks_.ids, "order of ids");
  return std::pair(first, last);
}

Result<ObjectId> IndexLookup::Id(FileRank rank) const {
  ZPACK_ASSIGN_OR_RETURN(const Start start, ReadStart());
  const size_t width = ObjectIdWidth(format_);
  const size_t prefix = start.layout.prefix_size;
  std::array<uint8_t, ObjectId::kMaxWidth> id{};
  if (prefix > 0) {
    const auto at = std::ranges::find_if(
        start.fan_out, [&](uint32_t count) { return count > rank.value(); });
    if (at == start.fan_out.end()) return Bad(chunks_.ids, "fan-out");
    id[0] = static_cast<uint8_t>(at - start.fan_out.begin());
  }
  if (prefix > 1) {
    ZPACK_ASSIGN_OR_RETURN(const auto buckets, ReadBuckets(start, id[0]));
    const auto next = std::ranges::upper_bound(buckets, rank);
    id[1] = static_cast<uint8_t>(next - buckets.begin() - 1);
  }
  ZPACK_TRY(
      ReadSuffixes(start, rank, std::span(id).subspan(prefix, width - prefix)));
  return ObjectId(std::span(id).first(width));
}

Result<ObjectNumber> IndexLookup::Number(FileRank rank) const {
  const format::ChunkLocation& chunk = chunks_.numbers;
  const auto bits = format::ObjectNumberBits(chunk.payload_size, object_count_);
  if (!bits) return Bad(chunk, "size");
  const uint64_t begin = uint64_t{rank.value()} * *bits;
  const uint64_t end = begin + *bits;
  std::array<uint8_t, sizeof(uint32_t) + 1> buffer;
  const auto bytes = std::span(buffer).first((end + 7) / 8 - begin / 8);
  ZPACK_TRY(Read(chunk, begin / 8, bytes));
  uint64_t value = 0;
  for (const uint8_t byte : bytes) value = value << 8 | byte;
  value = value >> ((8 - end % 8) % 8) & ((uint64_t{1} << *bits) - 1);
  if (value >= object_count_) return Bad(chunk, "number");
  return ObjectNumber(static_cast<uint32_t>(value));
}

}  // namespace zpack
