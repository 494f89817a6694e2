// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Divides the stored bytes of a block, or of all blocks of a type, among its
// objects. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>

namespace zpack {

class StoredShares {
 public:
  // Divides `stored` bytes among `count` objects whose sizes add up to `sizes`.
  StoredShares(uint64_t stored, uint64_t sizes, size_t count)
      : stored_(stored), weights_(sizes + count) {}

  // The share of the next object, in proportion to its size. An object without
  // bytes counts as well. The shares of all objects add up to `stored`.
  uint64_t Next(uint64_t size) {
    weight_ += size + 1;
    const auto end = static_cast<uint64_t>(static_cast<long double>(stored_) *
                                           static_cast<long double>(weight_) /
                                           static_cast<long double>(weights_));
    const uint64_t share = end - given_;
    given_ = end;
    return share;
  }

 private:
  uint64_t stored_;
  uint64_t weights_;
  uint64_t weight_ = 0;
  uint64_t given_ = 0;
};

}  // namespace zpack
