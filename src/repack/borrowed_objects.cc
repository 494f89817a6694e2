// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/borrowed_objects.h"

#include <functional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/error.h"
#include "object/id_sets.h"
#include "object/object_hasher.h"
#include "repack/sound_copies.h"

namespace zpack {
namespace {

// Returns the objects of `ids` that `alternates` do not have undamaged.
Result<ObjectIdTable> FindDamaged(AlternateObjects& alternates,
                                  const ObjectIdTable& ids,
                                  const std::stop_token& stop) {
  ObjectHasher hasher(ids.format());
  Bytes damaged;
  for (uint32_t rank = 0; rank < ids.size(); ++rank) {
    ZPACK_TRY(CheckStop(stop));
    const auto object = alternates.Open(ids[rank]);
    const auto id = object ? hasher.Hash(**object)
                           : Result<ObjectId>(std::unexpected(object.error()));
    if (!id || *id != ids[rank]) Append(damaged, ids[rank].bytes());
  }
  return ObjectIdTable::FromSorted(ids.format(), std::move(damaged));
}

// The objects of `needed` among `theirs`.
Result<BorrowedObjects> CheckBorrowed(const RepackJob& job,
                                      const PackSets& packs,
                                      AlternateObjects& alternates,
                                      const ObjectIdTable& theirs,
                                      const ObjectIdTable& needed) {
  BorrowedObjects borrowed;
  ZPACK_ASSIGN_OR_RETURN(borrowed.all, Common(needed, theirs));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable own, RemovableObjects(job, packs));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable both, Common(borrowed.all, own));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable damaged,
                         FindDamaged(alternates, both, job.options.run.stop));
  ZPACK_ASSIGN_OR_RETURN(borrowed.all, Without(borrowed.all, damaged));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable packed,
                         ReadPackedIds(job, alternates, AlternatePacks::kAll));
  ZPACK_ASSIGN_OR_RETURN(borrowed.packed, Common(borrowed.all, packed));
  return borrowed;
}

}  // namespace

Result<ObjectIdTable> ReadPackedIds(const RepackJob& job,
                                    AlternateObjects& alternates,
                                    AlternatePacks which) {
  ZPACK_ASSIGN_OR_RETURN(const auto packs, alternates.ListPacks(which));
  std::vector<ObjectIdTable> tables;
  tables.reserve(packs.size());
  for (const AlternatePack& pack : packs) tables.push_back(pack.ids);
  return ObjectIdTable::Merge(job.store.object_format(), tables);
}

Result<BorrowedObjects> FindInAlternates(const RepackJob& job,
                                         const PackSets& packs,
                                         const ObjectIdTable& needed) {
  if (needed.size() == 0) return BorrowedObjects{};
  ZPACK_ASSIGN_OR_RETURN(const auto alternates, job.store.OpenAlternates());
  if (alternates == nullptr) return BorrowedObjects{};
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable theirs, alternates->List());
  return CheckBorrowed(job, packs, *alternates, theirs, needed);
}

Result<BorrowedObjects> FindBorrowed(const RepackJob& job,
                                     const PackSets& packs,
                                     const ObjectIdTable& needed) {
  if (job.options.borrowed == Borrowed::kPack) return BorrowedObjects{};
  return FindInAlternates(job, packs, needed);
}

Result<BorrowedObjects> FindBorrowed(const RepackJob& job,
                                     const PackSets& packs,
                                     const PackGeometry& geometry,
                                     const ObjectIdTable& needed) {
  if (job.options.borrowed == Borrowed::kLeave) {
    return FindBorrowed(job, packs, needed);
  }
  std::vector<GeometricPack> left(geometry.left().begin(),
                                  geometry.left().end());
  std::erase_if(left, std::mem_fn(&GeometricPack::own));
  if (left.empty()) return BorrowedObjects{};
  ZPACK_ASSIGN_OR_RETURN(const auto alternates, job.store.OpenAlternates());
  if (alternates == nullptr) return BorrowedObjects{};
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable theirs,
                         IdsOf(job.store.object_format(), left));
  return CheckBorrowed(job, packs, *alternates, theirs, needed);
}

}  // namespace zpack
