// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts large tables by group first, and then each group by itself. In a sort
// of the whole table, most comparisons would read memory that is far away.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/huge_pages.h"
#include "base/index.h"

namespace zpack {

// Returns `element_of(i)` for every i below `count`, sorted by `group_of(i)`
// and, in each group, by `less`. REQUIRES: group_of(i) < groups.
template <typename I = uint32_t, typename GroupOf, typename ElementOf,
          typename Less = std::less<>>
auto SortByGroup(uint32_t count, size_t groups, GroupOf group_of,
                 ElementOf element_of, Less less = {}) {
  std::vector<uint32_t> ends;
  FillTable(ends, groups + 1);
  for (const I i : IndexRange<I>(count)) ++ends[group_of(i) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::invoke_result_t<ElementOf, I>> sorted;
  FillTable(sorted, count);
  for (const I i : IndexRange<I>(count)) {
    sorted[ends[group_of(i)]++] = element_of(i);
  }
  for (auto begin = sorted.begin(); const uint32_t end : ends) {
    std::sort(begin, sorted.begin() + end, less);
    begin = sorted.begin() + end;
  }
  return sorted;
}

}  // namespace zpack
