// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/promisor_objects.h"

#include <vector>

#include "base/error.h"
#include "object/id_sets.h"
#include "repack/borrowed_objects.h"

namespace zpack {
namespace {

Result<ObjectIdTable> PromisorObjectsOfAlternates(const RepackJob& job) {
  ZPACK_ASSIGN_OR_RETURN(const auto alternates, job.store.OpenAlternates());
  if (alternates == nullptr) return ObjectIdTable();
  return ReadPackedIds(job, *alternates, AlternatePacks::kPromisor);
}

}  // namespace

std::vector<PackFiles> PromisorPacks(std::vector<PackFiles> packs) {
  std::erase_if(packs, [](const PackFiles& pack) { return !pack.promisor; });
  return packs;
}

Result<PromisorObjects> FindPromisorObjects(const RepackJob& job,
                                            const PackSets& packs,
                                            const ObjectIdTable& kept) {
  const ObjectFormat format = job.store.object_format();
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable kept_promised,
                         ReadWholeIds(job.store, PromisorPacks(packs.kept)));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable rewritten,
                         ReadIds(job.store, PromisorPacks(packs.rewritten)));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable staying,
                         ReadIds(job.store, PromisorPacks(packs.staying)));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable theirs,
                         PromisorObjectsOfAlternates(job));
  std::vector<ObjectIdTable> wanted = {rewritten, staying, kept_promised};
  if (job.options.borrowed == Borrowed::kPack) {
    wanted.push_back(theirs);
  } else {
    ZPACK_ASSIGN_OR_RETURN(const BorrowedObjects sound,
                           FindInAlternates(job, packs, theirs));
    ZPACK_ASSIGN_OR_RETURN(wanted.emplace_back(), Without(theirs, sound.all));
  }
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable here,
                         ObjectIdTable::Merge(format, wanted));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable left, Common(kept_promised, kept));
  PromisorObjects objects;
  ZPACK_ASSIGN_OR_RETURN(objects.packed, Without(here, left));
  ZPACK_ASSIGN_OR_RETURN(objects.all,
                         ObjectIdTable::Merge(format, {here, theirs}));
  return objects;
}

}  // namespace zpack
