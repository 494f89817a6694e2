// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of a parity set (FORMAT.md, "Parity"): which shard belongs to
// which codeword, and where each packet of the set is. Everything follows from
// the size of the data, so the size of a set is known before its content. Pure.

#pragma once

#include <cstdint>

#include "zpack/result.h"

namespace zpack {

struct ParityShape {
  static constexpr uint32_t kMinShardSize = 512;
  static constexpr uint32_t kMaxShardSize = 4096;
  // Consecutive shards of one codeword. The next stripe belongs to the next
  // codeword, so a run of lost bytes is shared among the codewords.
  static constexpr uint64_t kStripe = 16;
  // Shards whose checksums are in one packet.
  static constexpr uint64_t kGroup = 64;
  // Packets between two packets of parameters.
  static constexpr uint64_t kParametersEvery = 32;
  // Maximum of a codeword: data shards plus parity shards rounded up to a power
  // of two (erasure_code.h).
  static constexpr uint64_t kMaxCodeword = 65'536;

  uint64_t data_size = 0;  // bytes that the set covers
  // Offset in the data at which the set lies in the file that it covers.
  // Equal to data_size if the set is in a file of its own.
  uint64_t gap = 0;
  uint32_t shard_size = kMaxShardSize;
  uint32_t codewords = 1;
  uint32_t parity = 2;  // parity shards of each codeword

  bool embedded() const { return gap < data_size; }

  // Data shards; at least 1. The last one is padded with zeros.
  uint64_t shards() const;
  uint64_t data_shards(uint32_t codeword) const;
  uint64_t parity_shards() const { return uint64_t{codewords} * parity; }
  uint32_t CodewordOf(uint64_t shard) const;
  uint64_t ShardOf(uint32_t codeword, uint64_t index) const;

  // Copies of the checksums: two, and three for small data: of few packets, a
  // few lost sectors soon hit all copies of one.
  static constexpr uint64_t kFewGroups = 128;
  uint64_t groups() const;
  uint64_t copies() const { return groups() <= kFewGroups ? 3 : 2; }

  // Packets other than those of parameters: checksums and parity shards.
  uint64_t content_packets() const {
    return copies() * groups() + parity_shards();
  }
  uint64_t parameters_packets() const;
  // Offsets of packets in the set.
  uint64_t ChecksumsOffset(uint64_t copy, uint64_t group) const;
  uint64_t ParityOffset(uint64_t parity_shard) const;
  uint64_t ParametersOffset(uint64_t which) const;
  uint64_t set_size() const;

  // Bytes of one run, at any place in the data, that `spare` parity shards in
  // each codeword can restore.
  uint64_t RepairableRun(uint64_t spare) const;

  bool operator==(const ParityShape&) const = default;

 private:
  // A place among the content packets: how many of each kind lie before.
  struct Before {
    uint64_t checksums = 0;
    uint64_t parity = 0;
  };
  // The parity shards among which a copy of the checksums is spread evenly:
  // how many, and which is the first.
  uint64_t spread() const { return parity_shards() / 5; }
  uint64_t SpreadBegin(uint64_t copy) const;
  uint64_t ChecksumsBefore(uint64_t parity_shard) const;
  Before BeforePosition(uint64_t position) const;
  uint64_t OffsetOf(const Before& before) const;
};

// Redundancy is in hundredths of a percent of the data.
inline constexpr uint32_t kMaxRedundancy = 10'000;

// The shape for `data_size` bytes with at least `redundancy`, 1 to
// kMaxRedundancy. Each codeword has at least two parity shards. `gap` as in
// ParityShape. No codeword exceeds `max_codeword`, at least 48. kLimitExceeded
// if the data has more than 2^32 - 1 shards.
Result<ParityShape> MakeParityShape(
    uint64_t data_size, uint64_t gap, uint32_t redundancy,
    uint64_t max_codeword = ParityShape::kMaxCodeword);

// kCorrupt if a shape that was read from a file is not possible.
Status CheckParityShape(const ParityShape& shape);

}  // namespace zpack
