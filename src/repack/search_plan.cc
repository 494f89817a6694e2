// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/search_plan.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "inventory/stretch_limit.h"

namespace zpack {
namespace {

// Bytes of content in a stretch. Objects are compared only within a stretch, so
// few stretches give smaller packs; but a stretch is the work of one thread.
constexpr uint64_t kStretch = uint64_t{256} << 20;
// Memory for a large object as a multiple of its size: the object, its
// candidate, the candidate's index, the delta, and what the source needs to
// read an object.
constexpr uint64_t kLargeShare = 6;
// Maximum bytes of large candidates. They take at most a third of the memory.
constexpr uint64_t kMaxLargeWindow = uint64_t{1} << 30;
// Comparing large objects takes long, so few candidates are tried.
constexpr unsigned kMaxLargeCandidates = 6;

std::vector<ListRank> SearchOrder(const ObjectList& list,
                                  const Lineages& lineages,
                                  const DeltaIslands* islands,
                                  uint64_t max_size) {
  std::vector<ListRank> order;
  order.reserve(list.ids.size());
  for (const ListRank rank : list.ids.ranks()) {
    if (list.sizes[rank] <= max_size) order.push_back(rank);
  }
  std::ranges::sort(order, {}, [&](ListRank rank) {
    const ObjectType type = list.types[rank];
    // Commits resemble commits of about the same time.
    const uint64_t shortage =
        type == ObjectType::kTree || type == ObjectType::kBlob
            ? std::numeric_limits<uint64_t>::max() - list.sizes[rank]
            : 0;
    // What many islands have may be a base in all of them, so it comes first.
    const uint32_t rarity =
        islands == nullptr
            ? 0
            : std::numeric_limits<uint32_t>::max() - islands->Count(rank);
    return std::tuple(type, !list.met(rank), lineages.groups[list.paths[rank]],
                      rarity, shortage, list.visits[rank], rank);
  });
  return order;
}

// By rank: true for searched objects, and for objects up to `window` positions
// away from one.
ListMarks FindTakingPart(const std::vector<ListRank>& order,
                         const ReusePlan& reuse, unsigned window) {
  ListMarks taking_part(reuse.kinds.size());
  uint64_t left = 0;  // positions left after a searched object
  const auto visit = [&](ListRank rank) {
    if (reuse.IsSearched(rank)) left = uint64_t{window} + 1;
    if (left == 0) return;
    --left;
    taking_part[rank] = true;
  };
  std::ranges::for_each(order, visit);
  left = 0;
  std::for_each(order.rbegin(), order.rend(), visit);
  return taking_part;
}

}  // namespace

DeltaSearchOptions LargeSearchOptions(const DeltaSearchOptions& options) {
  DeltaSearchOptions large = options;
  large.window = std::min(options.window, kMaxLargeCandidates);
  large.window_memory = std::min(options.large_memory / 3, kMaxLargeWindow);
  return large;
}

SearchPlan PlanSearch(const ObjectList& list, const Lineages& lineages,
                      const ReusePlan& reuse,
                      const DeltaSearchOptions& options) {
  const auto order = SearchOrder(
      list, lineages, options.islands,
      std::min(
          options.big_file_threshold,
          std::max(options.window_memory, options.large_memory / kLargeShare)));
  SearchPlan plan;
  plan.taking_part = FindTakingPart(order, reuse, options.window);
  uint64_t size = 0;
  StretchLimit limit(list, lineages);
  for (const ListRank rank : order) {
    if (!plan.taking_part[rank]) continue;
    if (list.sizes[rank] > options.window_memory) {
      const bool next =
          !plan.large.empty() && plan.large.back().type == list.types[rank];
      SearchStretch& stretch = plan.large.emplace_back();
      stretch.kind = next ? StretchKind::kNextLarge : StretchKind::kLarge;
      stretch.type = list.types[rank];
      stretch.ranks.push_back(rank);
      continue;
    }
    const uint64_t most = limit.With(rank, kStretch);
    if (plan.stretches.empty() ||
        plan.stretches.back().type != list.types[rank] ||
        size + list.sizes[rank] > most) {
      plan.stretches.emplace_back().type = list.types[rank];
      size = 0;
    }
    plan.stretches.back().ranks.push_back(rank);
    size += list.sizes[rank];
  }
  return plan;
}

}  // namespace zpack
