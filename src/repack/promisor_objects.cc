// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/promisor_objects.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/error.h"
#include "object/id_sets.h"

namespace zpack {
namespace {

std::vector<PackFiles> PromisorPacks(const std::vector<PackFiles>& packs) {
  std::vector<PackFiles> promisor;
  std::ranges::copy_if(packs, std::back_inserter(promisor),
                       &PackFiles::promisor);
  return promisor;
}

Result<ObjectIdTable> PromisorObjectsOfAlternates(const RepackJob& job) {
  std::vector<ObjectIdTable> tables;
  ZPACK_ASSIGN_OR_RETURN(const auto alternates, job.store.OpenAlternates());
  if (alternates != nullptr) {
    ZPACK_ASSIGN_OR_RETURN(const auto packs, alternates->ListPacks());
    for (const AlternatePack& pack : packs) {
      if (pack.files.promisor) tables.push_back(pack.ids);
    }
  }
  return ObjectIdTable::Merge(job.store.object_format(), tables);
}

}  // namespace

Result<PromisorObjects> FindPromisorObjects(const RepackJob& job,
                                            const PackSets& packs) {
  const ObjectFormat format = job.store.object_format();
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable kept,
                         ReadWholeIds(job.store, PromisorPacks(packs.kept)));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable rewritten,
                         ReadIds(job.store, PromisorPacks(packs.rewritten)));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable staying,
                         ReadIds(job.store, PromisorPacks(packs.staying)));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable theirs,
                         PromisorObjectsOfAlternates(job));
  std::vector<ObjectIdTable> wanted = {rewritten, staying};
  if (job.options.borrowed == Borrowed::kPack) wanted.push_back(theirs);
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable here,
                         ObjectIdTable::Merge(format, wanted));
  PromisorObjects objects;
  ZPACK_ASSIGN_OR_RETURN(objects.packed, Without(here, kept));
  ZPACK_ASSIGN_OR_RETURN(objects.all,
                         ObjectIdTable::Merge(format, {here, kept, theirs}));
  return objects;
}

}  // namespace zpack
