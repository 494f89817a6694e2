// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/galois_region.h"

#include "parity/galois_field.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace zpack {
namespace {

constexpr size_t kBlock = 64;
constexpr size_t kHalf = kBlock / 2;

struct Word {
  std::byte& high;
  std::byte& low;

  uint16_t Load() const {
    return static_cast<uint16_t>(std::to_integer<unsigned>(high) << 8 |
                                 std::to_integer<unsigned>(low));
  }
  void Store(unsigned value) const {
    high = static_cast<std::byte>(value >> 8);
    low = static_cast<std::byte>(value & 0xFF);
  }
};

Word WordAt(std::byte* region, size_t block, size_t i) {
  return {region[block + i], region[block + kHalf + i]};
}

unsigned Product(unsigned word, const ProductTable& table) {
  return table.products[0][word & 15] ^ table.products[1][word >> 4 & 15] ^
         table.products[2][word >> 8 & 15] ^ table.products[3][word >> 12];
}

void PortableMultiply(std::byte* region, size_t size,
                      const ProductTable& table) {
  for (size_t block = 0; block < size; block += kBlock) {
    for (size_t i = 0; i < kHalf; ++i) {
      const Word word = WordAt(region, block, i);
      word.Store(Product(word.Load(), table));
    }
  }
}

void PortableForward(std::byte* low, std::byte* high, size_t size,
                     const ProductTable& table) {
  for (size_t block = 0; block < size; block += kBlock) {
    for (size_t i = 0; i < kHalf; ++i) {
      const Word a = WordAt(low, block, i);
      const Word b = WordAt(high, block, i);
      const unsigned sum = a.Load() ^ Product(b.Load(), table);
      a.Store(sum);
      b.Store(b.Load() ^ sum);
    }
  }
}

void PortableInverse(std::byte* low, std::byte* high, size_t size,
                     const ProductTable& table) {
  for (size_t block = 0; block < size; block += kBlock) {
    for (size_t i = 0; i < kHalf; ++i) {
      const Word a = WordAt(low, block, i);
      const Word b = WordAt(high, block, i);
      const unsigned sum = a.Load() ^ b.Load();
      b.Store(sum);
      a.Store(a.Load() ^ Product(sum, table));
    }
  }
}

constexpr RegionOperations kPortable{"portable", PortableMultiply,
                                     PortableForward, PortableInverse};

#if defined(__x86_64__)
#define ZPACK_AVX2 __attribute__((target("avx2")))

// A block: a register of high bytes and one of low bytes.
struct Avx2Block {
  __m256i high;
  __m256i low;
};

ZPACK_AVX2 inline Avx2Block Load(const std::byte* block) {
  const auto* const halves = reinterpret_cast<const __m256i*>(block);
  return {_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
}

ZPACK_AVX2 inline void Store(std::byte* block, const Avx2Block& words) {
  auto* const halves = reinterpret_cast<__m256i*>(block);
  _mm256_storeu_si256(halves, words.high);
  _mm256_storeu_si256(halves + 1, words.low);
}

ZPACK_AVX2 inline Avx2Block Add(const Avx2Block& a, const Avx2Block& b) {
  return {_mm256_xor_si256(a.high, b.high), _mm256_xor_si256(a.low, b.low)};
}

// The table as registers: for each place of a half-byte, the high bytes and the
// low bytes of the 16 products, in both lanes.
struct Avx2Table {
  ZPACK_AVX2 explicit Avx2Table(const ProductTable& table) {
    const __m128i low_bytes = _mm_set1_epi16(0xFF);
    for (size_t place = 0; place < 4; ++place) {
      const auto* const products =
          reinterpret_cast<const __m128i*>(table.products[place].data());
      const __m128i first = _mm_loadu_si128(products);
      const __m128i second = _mm_loadu_si128(products + 1);
      low[place] = _mm256_broadcastsi128_si256(_mm_packus_epi16(
          _mm_and_si128(first, low_bytes), _mm_and_si128(second, low_bytes)));
      high[place] = _mm256_broadcastsi128_si256(_mm_packus_epi16(
          _mm_srli_epi16(first, 8), _mm_srli_epi16(second, 8)));
    }
  }

  ZPACK_AVX2 Avx2Block Multiply(const Avx2Block& words) const {
    const __m256i mask = _mm256_set1_epi8(15);
    const __m256i places[4] = {
        _mm256_and_si256(words.low, mask),
        _mm256_and_si256(_mm256_srli_epi16(words.low, 4), mask),
        _mm256_and_si256(words.high, mask),
        _mm256_and_si256(_mm256_srli_epi16(words.high, 4), mask)};
    Avx2Block sum{_mm256_shuffle_epi8(high[0], places[0]),
                  _mm256_shuffle_epi8(low[0], places[0])};
    for (size_t place = 1; place < 4; ++place) {
      sum = Add(sum, {_mm256_shuffle_epi8(high[place], places[place]),
                      _mm256_shuffle_epi8(low[place], places[place])});
    }
    return sum;
  }

  __m256i high[4];
  __m256i low[4];
};

ZPACK_AVX2 void Avx2Multiply(std::byte* region, size_t size,
                             const ProductTable& table) {
  const Avx2Table products(table);
  for (size_t i = 0; i < size; i += kBlock) {
    Store(region + i, products.Multiply(Load(region + i)));
  }
}

ZPACK_AVX2 void Avx2Forward(std::byte* low, std::byte* high, size_t size,
                            const ProductTable& table) {
  const Avx2Table products(table);
  for (size_t i = 0; i < size; i += kBlock) {
    const Avx2Block b = Load(high + i);
    const Avx2Block sum = Add(Load(low + i), products.Multiply(b));
    Store(low + i, sum);
    Store(high + i, Add(b, sum));
  }
}

ZPACK_AVX2 void Avx2Inverse(std::byte* low, std::byte* high, size_t size,
                            const ProductTable& table) {
  const Avx2Table products(table);
  for (size_t i = 0; i < size; i += kBlock) {
    const Avx2Block a = Load(low + i);
    const Avx2Block sum = Add(a, Load(high + i));
    Store(high + i, sum);
    Store(low + i, Add(a, products.Multiply(sum)));
  }
}

#undef ZPACK_AVX2

constexpr RegionOperations kOperations[] = {
    {"AVX2", Avx2Multiply, Avx2Forward, Avx2Inverse}, kPortable};

bool HasAvx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
constexpr RegionOperations kOperations[] = {kPortable};

bool HasAvx2() { return true; }
#endif

}  // namespace

ProductTable::ProductTable(uint16_t constant) : products() {
  uint16_t power = constant;  // the constant times x^0, x^1, ..., x^15
  for (auto& place : products) {
    for (size_t bit = 1; bit < place.size(); bit *= 2) {
      for (size_t i = 0; i < bit; ++i) place[bit + i] = place[i] ^ power;
      power = TimesX(power);
    }
  }
}

std::span<const RegionOperations> AvailableRegionOperations() {
  return std::span(kOperations).subspan(HasAvx2() ? 0 : 1);
}

void AddRegion(std::byte* target, const std::byte* source, size_t size) {
  for (size_t i = 0; i < size; ++i) target[i] ^= source[i];
}

}  // namespace zpack
