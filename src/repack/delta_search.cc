// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/delta_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "pack/pack_delta.h"
#include "writer/listed_objects.h"

namespace zpack {
namespace {

// Content of a stretch: objects are compared inside one only, so few are
// better, but each is one thread's work.
constexpr uint64_t kStretch = uint64_t{256} << 20;
// Contents below are as large as deltas of them.
constexpr uint64_t kMinSize = 50;
constexpr int kFastLevel = 1;

// Each delta counts by itself, so the search goes on for longer than where a
// block is compressed as a whole.
constexpr unsigned kGoodForPath = 40;
constexpr unsigned kGoodForAll = 200;
// Every walk through history reads all commits, once each.
constexpr unsigned kMaxCommitDepth = 2;

DeltaPlannerOptions PlannerOptions(const DeltaSearchOptions& options,
                                   const DeltaCosts& costs,
                                   unsigned max_depth) {
  DeltaPlannerOptions planner;
  planner.similar =
      std::min<unsigned>((options.window + 1) * 2 / 5, kSketchFeatures);
  planner.same_path = std::max(options.window - planner.similar, 1U);
  planner.window_size = options.window_memory;
  // Git bounds the number of deltas only.
  planner.chain_size = std::numeric_limits<uint64_t>::max() / 2;
  planner.chain_factor = 0;
  planner.max_depth = std::min(options.depth, max_depth);
  planner.good_for_path = kGoodForPath;
  planner.good_for_all = kGoodForAll;
  planner.costs = costs;
  return planner;
}

}  // namespace

std::vector<SearchStretch> PlanStretches(const ObjectList& list,
                                         const Lineages& lineages,
                                         const DeltaSearchOptions& options) {
  std::vector<uint32_t> order(list.ids.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](uint32_t rank) {
    const ObjectType type = list.types[rank];
    // Commits resemble those of the same time.
    const uint64_t shortage =
        type == ObjectType::kTree || type == ObjectType::kBlob
            ? std::numeric_limits<uint64_t>::max() - list.sizes[rank]
            : 0;
    return std::tuple(type, !list.reached(rank),
                      lineages.groups[list.paths[rank]], shortage,
                      list.visits[rank], rank);
  });
  std::vector<SearchStretch> stretches;
  uint64_t size = 0;
  for (const uint32_t rank : order) {
    if (list.sizes[rank] > options.big_file_threshold) continue;
    if (stretches.empty() || stretches.back().type != list.types[rank] ||
        size + list.sizes[rank] > kStretch) {
      stretches.emplace_back().type = list.types[rank];
      size = 0;
    }
    stretches.back().ranks.push_back(rank);
    size += list.sizes[rank];
  }
  return stretches;
}

DeltaSearch::DeltaSearch(const SearchInput& input,
                         const DeltaSearchOptions& options,
                         const ProgressPhase& phase, std::stop_token stop)
    : input_(input),
      phase_(phase),
      stop_(std::move(stop)),
      any_deltas_(options.window != 0 && options.depth != 0),
      commit_planner_(PlannerOptions(options, kPackTextCosts, kMaxCommitDepth)),
      tree_planner_(PlannerOptions(options, kPackTreeCosts, options.depth)),
      blob_planner_(PlannerOptions(options, kPackTextCosts, options.depth)),
      deflater_(options.level),
      fast_deflater_(kFastLevel) {}

DeltaPlanner& DeltaSearch::Planner(ObjectType type) {
  if (type == ObjectType::kTree) return tree_planner_;
  return type == ObjectType::kBlob ? blob_planner_ : commit_planner_;
}

bool DeltaSearch::IsAlone(uint32_t rank) const {
  const ObjectList& list = input_.list;
  return !any_deltas_ || list.sizes[rank] < kMinSize ||
         (list.types[rank] == ObjectType::kBlob &&
          input_.undeltified[list.paths[rank]]);
}

Status DeltaSearch::Run(SearchStretch& stretch) {
  const ObjectList& list = input_.list;
  DeltaPlanner& planner = Planner(stretch.type);
  planner.Clear();
  // Ranks by the planner's numbers.
  std::vector<uint32_t> planned;
  stretch.entries.reserve(stretch.ranks.size());
  for (const uint32_t rank : stretch.ranks) {
    ZPACK_TRY(CheckStop(stop_));
    Bytes content;
    ZPACK_TRY(ReadListed(input_.source, list, rank, content));
    const uint64_t size = content.size();
    const uint32_t path = list.paths[rank];
    if (stretch.type == ObjectType::kBlob &&
        input_.lineages.incompressible[path]) {
      AddEntry(rank, content, fast_deflater_, stretch);
    } else if (IsAlone(rank)) {
      AddEntry(rank, content, deflater_, stretch);
    } else {
      const PlannedDelta& plan = planner.Plan(content, path);
      if (plan.base) {
        delta_.clear();
        EncodePackDelta(plan.base_size, content, plan.delta, delta_);
        AddEntry(rank, delta_, deflater_, stretch);
        stretch.entries.back().base = planned[*plan.base];
      } else {
        AddEntry(rank, content, deflater_, stretch);
      }
      planned.push_back(rank);
      planner.Add(std::move(content), path);
    }
    phase_.Advance(1, size);
  }
  return {};
}

void DeltaSearch::AddEntry(uint32_t rank, ByteView raw, Deflater& deflater,
                           SearchStretch& stretch) {
  PlannedEntry entry;
  entry.rank = rank;
  entry.raw_size = raw.size();
  const size_t before = stretch.streams.size();
  deflater.Deflate(raw, stretch.streams);
  entry.stored_size = stretch.streams.size() - before;
  stretch.entries.push_back(entry);
}

}  // namespace zpack
