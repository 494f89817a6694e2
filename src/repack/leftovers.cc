// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/leftovers.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "base/error.h"
#include "inventory/object_enumerator.h"
#include "object/id_sets.h"
#include "repack/borrowed_objects.h"
#include "repack/unreachable.h"

namespace zpack {
namespace {

// Marks objects that are in a cruft pack that stays, and were used again since
// the last repack, or are older than what `needed` them. Their times in that
// pack do not change, so they get another copy in the new one, as in Git from
// 2.49 on. `ages` are those of all copies.
Result<ListMarks> FindRenewed(const RepackJob& job, const PackSets& packs,
                              const ListIds& ids, const ObjectAges& ages,
                              const ListMarks& needed) {
  ListMarks renewed(ids.size());
  std::vector<PackFiles> firm = packs.kept;
  std::vector<PackFiles> cruft;
  std::ranges::copy_if(firm, std::back_inserter(cruft), &PackFiles::cruft);
  std::erase_if(firm, std::mem_fn(&PackFiles::cruft));
  if (cruft.empty()) return renewed;
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable in_cruft,
                         ReadWholeIds(job.store, cruft));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable in_firm,
                         ReadWholeIds(job.store, firm));
  std::vector<PackFiles> others = packs.rewritten;
  others.insert(others.end(), firm.begin(), firm.end());
  ZPACK_ASSIGN_OR_RETURN(
      const ObjectAges elsewhere,
      job.store.ReadAges(ids, others, CruftTimes::kOfObjects));
  const std::optional<int64_t>& expiration = job.options.expiration;
  for (const ListRank rank : renewed.indexes()) {
    const int64_t mtime = ages.mtimes[rank];
    const bool used_again = elsewhere.mtimes[rank] != ObjectAges::kNone &&
                            elsewhere.mtimes[rank] == mtime;
    const bool outlives = expiration && needed[rank] && mtime < *expiration;
    renewed[rank] = (used_again || outlives) && in_cruft.Find(ids[rank]) &&
                    !in_firm.Find(ids[rank]);
  }
  return renewed;
}

// The times by which objects expire. `ages` are those that they get.
Result<ObjectAges> FindLatestUse(const RepackJob& job,
                                 const std::vector<PackFiles>& counting,
                                 const ListIds& ids, ObjectAges ages) {
  if (job.options.unreachable == Unreachable::kCruft ||
      !job.options.expiration ||
      std::ranges::none_of(counting, &PackFiles::cruft)) {
    return ages;
  }
  // Loosened objects expire only if their own time in a cruft pack is as old.
  ZPACK_ASSIGN_OR_RETURN(
      const ObjectAges own,
      job.store.ReadAges(ids, counting, CruftTimes::kOfObjects));
  for (const ListRank rank : ids.ranks()) {
    ages.mtimes[rank] = std::max(ages.mtimes[rank], own.mtimes[rank]);
  }
  return ages;
}

// Whether a cruft pack gets objects that are in an alternate because a survivor
// needs them. As in Git, only if what is not needed expires.
bool PacksNeedsOfSurvivors(const RepackJob& job) {
  return job.options.unreachable == Unreachable::kCruft &&
         job.options.borrowed == Borrowed::kPack &&
         job.options.expiration.value_or(0) != 0;
}

// Git packs also what packs of alternates have if a pack here has a .keep file.
bool HasKeepFile(const PackSets& packs) {
  return std::ranges::any_of(packs.kept, &PackFiles::keep) ||
         std::ranges::any_of(packs.staying, &PackFiles::keep);
}

uint32_t Seconds(int64_t mtime) {
  return static_cast<uint32_t>(
      std::min<int64_t>(mtime, std::numeric_limits<uint32_t>::max()));
}

}  // namespace

Result<Leftovers> FindLeftovers(const RepackJob& job, ObjectSource& source,
                                const PackSets& packs, const ObjectList& all,
                                const LeftElsewhere& elsewhere) {
  const RepackOptions& options = job.options;
  const bool cruft = options.unreachable == Unreachable::kCruft;
  std::vector<PackFiles> counting = packs.rewritten;
  counting.insert(counting.end(), packs.kept.begin(), packs.kept.end());
  // Objects get the time of their pack when Git loosens them.
  ZPACK_ASSIGN_OR_RETURN(
      const ObjectAges ages,
      job.store.ReadAges(all.ids, counting,
                         cruft ? CruftTimes::kOfObjects : CruftTimes::kOfPack));
  ZPACK_ASSIGN_OR_RETURN(const ObjectAges latest,
                         FindLatestUse(job, counting, all.ids, ages));
  ZPACK_ASSIGN_OR_RETURN(
      Survivors survivors,
      FindSurvivors(source, all, options.expiration, latest));
  ListMarks& keep = survivors.all;
  ListMarks renewed(all.ids.size());
  if (cruft) {
    ZPACK_ASSIGN_OR_RETURN(
        renewed, FindRenewed(job, packs, all.ids, ages, survivors.needed));
  }
  const bool packs_needs = PacksNeedsOfSurvivors(job);
  const bool packs_lent = HasKeepFile(packs);
  Leftovers leftovers;
  ListMarks expired(all.ids.size());
  for (const ListRank rank : keep.indexes()) {
    int64_t mtime = ages.mtimes[rank];
    const bool needed = packs_needs && survivors.needed[rank];
    const bool left =
        elsewhere.kept.Find(all.ids[rank]) ||
        (elsewhere.lent.Find(all.ids[rank]) && !(needed && packs_lent));
    // An object without a time belongs to an alternate.
    const bool here = (mtime != ObjectAges::kNone || needed) &&
                      (renewed[rank] || (!all.reached(rank) && !left));
    if (here && all.reached(rank)) {
      keep[rank] = !options.expiration || mtime > *options.expiration;
    }
    expired[rank] = here && !keep[rank] && !all.reached(rank);
    if (expired[rank]) leftovers.expired_mtimes.push_back(Seconds(mtime));
    keep[rank] = here && keep[rank];
    if (!keep[rank]) continue;
    // Objects that only younger objects need get the oldest time that does not
    // expire, as in Git.
    if (cruft && options.expiration) {
      mtime = std::max(mtime, *options.expiration);
    }
    leftovers.mtimes.push_back(Seconds(mtime));
  }
  leftovers.list = KeepObjects(all, keep);
  if (!options.expire_to.empty()) {
    leftovers.expired = KeepObjects(all, expired);
  }
  return leftovers;
}

Result<uint64_t> LoosenObjects(const RepackJob& job, ObjectSource& source,
                               const PackSets& packs,
                               const Leftovers& leftovers,
                               const ObjectIdTable& old) {
  const ListIds& ids = leftovers.list.ids;
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable doomed, Common(ids, old));
  ZPACK_ASSIGN_OR_RETURN(const BorrowedObjects borrowed,
                         FindInAlternates(job, packs, doomed));
  uint64_t loosened = 0;
  for (const ListRank rank : ids.ranks()) {
    const ObjectId id = ids[rank];
    if (!doomed.Find(id) || borrowed.all.Find(id)) continue;
    ZPACK_TRY(CheckStop(job.options.run.stop));
    ZPACK_TRY(job.store.WriteLooseObject(source, id, leftovers.mtimes[rank]));
    ++loosened;
  }
  if (loosened != 0) ZPACK_TRY(job.store.SyncLooseObjects());
  return loosened;
}

}  // namespace zpack
