// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/pack_order.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "repack/delta_search.h"

namespace zpack {

std::vector<uint32_t> StockPackOrder(const ObjectList& list,
                                     const std::vector<uint32_t>& bases) {
  constexpr std::array kTypes = {ObjectType::kCommit, ObjectType::kTag,
                                 ObjectType::kTree, ObjectType::kBlob};
  std::vector<uint32_t> recency(list.ids.size());
  std::iota(recency.begin(), recency.end(), 0U);
  std::ranges::sort(recency, {}, [&](uint32_t rank) {
    return std::tuple(
        std::ranges::find(kTypes, list.types[rank]) - kTypes.begin(),
        list.visits[rank], rank);
  });
  std::vector<uint32_t> order;
  order.reserve(recency.size());
  std::vector<bool> placed(recency.size());
  std::vector<uint32_t> chain;
  for (const uint32_t rank : recency) {
    for (uint32_t at = rank; at != PlannedEntry::kNoBase && !placed[at];
         at = bases[at]) {
      placed[at] = true;
      chain.push_back(at);
    }
    for (; !chain.empty(); chain.pop_back()) order.push_back(chain.back());
  }
  return order;
}

}  // namespace zpack
