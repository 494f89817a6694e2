// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/pack_order.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <tuple>

#include "repack/delta_search.h"

namespace zpack {
namespace {

constexpr ListRank kNone = PlannedEntry::kNoBase;

// Marks the objects of the core island.
ListMarks FindCore(const ObjectList& list, const DeltaIslands* islands) {
  ListMarks core(list.ids.size());
  if (islands == nullptr) return core;
  for (const ListRank rank : core.indexes()) core[rank] = islands->InCore(rank);
  return core;
}

std::vector<ListRank> Recency(const ObjectList& list, const ListMarks& core) {
  constexpr std::array kTypes = {ObjectType::kCommit, ObjectType::kTag,
                                 ObjectType::kTree, ObjectType::kBlob};
  std::vector<ListRank> recency;
  recency.reserve(list.ids.size());
  for (const ListRank rank : list.ids.ranks()) recency.push_back(rank);
  std::ranges::sort(recency, {}, [&](ListRank rank) {
    return std::tuple(
        !core[rank],
        std::ranges::find(kTypes, list.types[rank]) - kTypes.begin(),
        list.visits[rank], rank);
  });
  return recency;
}

// The deltas of each base, most recent first.
class Children {
 public:
  Children(const std::vector<ListRank>& recency,
           const IndexedVector<ListRank, ListRank>& bases)
      : first_(bases.size(), kNone), next_(bases.size(), kNone) {
    for (auto at = recency.rbegin(); at != recency.rend(); ++at) {
      if (bases[*at] == kNone) continue;
      ListRank& first = first_[bases[*at]];
      next_[*at] = first;
      first = *at;
    }
  }

  // Appends `root` and the deltas that depend on it, each base before its
  // deltas; of a root in the core island, only deltas in the core island.
  void AppendFamily(ListRank root, const ListMarks& core, ListMarks& placed,
                    std::vector<ListRank>& order) const {
    std::vector<ListRank> pending = {root};
    while (!pending.empty()) {
      const ListRank rank = pending.back();
      pending.pop_back();
      placed[rank] = true;
      order.push_back(rank);
      const size_t before = pending.size();
      for (ListRank at = first_[rank]; at != kNone; at = next_[at]) {
        if (core[at] == core[root]) pending.push_back(at);
      }
      std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(before),
                   pending.end());
    }
  }

 private:
  IndexedVector<ListRank, ListRank> first_;
  IndexedVector<ListRank, ListRank> next_;
};

}  // namespace

std::vector<ListRank> PackOrder(const ObjectList& list,
                                const IndexedVector<ListRank, ListRank>& bases,
                                PackLayout layout,
                                const DeltaIslands* islands) {
  const ListMarks core = FindCore(list, islands);
  const std::vector<ListRank> recency = Recency(list, core);
  const Children children(recency, bases);
  std::vector<ListRank> order;
  order.reserve(recency.size());
  ListMarks placed(recency.size());
  std::vector<ListRank> chain;
  for (const ListRank rank : recency) {
    for (ListRank at = rank; at != kNone && !placed[at]; at = bases[at]) {
      chain.push_back(at);
    }
    const bool together = list.types[rank] == ObjectType::kBlob ||
                          (list.types[rank] == ObjectType::kTree &&
                           layout == PackLayout::kAllFamilies);
    if (together && !chain.empty()) {
      // Families are placed as a whole, so the end of the chain is the root.
      children.AppendFamily(chain.back(), core, placed, order);
      chain.clear();
    }
    for (; !chain.empty(); chain.pop_back()) {
      placed[chain.back()] = true;
      order.push_back(chain.back());
    }
  }
  return order;
}

}  // namespace zpack
