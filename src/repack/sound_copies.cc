// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/sound_copies.h"

#include <utility>

#include "base/error.h"
#include "object/id_sets.h"
#include "repack/bitmap_choice.h"

namespace zpack {
namespace {

// The objects that more than one of `packs` has.
Result<ObjectIdTable> FindRepeated(PackStore& store,
                                   const std::vector<PackFiles>& packs) {
  std::vector<ObjectIdTable> tables;
  uint64_t copies = 0;
  for (const PackFiles& pack : packs) {
    auto ids = store.ReadIds(pack.name);
    if (!ids) continue;
    copies += ids->size();
    tables.push_back(*std::move(ids));
  }
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable all,
                         ObjectIdTable::Merge(store.object_format(), tables));
  if (copies == all.size()) return ObjectIdTable();
  std::vector<bool> seen(all.size());
  Bytes repeated;
  for (const ObjectIdTable& ids : tables) {
    for (uint32_t i = 0; i < ids.size(); ++i) {
      const uint32_t rank = *all.Find(ids[i]);
      if (seen[rank]) Append(repeated, ids[i].bytes());
      seen[rank] = true;
    }
  }
  return ObjectIdTable::FromUnsorted(all.format(), std::move(repeated));
}

}  // namespace

Result<ObjectIdTable> RemovableObjects(const RepackJob& job,
                                       const PackSets& packs) {
  if (job.options.redundant == Redundant::kLeave) return ObjectIdTable();
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable loose,
                         job.store.ListLooseObjects());
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable packed,
                         ReadIds(job.store, packs.rewritten));
  return ObjectIdTable::Merge(job.store.object_format(), {loose, packed});
}

Result<SoundCopies> FindSoundCopies(const RepackJob& job,
                                    const std::vector<PackFiles>& packs,
                                    const ObjectIdTable& removable,
                                    std::vector<std::string>& warnings) {
  SoundCopies sound;
  std::vector<ObjectIdTable> tables;
  std::vector<ObjectIdTable> of_damaged;
  for (const PackFiles& pack : packs) {
    ZPACK_ASSIGN_OR_RETURN(ObjectIdTable ids, ReadWholeIds(job.store, {pack}));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable both, Common(ids, removable));
    ZPACK_ASSIGN_OR_RETURN(
        const ObjectIdTable damaged,
        job.store.FindDamaged(pack.name, both, job.options.run));
    if (damaged.size() != 0) {
      sound.damaged_packs.push_back(pack.name);
      warnings.push_back(FormatMessage(
          "pack '{}' is damaged and stays; {} of its objects are kept from "
          "other copies",
          pack.name, damaged.size()));
      ZPACK_ASSIGN_OR_RETURN(ids, Without(ids, damaged));
      of_damaged.push_back(damaged);
    }
    tables.push_back(std::move(ids));
  }
  ZPACK_ASSIGN_OR_RETURN(
      sound.damaged,
      ObjectIdTable::Merge(job.store.object_format(), of_damaged));
  ZPACK_ASSIGN_OR_RETURN(
      sound.ids, ObjectIdTable::Merge(job.store.object_format(), tables));
  return sound;
}

Result<SoundCopies> FindKept(const RepackJob& job, const PackSets& packs,
                             std::vector<std::string>& warnings) {
  if (packs.kept.empty()) return SoundCopies{};
  ZPACK_ASSIGN_OR_RETURN(ObjectIdTable in_doubt, RemovableObjects(job, packs));
  if (job.options.multi_pack_index == MultiPackIndex::kWrite ||
      IsBitmapAskedFor(job)) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable repeated,
                           FindRepeated(job.store, packs.kept));
    ZPACK_ASSIGN_OR_RETURN(
        in_doubt,
        ObjectIdTable::Merge(job.store.object_format(), {in_doubt, repeated}));
  }
  return FindSoundCopies(job, packs.kept, in_doubt, warnings);
}

}  // namespace zpack
