// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The stream kSizes of blocks whose objects are whole (FORMAT.md, "Objects
// and segments"). Pure.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "zpack/result.h"

namespace zpack::format {

// Appends the stream.
void EncodeObjectSizes(std::span<const uint64_t> sizes, Bytes& out);

// kCorrupt unless the stream holds `count` sizes.
Result<std::vector<uint64_t>> DecodeObjectSizes(ByteView stream,
                                                uint32_t count);

// Where each object starts in `total` bytes of contents, and where the last one
// ends. kCorrupt unless the sizes add up to `total`.
Result<std::vector<uint64_t>> ObjectOffsets(std::span<const uint64_t> sizes,
                                            uint64_t total);

}  // namespace zpack::format
