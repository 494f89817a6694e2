// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/parity_shape.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.h"
#include "parity/parity_packet.h"

namespace zpack {
namespace {

// Columns in which all copies of the checksums but the first are ordered:
// neighbours of the first copy are a column apart.
constexpr uint64_t kColumns = 16;

constexpr uint64_t CeilDivide(uint64_t a, uint64_t b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

constexpr uint64_t kChecksumsPacket =
    kPacketOverhead + ParityShape::kGroup * sizeof(uint32_t);
constexpr uint64_t kParametersPacket = kPacketOverhead + kParametersSize;

bool Fits(uint64_t data, uint64_t parity, uint64_t max_codeword) {
  return data + std::bit_ceil(parity) <= max_codeword;
}

uint32_t ShardSizeFor(uint64_t data_size) {
  constexpr uint64_t kManyShards = 1000;
  uint32_t size = ParityShape::kMaxShardSize;
  while (size > ParityShape::kMinShardSize && data_size / size < kManyShards) {
    size /= 2;
  }
  return size;
}

}  // namespace

uint64_t ParityShape::shards() const {
  return std::max<uint64_t>(1, CeilDivide(data_size, shard_size));
}

uint64_t ParityShape::data_shards(uint32_t codeword) const {
  const uint64_t stripes = shards() / kStripe;  // whole ones
  const uint64_t rest = shards() % kStripe;
  const uint64_t own = (stripes + codewords - 1 - codeword) / codewords;
  return own * kStripe + (stripes % codewords == codeword ? rest : 0);
}

uint32_t ParityShape::CodewordOf(uint64_t shard) const {
  return static_cast<uint32_t>(shard / kStripe % codewords);
}

uint64_t ParityShape::ShardOf(uint32_t codeword, uint64_t index) const {
  return (index / kStripe * codewords + codeword) * kStripe + index % kStripe;
}

uint64_t ParityShape::groups() const { return CeilDivide(shards(), kGroup); }

uint64_t ParityShape::parameters_packets() const {
  return CeilDivide(content_packets(), kParametersEvery) + 1;
}

uint64_t ParityShape::SpreadBegin(uint64_t copy) const {
  return (parity_shards() - spread()) * copy / (copies() - 1);
}

uint64_t ParityShape::ChecksumsBefore(uint64_t parity_shard) const {
  uint64_t before = 0;
  for (uint64_t copy = 0; copy < copies(); ++copy) {
    const uint64_t begin = SpreadBegin(copy);
    if (parity_shard < begin) break;
    // Packet r of the copy precedes parity shard begin + r * spread / groups.
    before += parity_shard - begin >= spread()
                  ? groups()
                  : std::min(groups(),
                             CeilDivide((parity_shard - begin + 1) * groups(),
                                        spread()));
  }
  return before;
}

ParityShape::Before ParityShape::BeforePosition(uint64_t position) const {
  // The number of parity shards that lie before: a binary search, because the
  // positions of the parity shards ascend.
  uint64_t low = 0;
  uint64_t high = parity_shards();
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (middle + ChecksumsBefore(middle) < position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {.checksums = position - low, .parity = low};
}

uint64_t ParityShape::OffsetOf(const Before& before) const {
  return before.checksums * kChecksumsPacket +
         before.parity * (kPacketOverhead + shard_size) +
         ((before.checksums + before.parity) / kParametersEvery + 1) *
             kParametersPacket;
}

uint64_t ParityShape::ChecksumsOffset(uint64_t copy, uint64_t group) const {
  uint64_t rank = group;
  if (copy != 0) {
    const uint64_t column = group % kColumns;
    // Each column before has a group for each whole row, and one more if the
    // last row reaches it.
    rank = column * (groups() / kColumns) +
           std::min(column, groups() % kColumns) + group / kColumns;
  }
  return OffsetOf({.checksums = copy * groups() + rank,
                   .parity = SpreadBegin(copy) + rank * spread() / groups()});
}

uint64_t ParityShape::ParityOffset(uint64_t parity_shard) const {
  return OffsetOf(
      {.checksums = ChecksumsBefore(parity_shard), .parity = parity_shard});
}

uint64_t ParityShape::ParametersOffset(uint64_t which) const {
  const Before before =
      BeforePosition(std::min(which * kParametersEvery, content_packets()));
  return before.checksums * kChecksumsPacket +
         before.parity * (kPacketOverhead + shard_size) +
         which * kParametersPacket;
}

uint64_t ParityShape::set_size() const {
  return ParametersOffset(parameters_packets() - 1) + kParametersPacket;
}

uint64_t ParityShape::RepairableRun(uint64_t spare) const {
  // Whole rounds of stripes take kStripe shards of each codeword.
  const uint64_t run = spare / kStripe * kStripe * codewords + spare % kStripe;
  // A run that begins within a shard touches one shard more.
  return run == 0 ? 0 : std::min((run - 1) * shard_size + 1, data_size);
}

Result<ParityShape> MakeParityShape(uint64_t data_size, uint64_t gap,
                                    uint32_t redundancy,
                                    uint64_t max_codeword) {
  ParityShape shape{.data_size = data_size,
                    .gap = gap,
                    .shard_size = ShardSizeFor(data_size)};
  if (shape.shards() > std::numeric_limits<uint32_t>::max()) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "file of {} bytes is too large for parity", data_size);
  }
  const auto codewords = CeilDivide(shape.shards(), max_codeword);
  for (shape.codewords = static_cast<uint32_t>(codewords);; ++shape.codewords) {
    // No codeword has more data shards than the first.
    const uint64_t data = shape.data_shards(0);
    const uint64_t parity =
        std::max<uint64_t>(2, CeilDivide(data * redundancy, kMaxRedundancy));
    shape.parity = static_cast<uint32_t>(parity);
    if (Fits(data, parity, max_codeword)) return shape;
  }
}

Status CheckParityShape(const ParityShape& shape) {
  const bool sizes_fit = shape.gap <= shape.data_size &&
                         std::has_single_bit(shape.shard_size) &&
                         shape.shard_size >= ParityShape::kMinShardSize &&
                         shape.shard_size <= ParityShape::kMaxShardSize;
  // Every codeword has data, and no more parity than data, except that two
  // parity shards are always allowed. This bounds the number of parity shards.
  if (!sizes_fit || shape.shards() > std::numeric_limits<uint32_t>::max() ||
      shape.codewords == 0 ||
      shape.codewords > CeilDivide(shape.shards(), ParityShape::kStripe) ||
      shape.parity == 0 ||
      shape.parity > std::max<uint64_t>(2, shape.data_shards(0)) ||
      !Fits(shape.data_shards(0), shape.parity, ParityShape::kMaxCodeword) ||
      shape.parity_shards() > std::numeric_limits<uint32_t>::max()) {
    return MakeError(ErrorCode::kCorrupt, "bad parameters of parity");
  }
  return {};
}

}  // namespace zpack
