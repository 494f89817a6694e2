// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/object_choice.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "inventory/object_enumerator.h"
#include "object/id_sets.h"
#include "repack/borrowed_objects.h"
#include "repack/filtered_objects.h"
#include "repack/geometric_choice.h"
#include "repack/promisor_objects.h"
#include "repack/sound_copies.h"

namespace zpack {
namespace {

// Damaged loose objects that nothing needs stay in place, as in Git. A pack
// with such an object would be removed, so that is an error.
Status CheckUnreadable(const RepackJob& job, const PackSets& packs,
                       const std::vector<ObjectId>& unreadable) {
  if (unreadable.empty()) return {};
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable old,
                         ReadIds(job.store, packs.rewritten));
  for (const ObjectId& id : unreadable) {
    if (!old.Find(id)) continue;
    return MakeError(ErrorCode::kSourceCorrupt,
                     "cannot read object {} of '{}', which is in a pack", id,
                     job.settings.common_directory);
  }
  return {};
}

// Fills `kept`, `damaged_packs`, `damaged_copies` and `promised` of `choice`.
Result<PromisorObjects> ChooseKept(const RepackJob& job, ObjectSource& source,
                                   const PackSets& packs, ObjectChoice& choice,
                                   RepackStats& stats) {
  ZPACK_ASSIGN_OR_RETURN(SoundCopies kept,
                         FindKept(job, packs, stats.warnings));
  choice.kept = std::move(kept.ids);
  choice.damaged_packs = std::move(kept.damaged_packs);
  choice.damaged_copies = std::move(kept.damaged);
  ZPACK_ASSIGN_OR_RETURN(PromisorObjects promisor,
                         FindPromisorObjects(job, packs, choice.kept));
  if (promisor.packed.size() != 0) {
    ZPACK_ASSIGN_OR_RETURN(
        choice.promised,
        EnumerateListed(source, promisor.packed, promisor.packed,
                        job.options.run, stats.unreadable));
  }
  return promisor;
}

// Fills `list` of `choice` with those of `all` that are not `elsewhere`, and
// `islands` with those of `all`.
Status ChooseUsual(const RepackJob& job, ObjectSource& source, ObjectList all,
                   const ObjectIdTable& elsewhere, ObjectChoice& choice) {
  if (job.respects_islands()) {
    ZPACK_ASSIGN_OR_RETURN(
        choice.islands,
        DeltaIslands::Find(source, job.settings, all, job.options.run));
  }
  choice.list = WithoutObjects(std::move(all), elsewhere);
  if (job.options.filter.is_set()) {
    ZPACK_ASSIGN_OR_RETURN(choice.list,
                           FilterObjects(job, source, std::move(choice.list)));
  }
  return {};
}

// Divides the islands of the objects `whole`.
void DivideIslands(const ListIds& whole, ObjectChoice& choice) {
  if (!choice.islands) return;
  choice.filtered_islands = choice.islands->Of(whole, choice.filtered_out.ids);
  choice.islands = choice.islands->Of(whole, choice.list.ids);
}

// With all objects to pack, leaves out those that only alternates have and that
// nothing in the repository needs, as Git does.
Result<ObjectList> WithoutForeign(const RepackJob& job, const PackSets& packs,
                                  ObjectList all) {
  ZPACK_ASSIGN_OR_RETURN(const auto alternates, job.store.OpenAlternates());
  if (alternates == nullptr) return all;
  std::vector<ObjectIdTable> own;
  ZPACK_ASSIGN_OR_RETURN(own.emplace_back(), job.store.ListLooseObjects());
  for (const auto& part : {packs.kept, packs.staying, packs.rewritten}) {
    ZPACK_ASSIGN_OR_RETURN(own.emplace_back(), ReadIds(job.store, part));
  }
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable ids,
                         ObjectIdTable::Merge(all.ids.format(), own));
  return KeepWhere(std::move(all), [&](const ObjectList& list, ListRank rank) {
    return list.reached(rank) || ids.Find(list.ids[rank]);
  });
}

