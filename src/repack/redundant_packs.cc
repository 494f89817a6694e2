// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/redundant_packs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.h"
#include "object/id_sets.h"
#include "repack/borrowed_objects.h"
#include "repack/late_needs.h"
#include "repack/sound_copies.h"

namespace zpack {
namespace {

class RedundantPacks {
 public:
  RedundantPacks(const RepackJob& job, const PackSets& packs,
                 const ObjectChoice& choice, RepackStats& stats)
      : job_(job),
        packs_(packs),
        choice_(choice),
        old_(FindRedundant(packs, stats)),
        stats_(stats) {}

  Status Remove(ObjectSource& source) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable ids, ReadIds(job_.store, old_));
    if (job_.options.unreachable == Unreachable::kLoosen) {
      ZPACK_ASSIGN_OR_RETURN(
          stats_.loosened_objects,
          LoosenObjects(job_, source, packs_, choice_.leftovers, ids));
    }
    ZPACK_ASSIGN_OR_RETURN(
        const ObjectIdTable stays,
        ObjectIdTable::Merge(ids.format(),
                             {choice_.known, choice_.leftovers.list.ids,
                              choice_.filtered_out.ids}));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable doomed, Without(ids, stays));
    if (doomed.size() != 0) {
      ZPACK_ASSIGN_OR_RETURN(const bool may_go, LookAgain(doomed));
      if (!may_go) return {};
    }
    ZPACK_ASSIGN_OR_RETURN(stats_.removed_packs, job_.store.RemovePacks(old_));
    return RemoveLoose();
  }

 private:
  // Checks what happened to the repository while packs were written. Returns
  // false if an object of `doomed` is needed now.
  Result<bool> LookAgain(const ObjectIdTable& doomed) {
    ZPACK_ASSIGN_OR_RETURN(const auto now,
                           job_.store.Open(ExpectedReads::kContents));
    ZPACK_ASSIGN_OR_RETURN(const LateNeeds needs,
                           FindLateNeeds(*now, choice_.known, doomed));
    if (needs.doomed) {
      stats_.needed_again = needs.doomed->ToHex();
      return false;
    }
    for (const ObjectId& id : needs.missing) {
      if (std::ranges::find(stats_.lost, id, &LostObject::id) ==
          stats_.lost.end()) {
        stats_.lost.push_back({id, ""});
      }
    }
    if (stats_.missing_alternates.empty()) {
      stats_.missing_alternates = now->MissingAlternates();
    }
    if (!stats_.missing_alternates.empty() || !stats_.lost.empty()) {
      ZPACK_TRY(KeepPacksWith(doomed));
    }
    return true;
  }

  // Objects that are missing, or that a missing alternate has, may need objects
  // of `doomed`.
  Status KeepPacksWith(const ObjectIdTable& doomed) {
    ZPACK_ASSIGN_OR_RETURN(const auto staying,
                           PacksWith(job_.store, old_, doomed));
    stats_.packs_with_unreachable = staying.size();
    std::erase_if(old_, [&](const PackFiles& pack) {
      return std::ranges::find(staying, pack) != staying.end();
    });
    return {};
  }

  // The loose objects that packs of alternates have, as far as these are sound,
  // without those of `here`.
  Result<ObjectIdTable> PackedElsewhere(const ObjectIdTable& loose,
                                        const ObjectIdTable& here) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable rest, Without(loose, here));
    ZPACK_ASSIGN_OR_RETURN(BorrowedObjects borrowed,
                           FindInAlternates(job_, packs_, rest));
    return std::move(borrowed.packed);
  }

  // The loose objects that are in new or kept packs.
  Result<ObjectIdTable> PackedHere(const ObjectIdTable& loose) {
    std::vector<ObjectIdTable> packed = {choice_.list.ids,
                                         choice_.promised.ids};
    if (job_.options.filter_to.empty()) {
      packed.push_back(choice_.filtered_out.ids);
    }
    if (job_.options.unreachable == Unreachable::kCruft) {
      packed.push_back(choice_.leftovers.list.ids);
    }
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable fresh,
                           ObjectIdTable::Merge(loose.format(), packed));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable rest, Without(loose, fresh));
    // Read again, because other loose objects may be there now than before.
    std::vector<PackFiles> staying = packs_.kept;
    // Also if their objects were packed again.
    std::ranges::copy_if(packs_.staying, std::back_inserter(staying),
                         &PackFiles::keep);
    std::vector<std::string> known;
    ZPACK_ASSIGN_OR_RETURN(const SoundCopies kept,
                           FindSoundCopies(job_, staying, rest, known));
    return ObjectIdTable::Merge(loose.format(), {fresh, kept.ids});
  }

  Status RemoveLoose() {
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable loose,
                           job_.store.ListLooseObjects());
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable here, PackedHere(loose));
    // The work is done: alternates that cannot be read now have nothing.
    const ObjectIdTable elsewhere =
        PackedElsewhere(loose, here).value_or(ObjectIdTable());
    ZPACK_ASSIGN_OR_RETURN(
        const ObjectIdTable redundant,
        ObjectIdTable::Merge(loose.format(), {here, elsewhere}));
    ZPACK_ASSIGN_OR_RETURN(const RemovedLoose removed,
                           job_.store.RemoveLooseObjects(redundant));
    stats_.removed_loose = removed.count;
    // The loose objects are packed, so this is only a warning, as in 'git
    // prune-packed'.
    if (removed.why) {
      stats_.warnings.push_back(
          fmt::format("unable to remove {} loose objects that are packed: {}",
                      removed.left, removed.why->message));
    }
    return {};
  }

  const RepackJob& job_;
  const PackSets& packs_;
  const ObjectChoice& choice_;
  std::vector<PackFiles> old_;
  RepackStats& stats_;
};

}  // namespace

std::vector<PackFiles> FindRedundant(const PackSets& packs,
                                     const RepackStats& stats) {
  std::vector<PackFiles> old = packs.rewritten;
  RemoveNamed(stats.names, old);
  RemoveNamed(stats.cruft_names, old);
  return old;
}

Status RemoveRedundant(const RepackJob& job, const PackSets& packs,
                       ObjectSource& source, const ObjectChoice& choice,
                       RepackStats& stats) {
  return RedundantPacks(job, packs, choice, stats).Remove(source);
}

}  // namespace zpack
