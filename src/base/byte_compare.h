// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares two byte strings eight bytes at a time.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zpack {

// Eight bytes, the first of which is the lowest of the number on every machine.
inline uint64_t LoadWord(const uint8_t* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  if constexpr (std::endian::native == std::endian::big) {
    word = std::byteswap(word);
  }
  return word;
}

// Number of leading bytes in which a[0, limit) and b[0, limit) agree.
inline size_t CommonPrefix(const uint8_t* a, const uint8_t* b, size_t limit) {
  size_t n = 0;
  while (limit - n >= sizeof(uint64_t)) {
    const uint64_t difference = LoadWord(a + n) ^ LoadWord(b + n);
    if (difference != 0)
      return n + static_cast<size_t>(std::countr_zero(difference)) / 8;
    n += sizeof(uint64_t);
  }
  while (n < limit && a[n] == b[n]) ++n;
  return n;
}

// Number of trailing bytes in which a[-limit, 0) and b[-limit, 0) agree.
inline size_t CommonSuffix(const uint8_t* a, const uint8_t* b, size_t limit) {
  size_t n = 0;
  while (limit - n >= sizeof(uint64_t)) {
    const uint64_t difference =
        LoadWord(a - n - sizeof(uint64_t)) ^ LoadWord(b - n - sizeof(uint64_t));
    if (difference != 0)
      return n + static_cast<size_t>(std::countl_zero(difference)) / 8;
    n += sizeof(uint64_t);
  }
  while (n < limit && a[-1 - static_cast<ptrdiff_t>(n)] ==
                          b[-1 - static_cast<ptrdiff_t>(n)]) {
    ++n;
  }
  return n;
}

}  // namespace zpack
