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

// Larger blobs are not read to group paths.
constexpr uint64_t kMaxGrouped = uint64_t{16} << 20;

// True if every object is copied.
bool NothingToSearch(const ReusePlan& reuse) {
  for (const ListRank rank : reuse.kinds.indexes()) {
    if (reuse.IsSearched(rank)) return false;
  }
  return true;
}

// Searches deltas in all stretches and spools the results.
class StretchSearch {
 public:
  // All references must outlive this object.
  StretchSearch(const SearchInput& input, const DeltaSearchOptions& options,
                const RunOptions& run, StreamSpool& spool)
      : input_(input), options_(options), run_(run), spool_(spool) {}

  Status Run(SearchPlan& plan) {
    uint64_t count = 0;
    uint64_t bytes = 0;
    for (const auto* stretches : {&plan.stretches, &plan.large}) {
      for (const SearchStretch& stretch : *stretches) {
        count += stretch.ranks.size();
        for (const ListRank rank : stretch.ranks) {
          bytes += input_.list.sizes[rank];
        }
      }
    }
    const ProgressPhase phase(run_.progress, Phase::kCompressingObjects, count,
                              bytes);
    ZPACK_TRY(RunUsual(plan.stretches, phase));
    return RunLarge(plan.large, phase);
  }

 private:
  using Search = std::unique_ptr<DeltaSearch>;

  Status RunUsual(std::vector<SearchStretch>& stretches,
                  const ProgressPhase& phase) {
    size_t next = 0;
    return RunOrderedPipeline<SearchStretch>(
        PipelineThreads{ResolveThreads(run_.threads), run_.stop},
        [&] {
          return std::make_unique<DeltaSearch>(input_, options_, phase,
                                               run_.stop);
        },
        [&](SearchStretch& stretch) -> Result<bool> {
          if (next == stretches.size()) return false;
          stretch = std::move(stretches[next++]);
          return true;
        },
        [&](SearchStretch& stretch, Search& search, Parts<Search>& helpers) {
          return search->Run(stretch, &helpers);
        },
        [&](SearchStretch& stretch) { return spool_.Add(stretch); });
  }

  // Searches the stretches of large objects, one after the other.
  Status RunLarge(std::vector<SearchStretch>& stretches,
                  const ProgressPhase& phase) {
    DeltaSearch search(input_, LargeSearchOptions(options_), phase, run_.stop);
    for (SearchStretch& stretch : stretches) {
      ZPACK_TRY(search.Run(stretch, nullptr));
      ZPACK_TRY(spool_.Add(stretch));
      stretch = {};
    }
    return {};
  }

  const SearchInput& input_;
  const DeltaSearchOptions& options_;
  const RunOptions& run_;
  StreamSpool& spool_;
};

// The base of each object in the new pack, from the search or from the copied
// entry.
IndexedVector<ListRank, ListRank> FinalBases(const StreamSpool& spool,
                                             const ReusePlan& reuse) {
  IndexedVector<ListRank, ListRank> bases;
  bases.reserve(spool.entries().size());
  for (const ListRank rank : spool.entries().indexes()) {
    const PlannedEntry& entry = spool.entries()[rank];
    bases.push_back(entry.stored_size != 0 ? entry.base : reuse.Base(rank));
  }
  return bases;
}

// Bytes that are copied from the spool or deflated for the entry of `rank`.
// Counts 0 for an entry copied from another pack, whose size is not known yet.
uint64_t BytesToWrite(const ObjectList& list, const ReusePlan& reuse,
                      const StreamSpool& spool, ListRank rank) {
  const uint64_t stored = spool.entries()[rank].stored_size;
  if (stored != 0) return stored;
  return reuse.kinds[rank] == Reuse::kNone ? list.sizes[rank] : 0;
}

class PackBuilder {
 public:
  PackBuilder(const RepackJob& job, ObjectSource& source,
              const ObjectList& list, const DeltaSearchOptions& search,
              const std::string& directory)
      : job_(job),
        directory_(directory),
        run_(job.options.run),
        search_(search),
        source_(source),
        list_(list) {}

  Result<std::vector<BuiltPack>> Run() {
    PackSeries packs(job_.file_system, directory_, list_,
                     {job_.max_pack_size(), job_.settings.index});
    ZPACK_TRY(packs.Begin());
    ZPACK_ASSIGN_OR_RETURN(
        const auto spool,
        StreamSpool::Create(job_.file_system, directory_, list_.ids.size()));
    ZPACK_ASSIGN_OR_RETURN(const auto undeltified,
                           source_.FindUndeltified(list_.path_table));
    const ReusePlan reuse =
        PlanReuse(source_, list_, undeltified,
                  {search_.reuse, search_.depth, search_.islands});
    ZPACK_TRY(SearchDeltas(undeltified, reuse, *spool));
    ZPACK_TRY(spool->Finish());
    ZPACK_TRY(Write(reuse, *spool, packs));
    return packs.Finish();
  }

 private:
  Status SearchDeltas(const IndexedVector<PathNumber, bool>& undeltified,
                      const ReusePlan& reuse, StreamSpool& spool) {
    if (NothingToSearch(reuse)) return {};
    ZPACK_ASSIGN_OR_RETURN(const Lineages lineages,
                           GroupLineages(source_, list_, kMaxGrouped, run_));
    SearchPlan plan = PlanSearch(list_, lineages, reuse, search_);
    const SearchInput input{source_,     list_, lineages,
                            undeltified, reuse, plan.taking_part};
    return StretchSearch(input, search_, run_, spool).Run(plan);
  }

  Status Write(const ReusePlan& reuse, const StreamSpool& spool,
               PackSeries& packs) {
    uint64_t total_bytes = 0;
    for (const ListRank rank : list_.ids.ranks()) {
      total_bytes += BytesToWrite(list_, reuse, spool, rank);
    }
    const ProgressPhase phase(run_.progress, Phase::kWritingObjects,
                              list_.ids.size(), total_bytes);
    EntryWriter entries({source_, list_, reuse, spool}, search_, packs);
    const PackLayout layout = job_.max_pack_size() == 0
                                  ? PackLayout::kBlobFamilies
                                  : PackLayout::kAllFamilies;
    for (const ListRank rank :
         PackOrder(list_, FinalBases(spool, reuse), layout, search_.islands)) {
      ZPACK_TRY(CheckStop(run_.stop));
      ZPACK_TRY(entries.Write(rank));
      phase.Advance(1, BytesToWrite(list_, reuse, spool, rank));
    }
    return {};
  }

  const RepackJob& job_;
  const std::string& directory_;
  const RunOptions& run_;
  const DeltaSearchOptions& search_;
  ObjectSource& source_;
  const ObjectList& list_;
};

}  // namespace

Result<std::vector<BuiltPack>> BuildPacks(const RepackJob& job,
                                          ObjectSource& source,
                                          const ObjectList& list,
                                          const DeltaSearchOptions& search,
                                          const std::string& directory) {
  return PackBuilder(job, source, list, search, directory).Run();
}

}  // namespace zpack
