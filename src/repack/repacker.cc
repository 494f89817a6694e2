// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/repacker.h"

#include <vector>

#include "base/error.h"
#include "object/open_timed.h"
#include "repack/indexed_packs.h"
#include "repack/info_files.h"
#include "repack/new_packs.h"
#include "repack/object_choice.h"
#include "repack/redundant_packs.h"

namespace zpack {
namespace {

// Checks at the start whatever would prevent the removal of packs, or a new
// multi-pack-index, at the end.
Status CheckLocks(const RepackJob& job, const PackSets& packs) {
  const bool removes =
      job.options.redundant == Redundant::kRemove && !packs.rewritten.empty();
  if (removes) ZPACK_TRY(ReadIds(job.store, packs.rewritten));
  if (removes || job.options.multi_pack_index == MultiPackIndex::kWrite) {
    ZPACK_TRY(job.store.CheckPackLock());
  }
  return removes && job.drops_unreachable() ? job.store.CheckShallowLock()
                                            : Status();
}

Result<std::unique_ptr<ObjectSource>> OpenSource(const RepackJob& job) {
  return OpenTimed([&] { return job.store.Open(ExpectedReads::kContents); },
                   job.options.run);
}

// Prunes shallow commits as 'git repack' does at the end, unless objects or an
// alternate are missing, so that the commits may come back with them.
Status PruneShallow(PackStore& store, LaterSource& later,
                    const RepackStats& stats) {
  if (!stats.lost.empty()) return {};
  ZPACK_ASSIGN_OR_RETURN(ObjectSource* const now, later.Get());
  if (!now->MissingAlternates().empty()) return {};
  return store.PruneShallow(*now);
}

}  // namespace

Result<RepackStats> RunRepack(const RepackJob& job) {
  RepackStats stats;
  // List packs before objects: whatever is in these packs is enumerated below,
  // even if other processes add packs meanwhile.
  ZPACK_ASSIGN_OR_RETURN(const PackSets packs,
                         DividePacks(job, stats.warnings));
  ZPACK_TRY(CheckLocks(job, packs));
  ZPACK_ASSIGN_OR_RETURN(const auto source, OpenSource(job));
  stats.source_bytes = source->PackedBytes();
  stats.missing_alternates = source->MissingAlternates();
  ZPACK_ASSIGN_OR_RETURN(const ObjectChoice choice,
                         ChooseObjects(job, *source, packs, stats));
  stats.objects = choice.list.ids.size() + choice.promised.ids.size();
  stats.filtered_objects = choice.filtered_out.ids.size();
  stats.expired_objects = choice.leftovers.expired.ids.size();
  stats.borrowed_objects = choice.borrowed_objects;
  ZPACK_TRY(WriteNewPacks(job, packs, *source, choice, stats));
  ZPACK_TRY(IndexStayingPacks(job, packs, choice, stats));

  LaterSource later(job.store);
  if (job.options.redundant == Redundant::kRemove) {
    ZPACK_TRY(RemoveRedundant(job, packs, *source, choice, stats));
    if (job.drops_unreachable()) {
      ZPACK_TRY(PruneShallow(job.store, later, stats));
    }
  }
  stats.common_directory = job.settings.common_directory;
  ZPACK_ASSIGN_OR_RETURN(const auto left, job.store.ListPacks());
  stats.packs = left.size();
  if (UpdatesInfoFiles(job)) UpdateInfoFiles(job.store, later, stats);
  return stats;
}

}  // namespace zpack
