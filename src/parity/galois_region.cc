// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/galois_region.h"

#include "parity/galois_field.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__AARCH64EL__)
#include <arm_neon.h>
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

// Registers of half a block: of its high bytes, or of its low bytes. A table of
// 16 bytes looks up half-bytes in all places of a register.
#if defined(__x86_64__)
#define ZPACK_SIMD __attribute__((target("avx2")))
using Register = __m256i;
using Table = __m256i;  // the same in both lanes

ZPACK_SIMD inline Register Load(const std::byte* bytes) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
}

ZPACK_SIMD inline void Store(std::byte* bytes, const Register& value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(bytes), value);
}

ZPACK_SIMD inline Register Add(const Register& a, const Register& b) {
  return _mm256_xor_si256(a, b);
}

ZPACK_SIMD inline Register LowHalves(const Register& bytes) {
  return _mm256_and_si256(bytes, _mm256_set1_epi8(15));
}

ZPACK_SIMD inline Register HighHalves(const Register& bytes) {
  return LowHalves(_mm256_srli_epi16(bytes, 4));
}

ZPACK_SIMD inline Register LookUp(const Table& table, const Register& places) {
  return _mm256_shuffle_epi8(table, places);
}

// Splits 16 products into their high and their low bytes.
ZPACK_SIMD inline void Split(const uint16_t* products, Table& high,
                             Table& low) {
  const __m128i low_bytes = _mm_set1_epi16(0xFF);
  const auto* const words = reinterpret_cast<const __m128i*>(products);
  const __m128i first = _mm_loadu_si128(words);
  const __m128i second = _mm_loadu_si128(words + 1);
  low = _mm256_broadcastsi128_si256(_mm_packus_epi16(
      _mm_and_si128(first, low_bytes), _mm_and_si128(second, low_bytes)));
  high = _mm256_broadcastsi128_si256(
      _mm_packus_epi16(_mm_srli_epi16(first, 8), _mm_srli_epi16(second, 8)));
}
#elif defined(__AARCH64EL__)
#define ZPACK_SIMD  // part of every such processor
using Register = uint8x16x2_t;
using Table = uint8x16_t;

inline Register Load(const std::byte* bytes) {
  const auto* const from = reinterpret_cast<const uint8_t*>(bytes);
  return {{vld1q_u8(from), vld1q_u8(from + kHalf / 2)}};
}

inline void Store(std::byte* bytes, const Register& value) {
  auto* const to = reinterpret_cast<uint8_t*>(bytes);
  vst1q_u8(to, value.val[0]);
  vst1q_u8(to + kHalf / 2, value.val[1]);
}

inline Register Add(const Register& a, const Register& b) {
  return {{veorq_u8(a.val[0], b.val[0]), veorq_u8(a.val[1], b.val[1])}};
}

inline Register LowHalves(const Register& bytes) {
  const uint8x16_t mask = vdupq_n_u8(15);
  return {{vandq_u8(bytes.val[0], mask), vandq_u8(bytes.val[1], mask)}};
}

inline Register HighHalves(const Register& bytes) {
  return {{vshrq_n_u8(bytes.val[0], 4), vshrq_n_u8(bytes.val[1], 4)}};
}

inline Register LookUp(const Table& table, const Register& places) {
  return {{vqtbl1q_u8(table, places.val[0]), vqtbl1q_u8(table, places.val[1])}};
}

// Splits 16 products into their high and their low bytes.
inline void Split(const uint16_t* products, Table& high, Table& low) {
  const uint8x16x2_t bytes =
      vld2q_u8(reinterpret_cast<const uint8_t*>(products));
  low = bytes.val[0];
  high = bytes.val[1];
}
#endif

#ifdef ZPACK_SIMD
struct Block {
  Register high;
  Register low;
};

ZPACK_SIMD inline Block LoadBlock(const std::byte* block) {
  return {Load(block), Load(block + kHalf)};
}

ZPACK_SIMD inline void StoreBlock(std::byte* block, const Block& words) {
  Store(block, words.high);
  Store(block + kHalf, words.low);
}

ZPACK_SIMD inline Block Add(const Block& a, const Block& b) {
  return {Add(a.high, b.high), Add(a.low, b.low)};
}

// The products of one constant, for each place of a half-byte.
struct SimdProducts {
  ZPACK_SIMD explicit SimdProducts(const ProductTable& table) {
    for (size_t place = 0; place < 4; ++place) {
      Split(table.products[place].data(), high[place], low[place]);
    }
  }

  ZPACK_SIMD Block Multiply(const Block& words) const {
    const Register places[4] = {LowHalves(words.low), HighHalves(words.low),
                                LowHalves(words.high), HighHalves(words.high)};
    Block sum{LookUp(high[0], places[0]), LookUp(low[0], places[0])};
    for (size_t place = 1; place < 4; ++place) {
      sum = Add(sum, Block{LookUp(high[place], places[place]),
                           LookUp(low[place], places[place])});
    }
    return sum;
  }

  Table high[4];
  Table low[4];
};

ZPACK_SIMD void SimdMultiply(std::byte* region, size_t size,
                             const ProductTable& table) {
  const SimdProducts products(table);
  for (size_t i = 0; i < size; i += kBlock) {
    StoreBlock(region + i, products.Multiply(LoadBlock(region + i)));
  }
}

ZPACK_SIMD void SimdForward(std::byte* low, std::byte* high, size_t size,
                            const ProductTable& table) {
  const SimdProducts products(table);
  for (size_t i = 0; i < size; i += kBlock) {
    const Block b = LoadBlock(high + i);
    const Block sum = Add(LoadBlock(low + i), products.Multiply(b));
    StoreBlock(low + i, sum);
    StoreBlock(high + i, Add(b, sum));
  }
}

ZPACK_SIMD void SimdInverse(std::byte* low, std::byte* high, size_t size,
                            const ProductTable& table) {
  const SimdProducts products(table);
  for (size_t i = 0; i < size; i += kBlock) {
    const Block a = LoadBlock(low + i);
    const Block sum = Add(a, LoadBlock(high + i));
    StoreBlock(high + i, sum);
    StoreBlock(low + i, Add(a, products.Multiply(sum)));
  }
}
#undef ZPACK_SIMD
#endif

#if defined(__x86_64__)
constexpr RegionOperations kOperations[] = {
    {"AVX2", SimdMultiply, SimdForward, SimdInverse}, kPortable};

bool HasFastest() { return __builtin_cpu_supports("avx2") != 0; }
#elif defined(__AARCH64EL__)
constexpr RegionOperations kOperations[] = {
    {"NEON", SimdMultiply, SimdForward, SimdInverse}, kPortable};

bool HasFastest() { return true; }
#else
constexpr RegionOperations kOperations[] = {kPortable};

bool HasFastest() { return true; }
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
  return std::span(kOperations).subspan(HasFastest() ? 0 : 1);
}

void AddRegion(std::byte* target, const std::byte* source, size_t size) {
  for (size_t i = 0; i < size; ++i) target[i] ^= source[i];
}

}  // namespace zpack
