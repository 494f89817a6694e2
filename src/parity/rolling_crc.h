// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The CRC-32 of a window that moves over bytes one at a time.
// Thread-compatible.

#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace zpack {

// CRC-32 as codec/deflate.h's Crc32. Without the two complements of CRC-32, the
// remainder is linear: the byte that leaves the window is taken out by
// subtracting (xor) the remainder of that byte followed by zeros.
class RollingCrc {
 public:
  // Starts with a window of `size` zeros.
  explicit RollingCrc(size_t size);

  // Moves the window by one byte.
  void Roll(uint8_t in, uint8_t out) {
    remainder_ = Step(remainder_, in) ^ leaving_[out];
  }
  uint32_t Value() const { return remainder_ ^ zeros_; }

 private:
  static uint32_t Step(uint32_t remainder, uint8_t in) {
    return kTable[(remainder ^ in) & 0xff] ^ (remainder >> 8);
  }
  static const std::array<uint32_t, 256> kTable;

  uint32_t remainder_ = 0;
  uint32_t zeros_ = 0;  // the CRC-32 of a window of zeros
  std::array<uint32_t, 256> leaving_{};
};

}  // namespace zpack
