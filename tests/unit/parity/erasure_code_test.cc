// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/erasure_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "parity/additive_transform.h"
#include "parity/galois_field.h"

namespace zpack {
namespace {

using Shards = std::vector<std::byte>;

// The data shards and, after them, the parity shards.
Shards Encode(ErasureShape shape, size_t width, unsigned seed) {
  std::mt19937 random(seed);
  Shards shards(shape.data * width);
  for (std::byte& byte : shards) byte = static_cast<std::byte>(random());
  ErasureEncoder encoder(shape, width);
  for (uint32_t i = 0; i < shape.data; ++i) {
    encoder.Add(std::span(shards).subspan(i * width, width));
  }
  const Shards parity = encoder.Finish();
  EXPECT_EQ(parity.size(), shape.parity * width);
  shards.insert(shards.end(), parity.begin(), parity.end());
  return shards;
}

// Loses the shards of `lost` (indexes as in Encode's result) and checks that
// the data comes back.
void ExpectDecodes(ErasureShape shape, size_t width, const Shards& shards,
                   const std::vector<uint32_t>& lost) {
  std::vector<uint32_t> data;
  std::vector<uint32_t> parity;
  for (const uint32_t i : lost) {
    i < shape.data ? data.push_back(i) : parity.push_back(i - shape.data);
  }
  const auto shard = [&](uint32_t i, std::span<std::byte> to) {
    ASSERT_FALSE(std::ranges::binary_search(lost, i)) << i;
    std::ranges::copy(std::span(shards).subspan(i * width, width), to.data());
  };
  const Shards found = ErasureDecoder(shape, data, parity).Decode(width, shard);
  Shards expected;
  for (const uint32_t i : data) {
    const auto column = std::span(shards).subspan(i * width, width);
    expected.insert(expected.end(), column.begin(), column.end());
  }
  ASSERT_EQ(found, expected) << shape.data << '+' << shape.parity << ", lost "
                             << ::testing::PrintToString(lost);
}

TEST(ErasureCode, KnowsWhichShapesAreValid) {
  EXPECT_TRUE(IsValid({1, 1}));
  EXPECT_TRUE(IsValid({65535, 1}));
  EXPECT_TRUE(IsValid({32768, 20000}));
  EXPECT_TRUE(IsValid({1, 32768}));
  EXPECT_FALSE(IsValid({0, 1}));
  EXPECT_FALSE(IsValid({1, 0}));
  EXPECT_FALSE(IsValid({65536, 1}));
  EXPECT_FALSE(IsValid({1, 32769}));
  EXPECT_FALSE(IsValid({0xFFFFFFFF, 1}));
  EXPECT_FALSE(IsValid({1, 0xFFFFFFFF}));
}

TEST(ErasureCode, BringsBackEveryPatternOfLossInSmallShapes) {
  constexpr size_t kWidth = 64;
  for (uint32_t k = 1; k <= 9; ++k) {
    for (uint32_t m = 1; m <= 5; ++m) {
      const ErasureShape shape{k, m};
      const Shards shards = Encode(shape, kWidth, k * 100 + m);
      for (uint32_t set = 0; set < 1U << (k + m); ++set) {
        if (std::popcount(set) > static_cast<int>(m)) continue;
        std::vector<uint32_t> lost;
        for (uint32_t i = 0; i < k + m; ++i) {
          if ((set >> i & 1) != 0) lost.push_back(i);
        }
        ExpectDecodes(shape, kWidth, shards, lost);
      }
    }
  }
}

std::vector<uint32_t> RandomLoss(ErasureShape shape, std::mt19937& random) {
  std::vector<uint32_t> all(shape.data + shape.parity);
  std::iota(all.begin(), all.end(), 0U);
  std::vector<uint32_t> lost;
  std::ranges::sample(all, std::back_inserter(lost), shape.parity, random);
  return lost;
}

TEST(ErasureCode, BringsBackRandomLossInRandomShapes) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 30; ++trial) {
    const ErasureShape shape{1 + static_cast<uint32_t>(random() % 3000),
                             1 + static_cast<uint32_t>(random() % 600)};
    const size_t width = 64 * (1 + random() % 3);
    const Shards shards = Encode(shape, width, random());
    ExpectDecodes(shape, width, shards, RandomLoss(shape, random));
  }
}

TEST(ErasureCode, BringsBackRunsInTheLongestCode) {
  constexpr ErasureShape kShape{65536 - 4096, 3000};
  static_assert(kShape.data + std::bit_ceil(kShape.parity) == 65536);
  const Shards shards = Encode(kShape, 64, 8);
  std::mt19937 random(8);
  ExpectDecodes(kShape, 64, shards, RandomLoss(kShape, random));
  std::vector<uint32_t> run(kShape.parity);
  std::iota(run.begin(), run.end(), kShape.data - 2000);  // to the parity
  ExpectDecodes(kShape, 64, shards, run);
}

TEST(ErasureCode, AColumnIsCodedAsPartOfItsShard) {
  constexpr ErasureShape kShape{21, 6};
  const Shards shards = Encode(kShape, 256, 9);
  const std::vector<uint32_t> lost{0, 5, 20};
  const ErasureDecoder decoder(kShape, lost, {1});
  const Shards found = decoder.Decode(64, [&](uint32_t i, auto to) {
    std::ranges::copy(std::span(shards).subspan(i * 256 + 128, 64), to.data());
  });
  ASSERT_EQ(found.size(), 3 * 64U);
  for (size_t i = 0; i < lost.size(); ++i) {
    EXPECT_TRUE(
        std::ranges::equal(std::span(found).subspan(i * 64, 64),
                           std::span(shards).subspan(lost[i] * 256 + 128, 64)));
  }
}

