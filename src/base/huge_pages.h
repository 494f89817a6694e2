// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Large tables that are looked into here and there. With small pages, most
// looks miss the processor's table of pages, too.

#pragma once

#include <cstddef>
#include <vector>

namespace zpack {

// Asks the kernel for huge pages; nothing happens where there are none.
void AdviseHugePages(void* begin, size_t size);

// Makes room for `count` elements. REQUIRES: `table` is empty, and filled
// later.
template <typename T, typename Allocator>
void ReserveTable(std::vector<T, Allocator>& table, size_t count) {
  table.reserve(count);
  AdviseHugePages(table.data(), count * sizeof(T));
}

// Makes `table` `count` times `value`. REQUIRES: `table` is empty.
template <typename T, typename Allocator>
void FillTable(std::vector<T, Allocator>& table, size_t count,
               const T& value = T()) {
  ReserveTable(table, count);
  table.assign(count, value);
}

}  // namespace zpack
