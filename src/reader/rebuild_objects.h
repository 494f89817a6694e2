// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Contents of objects of which each is rebuilt from another of its block.
// Pure.

#pragma once

#include <cstddef>
#include <functional>

#include "base/bytes.h"
#include "reader/block_layout.h"
#include "zpack/result.h"

namespace zpack {

// Rebuilds object `index` in `out`. `base` is the content of its base, empty
// when it has none; after kLast, nobody needs what it then holds.
using RebuildObject =
    std::function<void(uint32_t index, BaseUse use, Bytes& base, Bytes& out)>;

// Calls `visit` with index and content of each object, in order, and keeps
// contents as long as later ones need them. The content lives until the next
// one. kLimitExceeded when more than `max_kept` bytes had to be kept.
Status RebuildInOrder(const BlockLayout& layout, uint64_t max_kept,
                      const RebuildObject& rebuild,
                      const std::function<Status(size_t, ByteView)>& visit);

}  // namespace zpack
