// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of gitformat-pack(5) that readers and writers of packs share.

#pragma once

#include <cstdint>

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

// Appends the SHA-1 of what is in `bytes`, which ends every file about a pack.
void AppendSha1(Bytes& bytes);

}  // namespace zpack
