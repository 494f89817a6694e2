// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Random choices, and edits of numbers, for those who edit parts of a file.
// Thread-compatible.

#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "support/deltas.h"

namespace zpack::testing {

class Choices {
 public:
  explicit Choices(uint64_t seed) : random_(seed) {}

  // A number below `n`, which is at least 1.
  size_t Below(size_t n) { return testing::Below(random_, n); }
  bool OneIn(size_t n) { return Below(n) == 0; }
  // REQUIRES: there are items.
  template <typename Items>
  auto& Any(Items& items) {
    return items[Below(items.size())];
  }
  // Puts `item` anywhere among `items`.
  template <typename Items>
  void Insert(Items& items, typename Items::value_type item) {
    items.insert(
        items.begin() + static_cast<ptrdiff_t>(Below(items.size() + 1)),
        std::move(item));
  }
  // REQUIRES: there are items.
  template <typename Items>
  void Erase(Items& items) {
    items.erase(items.begin() + static_cast<ptrdiff_t>(Below(items.size())));
  }
  // Makes a number or an enumerator another one, which is often near, or where
  // something changes.
  template <typename T>
  void Edit(T& value) {
    value = static_cast<T>(Edited(static_cast<uint64_t>(value)));
  }

 private:
  uint64_t Edited(uint64_t value) {
    constexpr std::array<uint64_t, 16> kEdges = {
        0,         1,       2,          3,          64,
        127,       128,     255,        256,        65535,
        65536,     1 << 20, 0x7fffffff, 0xffffffff, uint64_t{1} << 32,
        UINT64_MAX};
    switch (Below(5)) {
      case 0:
        return value + 1;
      case 1:
        return value - 1;
      case 2:
        return Any(kEdges);
      case 3:
        return value ^ (uint64_t{1} << Below(64));
      default:
        return value * 2 + Below(16);
    }
  }

  Random random_;
};

}  // namespace zpack::testing
