// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/galois_field.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "parity/galois_region.h"

namespace zpack {
namespace {

// Multiplies polynomials over GF(2), and then takes the remainder.
uint16_t LongMultiply(uint16_t a, uint16_t b) {
  uint32_t product = 0;
  for (int bit = 0; bit < 16; ++bit) {
    if ((b >> bit & 1) != 0) product ^= uint32_t{a} << bit;
  }
  for (int bit = 30; bit >= 16; --bit) {
    if ((product >> bit & 1) != 0) product ^= kFieldPolynomial << (bit - 16);
  }
  return static_cast<uint16_t>(product);
}

TEST(GaloisField, MultipliesAsPolynomials) {
  const GaloisField& field = GaloisField::Get();
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto a = static_cast<uint16_t>(random());
    const auto b = static_cast<uint16_t>(random());
    ASSERT_EQ(field.Multiply(a, b), LongMultiply(a, b)) << a << ' ' << b;
  }
  EXPECT_EQ(field.Multiply(0, 7), 0);
  EXPECT_EQ(field.Multiply(7, 0), 0);
}

TEST(GaloisField, TwoGeneratesEveryElementButZero) {
  const GaloisField& field = GaloisField::Get();
  std::set<uint16_t> powers;
  for (uint32_t i = 0; i < kFieldOrder; ++i) {
    powers.insert(field.Power(i));
    ASSERT_EQ(field.Log(field.Power(i)), i);
  }
  EXPECT_EQ(powers.size(), kFieldOrder);
  EXPECT_FALSE(powers.contains(0));
}

TEST(GaloisField, HasTheAxiomsOfAField) {
  const GaloisField& field = GaloisField::Get();
  std::mt19937 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const auto a = static_cast<uint16_t>(random());
    const auto b = static_cast<uint16_t>(random());
    const auto c = static_cast<uint16_t>(random());
    ASSERT_EQ(field.Multiply(a, b), field.Multiply(b, a));
    ASSERT_EQ(field.Multiply(field.Multiply(a, b), c),
              field.Multiply(a, field.Multiply(b, c)));
    ASSERT_EQ(field.Multiply(a, b ^ c),
              field.Multiply(a, b) ^ field.Multiply(a, c));
    ASSERT_EQ(field.Multiply(a, 1), a);
  }
  for (uint32_t a = 1; a < kFieldSize; ++a) {
    const auto element = static_cast<uint16_t>(a);
    ASSERT_EQ(field.Multiply(element, field.Divide(1, element)), 1);
  }
}

using Region = std::vector<std::byte>;

Region RandomRegion(size_t size, std::mt19937& random) {
  Region region(size);
  for (std::byte& byte : region) byte = static_cast<std::byte>(random());
  return region;
}

uint16_t WordOf(const Region& region, size_t i) {
  const std::byte* const block = &region[i / 32 * 64];
  return static_cast<uint16_t>(std::to_integer<unsigned>(block[i % 32]) << 8 |
                               std::to_integer<unsigned>(block[32 + i % 32]));
}

TEST(GaloisRegion, EveryKindOfProcessorCalculatesTheSame) {
  const GaloisField& field = GaloisField::Get();
  for (const RegionOperations& kind : AvailableRegionOperations()) {
    std::mt19937 random(3);
    for (const uint32_t constant : {0U, 1U, 2U, 0x8000U, 0xFFFFU, 0x1234U}) {
      const auto factor = static_cast<uint16_t>(constant);
      const ProductTable table(factor);
      const Region a = RandomRegion(192, random);
      const Region b = RandomRegion(192, random);
      Region product = a;
      kind.multiply(product.data(), product.size(), table);
      Region low = a;
      Region high = b;
      kind.forward(low.data(), high.data(), low.size(), table);
      for (size_t i = 0; i < 96; ++i) {
        ASSERT_EQ(WordOf(product, i), field.Multiply(factor, WordOf(a, i)))
            << kind.name << ' ' << constant;
        const auto sum = static_cast<uint16_t>(
            WordOf(a, i) ^ field.Multiply(factor, WordOf(b, i)));
        ASSERT_EQ(WordOf(low, i), sum) << kind.name << ' ' << constant;
        ASSERT_EQ(WordOf(high, i), WordOf(b, i) ^ sum) << kind.name;
      }
      kind.inverse(low.data(), high.data(), low.size(), table);
      ASSERT_EQ(low, a) << kind.name << ' ' << constant;
      ASSERT_EQ(high, b) << kind.name << ' ' << constant;
    }
  }
}

TEST(GaloisRegion, ThereIsAlwaysAPortableKind) {
  EXPECT_STREQ(AvailableRegionOperations().back().name, "portable");
}

}  // namespace
}  // namespace zpack
