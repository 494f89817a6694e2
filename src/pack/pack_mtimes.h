// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The '.mtimes' file that makes a pack a cruft pack (gitformat-pack(5)): when
// each of its objects was last used. Pure.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "zpack/result.h"

namespace zpack {

// `mtimes` in seconds since 1970; `pack_hash` is the trailer
// of the pack.
Bytes EncodePackMtimes(const IndexedVector<PackRank, uint32_t>& mtimes,
                       ByteView pack_hash);

// The mtimes of a pack with `count` objects; `path` is what messages call the
// file. kSourceCorrupt for what is none, or of another pack's size.
Result<IndexedVector<PackRank, uint32_t>> DecodePackMtimes(
    ByteView bytes, uint32_t count, const std::string& path);

}  // namespace zpack