TEST(ErasureCode, ReadsNothingIfOnlyParityIsLost) {
  const ErasureDecoder decoder({5, 2}, {}, {0, 1});
  EXPECT_TRUE(
      decoder.Decode(64, [](uint32_t i, auto) { ADD_FAILURE() << i; }).empty());
}

TEST(AdditiveTransform, EveryKindOfProcessorGivesTheSame) {
  constexpr uint32_t kRows = 64;
  std::vector<uint32_t> points(kRows);
  std::iota(points.begin(), points.end(), 128U);
  const Shards values = Encode({kRows - 1, 1}, 64, 10);
  std::vector<Shards> results;
  for (const RegionOperations& kind : AvailableRegionOperations()) {
    const AdditiveTransform transform(kind, 64);
    Shards rows = values;
    transform.ToCoefficients(rows, 128, kRows);
    results.push_back(rows);
    transform.ToValues(rows, 128, points);
    EXPECT_EQ(rows, values) << kind.name;
    transform.Differentiate(rows);
    results.back().insert(results.back().end(), rows.begin(), rows.end());
  }
  for (const Shards& result : results) EXPECT_EQ(result, results.front());
}

uint16_t FirstWord(const Shards& shards, size_t width, uint32_t i) {
  return static_cast<uint16_t>(
      std::to_integer<unsigned>(shards[i * width]) << 8 |
      std::to_integer<unsigned>(shards[i * width + 32]));
}

// FORMAT.md, Erasure code: the sum over all i of
//   data[i] * S(M + i) / (P * (j + M + i)),
// S(x) the product of (x + q) for all q < M, P that of all q from 1 to M - 1.
uint16_t ParityByFormula(const std::vector<uint16_t>& data, uint32_t parity,
                         uint32_t j) {
  const GaloisField& field = GaloisField::Get();
  const uint32_t first = std::bit_ceil(parity);
  uint16_t sum = 0;
  for (uint32_t i = 0; i < data.size(); ++i) {
    const uint32_t x = first + i;
    uint16_t term = data[i];
    for (uint32_t q = 0; q < first; ++q) {
      term = field.Multiply(term, static_cast<uint16_t>(x ^ q));
      if (q != 0) term = field.Divide(term, static_cast<uint16_t>(q));
    }
    sum ^= field.Divide(term, static_cast<uint16_t>(x ^ j));
  }
  return sum;
}

// Position p has value `values[p - first]`. Evaluates, at `x`, the polynomial
// through these points by Lagrange's formula.
uint16_t Interpolate(const std::vector<uint16_t>& values, uint32_t first,
                     uint32_t x) {
  const GaloisField& field = GaloisField::Get();
  uint16_t sum = 0;
  for (uint32_t i = 0; i < values.size(); ++i) {
    uint16_t term = values[i];
    for (uint32_t p = 0; p < values.size(); ++p) {
      if (p == i) continue;
      term = field.Multiply(term, static_cast<uint16_t>(x ^ (first + p)));
      term =
          field.Divide(term, static_cast<uint16_t>((first + i) ^ (first + p)));
    }
    sum ^= term;
  }
  return sum;
}

TEST(ErasureCode, ParityIsThePolynomialThroughTheData) {
  for (const ErasureShape shape :
       {ErasureShape{1, 1}, ErasureShape{3, 2}, ErasureShape{13, 3},
        ErasureShape{21, 6}, ErasureShape{100, 20}}) {
    const Shards shards = Encode(shape, 64, shape.data);
    std::vector<uint16_t> data(shape.data);
    for (uint32_t i = 0; i < shape.data; ++i)
      data[i] = FirstWord(shards, 64, i);
    const uint32_t first = std::bit_ceil(shape.parity);
    std::vector<uint16_t> values = data;
    values.resize(std::bit_ceil(first + shape.data) - first);
    for (uint32_t j = 0; j < shape.parity; ++j) {
      const uint16_t parity = FirstWord(shards, 64, shape.data + j);
      ASSERT_EQ(parity, Interpolate(values, first, j))
          << shape.data << ' ' << j;
      ASSERT_EQ(parity, ParityByFormula(data, shape.parity, j))
          << shape.data << ' ' << j;
    }
  }
}

// The example of FORMAT.md: the same bytes forever.
TEST(ErasureCode, GivesTheParityOfTheSpecification) {
  constexpr uint16_t kData[] = {0x0001, 0x1234, 0xABCD};
  ErasureEncoder encoder({3, 2}, 64);
  for (const uint16_t word : kData) {
    Shards shard(64);
    shard[0] = static_cast<std::byte>(word >> 8);
    shard[32] = static_cast<std::byte>(word & 0xFF);
    encoder.Add(shard);
  }
  const Shards parity = encoder.Finish();
  EXPECT_EQ(FirstWord(parity, 64, 0), 0x0084);
  EXPECT_EQ(FirstWord(parity, 64, 1), 0xB97C);
}

}  // namespace
}  // namespace zpack
