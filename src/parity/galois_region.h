// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of GF(2^16) on regions of bytes. A region is blocks of 64 bytes
// (kErasureBlock). A block holds 32 words: byte i holds the high byte of word
// i, and byte 32 + i its low byte. So whole registers of high bytes and of low
// bytes are loaded without sorting. Any thread.
//
// Method: a product with a constant is the sum of the products of the four
// half-bytes of a word, each from a table of 16 entries, which byte shuffles
// look up (Plank, Greenan and Miller, "Screaming Fast Galois Field Arithmetic
// Using Intel SIMD Instructions", FAST 2013).

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace zpack {

// The products of one constant with each half-byte in each of the four places
// of a word, the lowest first.
struct ProductTable {
  explicit ProductTable(uint16_t constant);
  std::array<std::array<uint16_t, 16>, 4> products;
};

// The operations for one kind of processor. All kinds give the same bytes.
// Sizes are multiples of kErasureBlock; regions do not overlap.
struct RegionOperations {
  const char* name;
  // region := constant * region
  void (*multiply)(std::byte* region, size_t size, const ProductTable& table);
  // low := low + constant * high, then high := high + low
  void (*forward)(std::byte* low, std::byte* high, size_t size,
                  const ProductTable& table);
  // high := high + low, then low := low + constant * high
  void (*inverse)(std::byte* low, std::byte* high, size_t size,
                  const ProductTable& table);
};

// The operations that this processor can carry out, the fastest first. The last
// ones need nothing special.
std::span<const RegionOperations> AvailableRegionOperations();

// target := target + source, which is exclusive or.
void AddRegion(std::byte* target, const std::byte* source, size_t size);

}  // namespace zpack
