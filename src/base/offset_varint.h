// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The integers of variable length that Git uses for the distances of deltas in
// packs (gitformat-pack(5)) and in reftables: seven bits a byte, most
// significant first. Each byte except the last stands for one more than its
// bits. Pure.

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/bytes.h"

namespace zpack {

// Nothing if the input ends or the value does not fit.
inline std::optional<uint64_t> ReadOffsetVarint(ByteReader& in) {
  uint8_t byte = in.U8();
  uint64_t value = byte & 0x7f;
  while (byte >= 0x80) {
    if (value >= std::numeric_limits<uint64_t>::max() >> 7) return std::nullopt;
    byte = in.U8();
    value = (value + 1) << 7 | (byte & 0x7f);
  }
  return in.ok() ? std::optional(value) : std::nullopt;
}

inline void AppendOffsetVarint(uint64_t value, Bytes& out) {
  std::array<uint8_t, 10> bytes;
  size_t at = bytes.size() - 1;
  bytes[at] = static_cast<uint8_t>(value & 0x7f);
  while ((value >>= 7) != 0) {
    --value;
    bytes[--at] = static_cast<uint8_t>(value | 0x80);
  }
  Append(out, ByteView(bytes).subspan(at));
}

}  // namespace zpack
