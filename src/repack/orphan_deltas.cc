// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/orphan_deltas.h"

#include <functional>
#include <utility>

#include "pack/pack_delta.h"

namespace zpack {
namespace {

DeltaPlannerOptions PlannerOptions(const DeltaSearchOptions& options,
                                   const DeltaCosts& costs) {
  // Every orphan was at least one delta away from a whole object.
  DeltaPlannerOptions planner = PackPlannerOptions(costs, 1);
  planner.window_size = options.window_memory;
  return planner;
}

}  // namespace

OrphanDeltas::OrphanDeltas(const ObjectList& list,
                           const DeltaSearchOptions& options)
    : list_(list),
      islands_(options.islands),
      text_planner_(PlannerOptions(options, kPackTextCosts)),
      tree_planner_(PlannerOptions(options, kPackTreeCosts)),
      deflater_(options.level) {}

PlannedEntry OrphanDeltas::Plan(ListRank rank, ByteView content,
                                Bytes& stream) {
  // A delta and its base have the same type.
  if (list_.types[rank] != type_) Clear();
  type_ = list_.types[rank];
  PlanHints hints;
  const std::function<bool(CandidateNumber)> may_be_base =
      [&](CandidateNumber base) {
        return islands_->MayBeBase(rank, planned_[base]);
      };
  if (islands_ != nullptr) hints.may_be_base = &may_be_base;
  const PlannedDelta& plan = Planner().Plan(content, list_.paths[rank], hints);
  PlannedEntry entry;
  entry.rank = rank;
  if (plan.base) {
    entry.base = planned_[*plan.base];
    delta_.clear();
    EncodePackDelta(plan.base_size, content, plan.delta, delta_);
    content = delta_;
  }
  entry.raw_size = content.size();
  stream.clear();
  deflater_.Deflate(content, stream);
  entry.stored_size = stream.size();
  return entry;
}

void OrphanDeltas::Add(ListRank rank, Bytes content) {
  planned_.push_back(rank);
  Planner().Add(std::move(content), list_.paths[rank]);
}

void OrphanDeltas::Clear() {
  text_planner_.Clear();
  tree_planner_.Clear();
  planned_.clear();
}

}  // namespace zpack
