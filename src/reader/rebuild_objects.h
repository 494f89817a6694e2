// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Rebuilds the objects of a block from their bases. Pure.

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "base/visitor.h"
#include "format/block_layout.h"
#include "zpack/result.h"

namespace zpack {

// Rebuilds object `index` in `out`. `base` is the content of its base, or empty
// if it has no base. With kLast, the function may change `base`, because no
// other object needs it.
using RebuildObject = std::function<void(uint32_t index, format::BaseUse use,
                                         Bytes& base, Bytes& out)>;

// The objects of a block that a caller wants, by index. Empty: all of them.
using WantedObjects = std::vector<bool>;

// Calls `visit` with the index and the content of each wanted object, in order.
// Rebuilds no others than these and their bases. Keeps the content of bases
// until their last use. The content passed to `visit` is valid until the next
// call. Returns kLimitExceeded if more than `max_kept` bytes have to be kept.
// Visit::kStop ends the call.
Status RebuildInOrder(const format::BlockLayout& layout,
                      const WantedObjects& wanted, uint64_t max_kept,
                      const RebuildObject& rebuild,
                      const Visitor<size_t, ByteView>& visit);

}  // namespace zpack