// Unreachable objects of `all` that packs of alternates have, but no pack that
// is rewritten.
Result<ObjectIdTable> FindLent(const RepackJob& job, const PackSets& packs,
                               const ObjectList& all) {
  if (job.options.unreachable != Unreachable::kCruft) return ObjectIdTable();
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable packed,
                         ReadIds(job.store, packs.rewritten));
  Bytes ids;
  for (const ListRank rank : all.ids.ranks()) {
    const ObjectId id = all.ids[rank];
    if (!all.reached(rank) && !packed.Find(id)) Append(ids, id.bytes());
  }
  ZPACK_ASSIGN_OR_RETURN(
      const ObjectIdTable only,
      ObjectIdTable::FromSorted(all.ids.format(), std::move(ids)));
  ZPACK_ASSIGN_OR_RETURN(BorrowedObjects borrowed,
                         FindInAlternates(job, packs, only));
  return std::move(borrowed.packed);
}

// The unreachable objects of `all` that survive, without those of `elsewhere`.
Result<Leftovers> ChooseLeftovers(const RepackJob& job, ObjectSource& source,
                                  const PackSets& packs, const ObjectList& all,
                                  const ObjectIdTable& elsewhere) {
  ZPACK_ASSIGN_OR_RETURN(ObjectIdTable lent, FindLent(job, packs, all));
  return FindLeftovers(job, source, packs, all, {elsewhere, std::move(lent)});
}

}  // namespace

Result<ObjectChoice> ChooseObjects(const RepackJob& job, ObjectSource& source,
                                   const PackSets& packs, RepackStats& stats) {
  const RepackOptions& options = job.options;
  if (options.geometric != 0) {
    ZPACK_ASSIGN_OR_RETURN(ObjectChoice choice,
                           ChooseGeometric(job, source, packs, stats));
    ZPACK_TRY(CheckUnreadable(job, packs, stats.unreadable));
    return choice;
  }
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, source.ReadRefs());
  const bool leaves = options.unreachable != Unreachable::kDrop;
  ZPACK_ASSIGN_OR_RETURN(
      ObjectList all,
      EnumerateObjects(
          source, refs,
          {leaves ? ObjectSet::kAll : options.objects,
           source.IsPartialClone() ? AllowPromised::kYes : AllowPromised::kNo,
           MissingBelow::kOfAllTips},
          options.run, &stats.unreadable));
  stats.lost = std::move(all.lost);
  ObjectChoice choice;
  ZPACK_ASSIGN_OR_RETURN(const PromisorObjects promisor,
                         ChooseKept(job, source, packs, choice, stats));
  ZPACK_TRY(CheckUnreadable(job, packs, stats.unreadable));
  ZPACK_ASSIGN_OR_RETURN(BorrowedObjects borrowed,
                         FindBorrowed(job, packs, all.ids));
  ZPACK_ASSIGN_OR_RETURN(
      const ObjectIdTable elsewhere,
      ObjectIdTable::Merge(all.ids.format(),
                           {choice.kept, borrowed.all, promisor.all}));
  choice.borrowed = std::move(borrowed.packed);
  choice.borrowed_objects = borrowed.all.size();
  if (leaves) {
    ZPACK_ASSIGN_OR_RETURN(choice.leftovers,
                           ChooseLeftovers(job, source, packs, all, elsewhere));
    all = KeepReached(std::move(all));
  } else if (options.objects == ObjectSet::kAll) {
    ZPACK_ASSIGN_OR_RETURN(all, WithoutForeign(job, packs, std::move(all)));
  }
  ZPACK_ASSIGN_OR_RETURN(
      choice.known,
      ObjectIdTable::Merge(all.ids.format(),
                           {all.ids, promisor.all, all.promised}));
  const ListIds whole = all.ids;
  ZPACK_TRY(ChooseUsual(job, source, std::move(all), elsewhere, choice));
  if (options.filter.is_set()) {
    ZPACK_ASSIGN_OR_RETURN(choice.filtered_out,
                           ListFilteredOut(job, source, packs, choice, stats));
    ZPACK_TRY(CheckUnreadable(job, packs, stats.unreadable));
  }
  DivideIslands(whole, choice);
  return choice;
}

}  // namespace zpack
