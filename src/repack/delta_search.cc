// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/delta_search.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "inventory/listed_objects.h"
#include "pack/pack_delta.h"

namespace zpack {
namespace {

constexpr int kFastLevel = 1;

// Each delta is compressed on its own, so better deltas gain more than in a
// block, and the search goes on for longer.
constexpr unsigned kGoodForPath = 40;
constexpr unsigned kGoodForAll = 200;
// Every walk through history reads each commit once, so chains of commits are
// short.
constexpr unsigned kMaxCommitDepth = 2;

DeltaPlannerOptions PlannerOptions(const DeltaSearchOptions& options,
                                   const DeltaCosts& costs,
                                   unsigned max_depth) {
  DeltaPlannerOptions planner =
      PackPlannerOptions(costs, std::min(options.depth, max_depth));
  planner.similar =
      std::min<unsigned>((options.window + 1) * 2 / 5, kSketchFeatures);
  planner.same_path = std::max(options.window - planner.similar, 1U);
  planner.window_size = options.window_memory;
  planner.good_for_path = kGoodForPath;
  planner.good_for_all = kGoodForAll;
  return planner;
}

}  // namespace

DeltaSearch::DeltaSearch(const SearchInput& input,
                         const DeltaSearchOptions& options,
                         const ProgressPhase& phase, std::stop_token stop)
    : input_(input),
      phase_(phase),
      stop_(std::move(stop)),
      islands_(options.islands),
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

Deflater& DeltaSearch::WholeDeflater(ListRank rank) {
  return IsIncompressible(rank) ? fast_deflater_ : deflater_;
}

bool DeltaSearch::IsIncompressible(ListRank rank) const {
  return input_.list.types[rank] == ObjectType::kBlob &&
         input_.lineages.incompressible[input_.list.paths[rank]];
}

bool DeltaSearch::IsAlone(ListRank rank) const {
  const ObjectList& list = input_.list;
  return !any_deltas_ || list.sizes[rank] < kMinPackDelta ||
         IsIncompressible(rank) ||
         (list.types[rank] == ObjectType::kBlob &&
          input_.undeltified[list.paths[rank]]);
}

Status DeltaSearch::Run(SearchStretch& stretch, Helpers* helpers) {
  DeltaPlanner& planner = Planner(stretch.type);
  if (stretch.kind != StretchKind::kNextLarge) {
    planner.Clear();
    planned_.clear();
    depths_.clear();
  }
  stretch.entries.reserve(stretch.ranks.size());
  LookAhead ahead(planner, helpers);
  auto next = stretch.ranks.begin();  // to be read
  for (const ListRank rank : stretch.ranks) {
    ZPACK_TRY(CheckStop(stop_));
    if (IsSearched(rank)) {
      while (next != stretch.ranks.end() &&
             (ahead.empty() || ahead.HasRoom(input_.list.sizes[*next]))) {
        const ListRank read = *next++;
        if (!IsSearched(read)) continue;
        Bytes content;
        ZPACK_TRY(ReadListed(input_.source, input_.list, read, content));
        ahead.Push(std::make_shared<const Bytes>(std::move(content)),
                   input_.list.paths[read]);
      }
      SearchDelta(rank, ahead.Pop(), stretch);
    } else {
      ZPACK_TRY(AddUnsearched(rank, stretch));
    }
    phase_.Advance(1, input_.list.sizes[rank]);
  }
  return {};
}

bool DeltaSearch::IsSearched(ListRank rank) const {
  return input_.reuse.kinds[rank] != Reuse::kDelta && !IsAlone(rank);
}

Status DeltaSearch::AddUnsearched(ListRank rank, SearchStretch& stretch) {
  const Reuse reuse = input_.reuse.kinds[rank];
  if (reuse == Reuse::kDelta) return AddStored(rank, stretch);
  depths_[rank] = 0;
  return reuse == Reuse::kSettled ? Status{} : AddWhole(rank, stretch);
}

Status DeltaSearch::AddStored(ListRank rank, SearchStretch& stretch) {
  const auto depth = StoredDepth(rank);
  if (!depth || IsAlone(rank)) return {};
  depths_[rank] = *depth;
  Bytes content;
  ZPACK_TRY(ReadListed(input_.source, input_.list, rank, content));
  planned_.push_back(rank);
  Planner(stretch.type)
      .AddStored(std::move(content), input_.list.paths[rank], *depth,
                 input_.reuse.IsKnown(rank) ? Novelty::kKnown : Novelty::kNew);
  return {};
}

std::optional<uint32_t> DeltaSearch::StoredDepth(ListRank rank) const {
  const ListRank root = input_.reuse.roots[rank];
  const uint32_t distance = input_.reuse.distances[rank];
  // A root that takes part may become a delta itself. Its base always precedes
  // it in the stretch, so no cycle can arise.
  if (!input_.taking_part[root]) return distance;
  const auto at = depths_.find(root);
  return at == depths_.end() ? std::nullopt
                             : std::optional(at->second + distance);
}

void DeltaSearch::SearchDelta(ListRank rank, const LookAhead::Object& object,
                              SearchStretch& stretch) {
  depths_[rank] = 0;
  const ByteView content = *object.content;
  const Reuse reuse = input_.reuse.kinds[rank];
  const Novelty novelty =
      reuse == Reuse::kSettled ? Novelty::kKnown : Novelty::kNew;
  const PathNumber path = input_.list.paths[rank];
  DeltaPlanner& planner = Planner(stretch.type);
  PlanHints hints{{},      input_.reuse.Height(rank),
                  novelty, nullptr,
                  nullptr, object.prepared};
  const std::function<bool(CandidateNumber)> may_be_base =
      [&](CandidateNumber base) {
        return islands_->MayBeBase(rank, planned_[base]);
      };
  if (islands_ != nullptr) hints.may_be_base = &may_be_base;
  const PlannedDelta& plan = planner.Plan(content, path, hints);
  if (plan.base) {
    delta_.clear();
    EncodePackDelta(plan.base_size, content, plan.delta, delta_);
    AddEntry(rank, delta_, deflater_, stretch);
    const ListRank base = planned_[*plan.base];
    stretch.entries.back().base = base;
    depths_[rank] = depths_[base] + 1;
  } else if (reuse != Reuse::kSettled && stretch.kind == StretchKind::kUsual &&
             !(reuse == Reuse::kWhole && CopyWhole(rank, deflater_, stretch))) {
    AddEntry(rank, content, deflater_, stretch);
  }
  planned_.push_back(rank);
  planner.Add(object.content, path, novelty);
}

Status DeltaSearch::AddWhole(ListRank rank, SearchStretch& stretch) {
  if (stretch.kind != StretchKind::kUsual) return {};
  Deflater& deflater = WholeDeflater(rank);
  if (input_.reuse.kinds[rank] == Reuse::kWhole &&
      CopyWhole(rank, deflater, stretch)) {
    return {};
  }
  ZPACK_TRY(ReadListed(input_.source, input_.list, rank, content_));
  AddEntry(rank, content_, deflater, stretch);
  return {};
}

bool DeltaSearch::CopyWhole(ListRank rank, const Deflater& deflater,
                            SearchStretch& stretch) {
  const size_t before = stretch.streams.size();
  PlannedEntry entry;
  entry.rank = rank;
  const Status copied = input_.source.CopyPacked(
      input_.list.ids[rank], {[&](uint64_t raw_size) -> Status {
                                entry.raw_size = raw_size;
                                return {};
                              },
                              [&](ByteView piece) -> Status {
                                Append(stretch.streams, piece);
                                return {};
                              }});
  const ByteView stream = ByteView(stretch.streams).subspan(before);
  // If the stored entry is damaged, the caller reads the object in another way,
  // or fails.
  if (!copied || entry.raw_size != input_.list.sizes[rank] ||
      (input_.reuse.rule == PackReuse::kObjects &&
       ZlibLevelHint(stream) < deflater.level_hint())) {
    stretch.streams.resize(before);
    return false;
  }
  entry.stored_size = stream.size();
  stretch.entries.push_back(entry);
  return true;
}

void DeltaSearch::AddEntry(ListRank rank, ByteView raw, Deflater& deflater,
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
