// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The '.mtimes' file that makes a pack a cruft pack (gitformat-pack(5)). It
// holds the time when each object was last used. Pure.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// `mtimes` are in seconds since 1970. `pack_hash` is the trailer of the pack.
Bytes EncodePackMtimes(ObjectFormat format,
                       const IndexedVector<PackRank, uint32_t>& mtimes,
                       ByteView pack_hash);

// Bytes of the file of a pack with `count` objects.
uint64_t PackMtimesSize(ObjectFormat format, uint32_t count);

// Decodes the mtimes of a pack with `count` objects in `format`. `path` is the
// file name for messages. kSourceCorrupt if the file is malformed or is for
// another number of objects.
Result<IndexedVector<PackRank, uint32_t>> DecodePackMtimes(
    ObjectFormat format, ByteView bytes, uint32_t count,
    const std::string& path);

}  // namespace zpack
