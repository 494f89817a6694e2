// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace zpack {

void AdviseHugePages(void* begin, size_t size) {
  constexpr uintptr_t kHugePage = uintptr_t{2} << 20;
  // A smaller table has few pages and may share them with other data.
  constexpr size_t kLeast = size_t{8} << 20;
  if (size < kLeast) return;
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (address + kHugePage - 1) & ~(kHugePage - 1);
  const uintptr_t last = (address + size) & ~(kHugePage - 1);
  // madvise(2) is a hint. Without huge pages, small pages work.
  madvise(static_cast<uint8_t*>(begin) + (first - address), last - first,
          MADV_HUGEPAGE);
}

}  // namespace zpack
