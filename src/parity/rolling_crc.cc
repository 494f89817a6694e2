// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/rolling_crc.h"

#include "codec/deflate.h"

namespace zpack {
namespace {

constexpr std::array<uint32_t, 256> MakeCrcTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t remainder = i;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? 0xedb88320U : 0U);
    }
    table[i] = remainder;
  }
  return table;
}

}  // namespace

constexpr std::array<uint32_t, 256> RollingCrc::kTable = MakeCrcTable();

RollingCrc::RollingCrc(size_t size) : zeros_(Crc32(0, Bytes(size, 0))) {
  for (uint32_t byte = 0; byte < leaving_.size(); ++byte) {
    // After `byte` has entered, `size` more bytes enter until it leaves.
    uint32_t remainder = Step(0, static_cast<uint8_t>(byte));
    for (size_t i = 0; i < size; ++i) remainder = Step(remainder, 0);
    leaving_[byte] = remainder;
  }
}

}  // namespace zpack
