// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes the checksums of an edited file right again, so that what lies behind
// them is tested. Pure.

#pragma once

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"
#include "format/constants.h"

namespace zpack::testing {

// A file is a header and then chunks, and a checksum ends each of them. Stops
// where sizes make no sense.
inline void RepairChecksums(Bytes& bytes) {
  const auto repair = [&](uint64_t begin, uint64_t size) {
    if (size < format::kChecksumSize || size > bytes.size() - begin) {
      return false;
    }
    const uint64_t end = begin + size - format::kChecksumSize;
    Bytes checksum;
    ByteWriter(checksum).U64(
        Checksum(ByteView(bytes).subspan(begin, end - begin)));
    std::ranges::copy(checksum, bytes.begin() + static_cast<ptrdiff_t>(end));
    return true;
  };
  if (bytes.size() < format::kFixedHeaderSize) return;
  uint64_t at = LoadBigEndian<uint32_t>(&bytes[24]);
  if (!repair(0, at)) return;
  while (bytes.size() - at > format::kChunkOverhead) {
    const uint64_t payload = LoadBigEndian<uint64_t>(&bytes[at + 8]);
    if (payload > bytes.size() ||
        !repair(at, payload + format::kChunkOverhead)) {
      return;
    }
    at += payload + format::kChunkOverhead;
  }
}

}  // namespace zpack::testing
