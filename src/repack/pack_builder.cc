// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/pack_builder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "repack/entry_writer.h"
#include "repack/pack_order.h"
#include "repack/stream_spool.h"

namespace zpack {
namespace {

// Larger blobs are not looked into to group paths.
constexpr uint64_t kMaxGrouped = uint64_t{16} << 20;

// True when everything is copied.
bool NothingToSearch(const ReusePlan& reuse) {
  for (uint32_t rank = 0; rank < reuse.kinds.size(); ++rank) {
    if (reuse.IsSearched(rank)) return false;
  }
  return true;
}

// Searches the stretches of large objects, one after the other.
Status SearchLarge(const SearchInput& input, const DeltaSearchOptions& options,
                   const ProgressPhase& phase, const std::stop_token& stop,
                   std::vector<SearchStretch>& stretches, StreamSpool& spool) {
  DeltaSearch search(input, LargeSearchOptions(options), phase, stop);
  for (SearchStretch& stretch : stretches) {
    ZPACK_TRY(search.Run(stretch));
    ZPACK_TRY(spool.Add(stretch));
    stretch = {};
  }
  return {};
}

// Searches deltas in all stretches, and spools what comes out.
Status SearchDeltas(ObjectSource& source, const ObjectList& list,
                    const std::vector<bool>& undeltified,
                    const ReusePlan& reuse, const DeltaSearchOptions& options,
                    const RunOptions& run, StreamSpool& spool) {
  if (NothingToSearch(reuse)) return {};
  ZPACK_ASSIGN_OR_RETURN(const Lineages lineages,
                         GroupLineages(source, list, kMaxGrouped, run));
  SearchPlan plan = PlanStretches(list, lineages, reuse, options);
  const SearchInput input{source,      list,  lineages,
                          undeltified, reuse, plan.taking_part};
  uint64_t count = 0;
  uint64_t bytes = 0;
  for (const auto* stretches : {&plan.stretches, &plan.large}) {
    for (const SearchStretch& stretch : *stretches) {
      count += stretch.ranks.size();
      for (const uint32_t rank : stretch.ranks) bytes += list.sizes[rank];
    }
  }
  const ProgressPhase phase(run.progress, "Compressing objects", count, bytes);
  size_t next = 0;
  ZPACK_TRY(RunOrderedPipeline<SearchStretch>(
      ResolveThreads(run.threads), run.stop,
      [&] {
        return std::make_unique<DeltaSearch>(input, options, phase, run.stop);
      },
      [&](SearchStretch& stretch) -> Result<bool> {
        if (next == plan.stretches.size()) return false;
        stretch = std::move(plan.stretches[next++]);
        return true;
      },
      [&](SearchStretch& stretch, std::unique_ptr<DeltaSearch>& search) {
        return search->Run(stretch);
      },
      [&](SearchStretch& stretch) { return spool.Add(stretch); }));
  return SearchLarge(input, options, phase, run.stop, plan.large, spool);
}

// The base of each object in the new pack, whether it was searched or is
// copied.
std::vector<uint32_t> FinalBases(const StreamSpool& spool,
                                 const ReusePlan& reuse) {
  std::vector<uint32_t> bases;
  bases.reserve(spool.entries().size());
  for (uint32_t rank = 0; rank < spool.entries().size(); ++rank) {
    const PlannedEntry& entry = spool.entries()[rank];
    bases.push_back(entry.stored_size != 0 ? entry.base : reuse.Base(rank));
  }
  return bases;
}

// Bytes that are copied from the spool for the entry of `rank`, or deflated;
// what is copied from another pack has a size that is not known before.
uint64_t BytesToWrite(const ObjectList& list, const ReusePlan& reuse,
                      const StreamSpool& spool, uint32_t rank) {
  const uint64_t stored = spool.entries()[rank].stored_size;
  if (stored != 0) return stored;
  return reuse.kinds[rank] == Reuse::kNone ? list.sizes[rank] : 0;
}

}  // namespace

Result<std::vector<BuiltPack>> BuildStockPacks(
    ObjectSource& source, const ObjectList& list,
    const DeltaSearchOptions& options, uint64_t max_pack_size,
    const RunOptions& run, FileSystem& file_system,
    const std::string& directory) {
  PackSeries packs(file_system, directory, list, max_pack_size);
  ZPACK_TRY(packs.Begin());
  ZPACK_ASSIGN_OR_RETURN(
      const auto spool,
      StreamSpool::Create(file_system, directory, list.ids.size()));
  ZPACK_ASSIGN_OR_RETURN(const auto undeltified,
                         source.FindUndeltified(list.path_table));
  const ReusePlan reuse =
      PlanReuse(source, list, undeltified, options.reuse, options.depth);
  ZPACK_TRY(
      SearchDeltas(source, list, undeltified, reuse, options, run, *spool));
  ZPACK_TRY(spool->Finish());

  uint64_t total_bytes = 0;
  for (uint32_t rank = 0; rank < list.ids.size(); ++rank) {
    total_bytes += BytesToWrite(list, reuse, *spool, rank);
  }
  const ProgressPhase phase(run.progress, "Writing objects", list.ids.size(),
                            total_bytes);
  EntryWriter entries(source, list, reuse, *spool, options, packs);
  const PackLayout layout =
      max_pack_size == 0 ? PackLayout::kBlobFamilies : PackLayout::kAllFamilies;
  for (const uint32_t rank :
       StockPackOrder(list, FinalBases(*spool, reuse), layout)) {
    ZPACK_TRY(CheckStop(run.stop));
    ZPACK_TRY(entries.Write(rank));
    phase.Advance(1, BytesToWrite(list, reuse, *spool, rank));
  }
  return packs.Finish();
}

}  // namespace zpack
