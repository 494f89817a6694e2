// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of gitformat-pack(5) that readers and writers of packs share.

#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace zpack {

inline constexpr uint32_t kPackSignature = 0x5041434b;       // "PACK"
inline constexpr uint32_t kPackIndexSignature = 0xff744f63;  // "\377tOc"
inline constexpr uint32_t kPackVersion = 2;  // of pack and index alike
// The type of an entry that is a delta; others are those of objects.
inline constexpr uint8_t kOffsetDelta = 6;
inline constexpr uint8_t kReferenceDelta = 7;
// Offsets from here on are in an index's table of 64-bit offsets, and what
// stands in their place is this and their position there.
inline constexpr uint32_t kFirstLargeOffset = uint32_t{1} << 31;

// Of files with one number for each object of a pack: reverse indexes and times
// of cruft packs.
inline constexpr uint32_t kPackTableVersion = 1;
inline constexpr uint32_t kPackTableSha1 = 1;  // the hash function

// Such a file about the pack whose own hash is `pack_hash`.
Bytes EncodePackTable(uint32_t signature, const std::vector<uint32_t>& numbers,
                      ByteView pack_hash);

// Appends the SHA-1 of what is in `bytes`, which ends every file about a pack.
void AppendSha1(Bytes& bytes);

}  // namespace zpack
