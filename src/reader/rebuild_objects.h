// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Rebuilds the objects of a block from their bases. Pure.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
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

// What reading bases in earlier blocks may cost, as a sum: bytes of blocks that
// have to be decoded, and of objects that have to be rebuilt.
struct FarBudget {
  uint64_t limit = UINT64_MAX;
  uint64_t used = 0;
};

// Reads the content of a base in an earlier block. kLimitExceeded if the budget
// is used up.
using ReadFarBase = std::function<Result<std::shared_ptr<const Bytes>>(
    const format::FarBase&, FarBudget&)>;

// What rebuilding needs, and what is made of it.
struct ObjectRebuilding {
  RebuildObject rebuild;
  ReadFarBase read_far;  // if the layout has bases in earlier blocks
  // Gets the index and the content of each wanted object, in order. The content
  // is valid until the next call. Visit::kStop ends the call.
  const Visitor<size_t, ByteView>& visit;
  // Gets a wanted object that cannot be rebuilt because a base in an earlier
  // block cannot be read, in the place of `visit`. Without this function, the
  // call ends with the error.
  const Visitor<size_t, const Error&>* lost = nullptr;
  FarBudget* budget = nullptr;  // null: without a limit
};

// Rebuilds the wanted objects, in order, and no others than these and their
// bases. Keeps the content of bases until their last use. Returns
// kLimitExceeded if more than `max_kept` bytes have to be kept.
Status RebuildInOrder(const format::BlockLayout& layout,
                      const WantedObjects& wanted, uint64_t max_kept,
                      const ObjectRebuilding& work);

}  // namespace zpack
