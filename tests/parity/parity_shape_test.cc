// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/parity_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "parity/parity_packet.h"
#include "support/matchers.h"

namespace zpack::testing {
namespace {

// A limit that gives several codewords to small data.
constexpr uint64_t kSmallCodeword = 100;

// Every shard belongs to one place of one codeword. A codeword has its shards
// in the order of the data, so it has none twice.
void ExpectPartition(const ParityShape& shape) {
  uint64_t total = 0;
  for (uint32_t codeword = 0; codeword < shape.codewords; ++codeword) {
    const uint64_t shards = shape.data_shards(codeword);
    EXPECT_GT(shards, 0);
    EXPECT_LE(shards, shape.data_shards(0));
    total += shards;
    uint64_t least = 0;
    for (uint64_t i = 0; i < shards; ++i) {
      const uint64_t shard = shape.ShardOf(codeword, i);
      EXPECT_LT(shard, shape.shards());
      EXPECT_EQ(shape.CodewordOf(shard), codeword);
      EXPECT_GE(shard, least);
      least = shard + 1;
    }
  }
  EXPECT_EQ(total, shape.shards());
}

// The packets follow each other without gaps, and each is there once.
void ExpectCover(const ParityShape& shape) {
  std::vector<std::pair<uint64_t, uint64_t>> packets;
  for (uint64_t i = 0; i < shape.parameters_packets(); ++i) {
    packets.emplace_back(shape.ParametersOffset(i),
                         kPacketOverhead + kParametersSize);
  }
  for (uint64_t copy = 0; copy < shape.copies(); ++copy) {
    for (uint64_t group = 0; group < shape.groups(); ++group) {
      packets.emplace_back(shape.ChecksumsOffset(copy, group),
                           kPacketOverhead + 4 * ParityShape::kGroup);
    }
  }
  for (uint64_t i = 0; i < shape.parity_shards(); ++i) {
    packets.emplace_back(shape.ParityOffset(i),
                         kPacketOverhead + shape.shard_size);
  }
  std::ranges::sort(packets);
  uint64_t end = 0;
  for (const auto& [offset, size] : packets) {
    ASSERT_EQ(offset, end);
    end += size;
  }
  EXPECT_EQ(end, shape.set_size());
  EXPECT_EQ(shape.ParametersOffset(0), 0);
}

void ExpectSound(uint64_t size, uint32_t redundancy, uint64_t limit) {
  SCOPED_TRACE(::testing::Message() << size << " bytes, " << redundancy);
  const auto shape = MakeParityShape(size, size, redundancy, limit);
  ASSERT_THAT(shape, IsOk());
  EXPECT_FALSE(shape->embedded());
  EXPECT_THAT(CheckParityShape(*shape), IsOk());
  EXPECT_GE(shape->parity, 2);
  EXPECT_LE(shape->data_shards(0) + std::bit_ceil(shape->parity), limit);
  EXPECT_GE(shape->parity * uint64_t{10'000},
            redundancy * shape->data_shards(0));
  ExpectPartition(*shape);
  ExpectCover(*shape);
}

TEST(ParityShape, CoversDataOfEverySize) {
  for (const uint64_t size :
       {0, 1, 511, 512, 513, 8191, 8192, 8193, 32'767, 32'768, 1'000'000,
        4'096'000, 5'000'001, 40'000'000}) {
    for (const uint32_t redundancy : {1U, 500U, 10'000U}) {
      ExpectSound(size, redundancy, ParityShape::kMaxCodeword);
      ExpectSound(size, redundancy, kSmallCodeword);
    }
  }
}

// A lost sector takes few packets of checksums, and never the neighbours of one
// copy in another copy.
TEST(ParityShape, SpreadsChecksums) {
  for (const uint64_t size : {11'000'000, 60'000'000}) {
    const auto shape = MakeParityShape(size, size, 500);
    ASSERT_THAT(shape, IsOk());
    EXPECT_EQ(shape->copies(), size < 20'000'000 ? 3 : 2);
    constexpr uint64_t kSector = 4096;
    for (uint64_t group = 0; group + 4 < shape->groups(); ++group) {
      EXPECT_GT(shape->ChecksumsOffset(0, group + 4),
                shape->ChecksumsOffset(0, group) + kSector);
    }
    for (uint64_t copy = 1; copy < shape->copies(); ++copy) {
      for (uint64_t group = 0; group + 1 < shape->groups(); ++group) {
        const uint64_t a = shape->ChecksumsOffset(copy, group);
        const uint64_t b = shape->ChecksumsOffset(copy, group + 1);
        EXPECT_GT(a < b ? b - a : a - b, kSector);
      }
    }
  }
}

TEST(ParityShape, HasFewCodewordsForLargeData) {
  const uint64_t size = uint64_t{10} << 30;
  const auto shape = MakeParityShape(size, size, 500);
  ASSERT_THAT(shape, IsOk());
  EXPECT_EQ(shape->codewords, 43);
  EXPECT_LT(static_cast<double>(shape->set_size()),
            0.053 * static_cast<double>(size));
}

TEST(ParityShape, SmallDataHasSmallShards) {
  EXPECT_EQ(MakeParityShape(600'000, 600'000, 500)->shard_size, 512);
  EXPECT_EQ(MakeParityShape(1'100'000, 1, 500)->shard_size, 1024);
  EXPECT_EQ(MakeParityShape(4'096'000, 1, 500)->shard_size, 4096);
}

TEST(ParityShape, SaysWhichRunCanBeRepaired) {
  ParityShape shape{.data_size = 1 << 20,
                    .gap = 1 << 20,
                    .shard_size = 512,
                    .codewords = 1,
                    .parity = 20};
  // 20 shards, of which a run of unfortunate place takes one byte of two.
  EXPECT_EQ(shape.RepairableRun(20), 19 * 512 + 1);
  EXPECT_EQ(shape.RepairableRun(1), 1);
  EXPECT_EQ(shape.RepairableRun(0), 0);
  shape.codewords = 3;
  EXPECT_EQ(shape.RepairableRun(20), (3 * 16 + 4 - 1) * 512 + 1);
}

TEST(ParityShape, RefusesDataOfTooManyShards) {
  EXPECT_THAT(MakeParityShape(uint64_t{1} << 60, 0, 500),
              HasCode(ErrorCode::kLimitExceeded));
}

TEST(ParityShape, RefusesImpossibleParameters) {
  const ParityShape good{.data_size = 1'000'000,
                         .gap = 1000,
                         .shard_size = 1024,
                         .codewords = 2,
                         .parity = 20};
  ASSERT_THAT(CheckParityShape(good), IsOk());
  const auto refuses = [&](auto change) {
    ParityShape bad = good;
    change(bad);
    EXPECT_THAT(CheckParityShape(bad), HasCode(ErrorCode::kCorrupt));
  };
  refuses([](ParityShape& shape) { shape.gap = shape.data_size + 1; });
  refuses([](ParityShape& shape) { shape.shard_size = 0; });
  refuses([](ParityShape& shape) { shape.shard_size = 768; });
  refuses([](ParityShape& shape) { shape.shard_size = 8192; });
  refuses([](ParityShape& shape) { shape.codewords = 0; });
  refuses([](ParityShape& shape) { shape.codewords = 63; });
  refuses([](ParityShape& shape) { shape.parity = 0; });
  refuses([](ParityShape& shape) { shape.parity = 497; });
  refuses([](ParityShape& shape) { shape.parity = 0xffffffff; });
  refuses([](ParityShape& shape) { shape.data_size = UINT64_MAX; });
}

}  // namespace
}  // namespace zpack::testing
