// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace zpack {

void AdviseHugePages(void* begin, size_t size) {
  constexpr uintptr_t kHugePage = uintptr_t{2} << 20;
  // Smaller tables have few pages, and may share theirs with others.
  constexpr size_t kLeast = size_t{8} << 20;
  if (size < kLeast) return;
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (address + kHugePage - 1) & ~(kHugePage - 1);
  const uintptr_t last = (address + size) & ~(kHugePage - 1);
  // Advice only: where it is not taken, small pages do.
  madvise(static_cast<uint8_t*>(begin) + (first - address), last - first,
          MADV_HUGEPAGE);
}

}  // namespace zpack
