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

constexpr uint32_t kNone = PlannedEntry::kNoBase;

std::vector<uint32_t> Recency(const ObjectList& list) {
  constexpr std::array kTypes = {ObjectType::kCommit, ObjectType::kTag,
                                 ObjectType::kTree, ObjectType::kBlob};
  std::vector<uint32_t> recency(list.ids.size());
  std::iota(recency.begin(), recency.end(), 0U);
  std::ranges::sort(recency, {}, [&](uint32_t rank) {
    return std::tuple(
        std::ranges::find(kTypes, list.types[rank]) - kTypes.begin(),
        list.visits[rank], rank);
  });
  return recency;
}

// What hangs on each object, the most recent first.
class Children {
 public:
  Children(const std::vector<uint32_t>& recency,
           const std::vector<uint32_t>& bases)
      : first_(bases.size(), kNone), next_(bases.size(), kNone) {
    for (auto at = recency.rbegin(); at != recency.rend(); ++at) {
      if (bases[*at] == kNone) continue;
      uint32_t& first = first_[bases[*at]];
      next_[*at] = first;
      first = *at;
    }
  }

  // Appends `root` and all that hangs on it, each object before what does.
  void AppendFamily(uint32_t root, std::vector<bool>& placed,
                    std::vector<uint32_t>& order) const {
    std::vector<uint32_t> pending = {root};
    while (!pending.empty()) {
      const uint32_t rank = pending.back();
      pending.pop_back();
      placed[rank] = true;
      order.push_back(rank);
      const size_t before = pending.size();
      for (uint32_t at = first_[rank]; at != kNone; at = next_[at]) {
        pending.push_back(at);
      }
      std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(before),
                   pending.end());
    }
  }

 private:
  std::vector<uint32_t> first_;
  std::vector<uint32_t> next_;
};

}  // namespace

std::vector<uint32_t> PackOrder(const ObjectList& list,
                                const std::vector<uint32_t>& bases,
                                PackLayout layout) {
  const std::vector<uint32_t> recency = Recency(list);
  const Children children(recency, bases);
  std::vector<uint32_t> order;
  order.reserve(recency.size());
  std::vector<bool> placed(recency.size());
  std::vector<uint32_t> chain;
  for (const uint32_t rank : recency) {
    for (uint32_t at = rank; at != kNone && !placed[at]; at = bases[at]) {
      chain.push_back(at);
    }
    const bool together = list.types[rank] == ObjectType::kBlob ||
                          (list.types[rank] == ObjectType::kTree &&
                           layout == PackLayout::kAllFamilies);
    if (together && !chain.empty()) {
      // A family is placed whole, so the last one of the chain is its root.
      children.AppendFamily(chain.back(), placed, order);
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
