// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Huge pages for large tables with random access. With small pages, most
// accesses would also miss the TLB.

#pragma once

#include <cstddef>
#include <vector>

namespace zpack {

// Asks the kernel to use huge pages. Has no effect if there are none.
void AdviseHugePages(void* begin, size_t size);

// Reserves room for `count` elements. REQUIRES: `table` is empty, and is filled
// afterwards.
template <typename T, typename Allocator>
void ReserveTable(std::vector<T, Allocator>& table, size_t count) {
  table.reserve(count);
  AdviseHugePages(table.data(), count * sizeof(T));
}

// Fills `table` with `count` copies of `value`. REQUIRES: `table` is empty.
template <typename T, typename Allocator>
void FillTable(std::vector<T, Allocator>& table, size_t count,
               const T& value = T()) {
  ReserveTable(table, count);
  table.assign(count, value);
}

}  // namespace zpack
