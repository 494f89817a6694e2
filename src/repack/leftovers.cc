// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/leftovers.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "inventory/object_enumerator.h"
#include "repack/unreachable.h"

namespace zpack {

Result<Leftovers> FindLeftovers(const RepackJob& job, ObjectSource& source,
                                const PackSets& packs, const ObjectList& all,
                                const ObjectIdTable& kept) {
  const RepackOptions& options = job.options;
  const bool cruft = options.unreachable == Unreachable::kCruft;
  std::vector<PackFiles> counting = packs.rewritten;
  counting.insert(counting.end(), packs.kept.begin(), packs.kept.end());
  // Git uses the time of the pack when it loosens objects.
  ZPACK_ASSIGN_OR_RETURN(
      const ObjectAges ages,
      job.store.ReadAges(all.ids, counting,
                         cruft ? CruftTimes::kOfObjects : CruftTimes::kOfPack));
  ZPACK_ASSIGN_OR_RETURN(ListMarks keep,
                         FindSurvivors(source, all, options.expiration, ages));
  Leftovers leftovers;
  for (const ListRank rank : keep.indexes()) {
    int64_t mtime = ages.mtimes[rank];
    // An object without a time belongs to an alternate.
    keep[rank] =
        keep[rank] && mtime != ObjectAges::kNone && !kept.Find(all.ids[rank]);
    if (!keep[rank]) continue;
    // Objects that only younger objects need get the oldest time that does not
    // expire, as in Git.
    if (cruft && options.expiration) {
      mtime = std::max(mtime, *options.expiration);
    }
    leftovers.mtimes.push_back(static_cast<uint32_t>(
        std::min<int64_t>(mtime, std::numeric_limits<uint32_t>::max())));
  }
  leftovers.list = KeepObjects(all, keep);
  return leftovers;
}

Result<uint64_t> LoosenObjects(const RepackJob& job, ObjectSource& source,
                               const Leftovers& leftovers,
                               const ObjectIdTable& old) {
  const ListIds& ids = leftovers.list.ids;
  uint64_t loosened = 0;
  for (const ListRank rank : ids.ranks()) {
    if (!old.Find(ids[rank])) continue;
    ZPACK_TRY(CheckStop(job.options.run.stop));
    ZPACK_TRY(
        job.store.WriteLooseObject(source, ids[rank], leftovers.mtimes[rank]));
    ++loosened;
  }
  if (loosened != 0) ZPACK_TRY(job.store.SyncLooseObjects());
  return loosened;
}

}  // namespace zpack
