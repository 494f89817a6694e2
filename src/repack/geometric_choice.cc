// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/geometric_choice.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "inventory/object_enumerator.h"
#include "object/id_sets.h"
#include "repack/borrowed_objects.h"
#include "repack/promisor_objects.h"
#include "repack/sound_copies.h"

namespace zpack {
namespace {

class GeometricChooser {
 public:
  GeometricChooser(const RepackJob& job, ObjectSource& source,
                   const PackSets& packs, RepackStats& stats)
      : job_(job), source_(source), packs_(packs), stats_(stats) {}

  Result<ObjectChoice> Run() {
    ZPACK_TRY(ChooseUsual());
    ZPACK_TRY(ChoosePromised());
    choice_.borrowed_objects = choice_.borrowed.size();
    return std::move(choice_);
  }

 private:
  ObjectFormat format() const { return job_.store.object_format(); }

  // Loose objects and those of usual packs, unless they are in a pack that
  // stays.
  Status ChooseUsual() {
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable rolled_up,
                           IdsOf(format(), packs_.usual.rolled_up()));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable loose,
                           job_.store.ListLooseObjects());
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable wanted,
                           ObjectIdTable::Merge(format(), {rolled_up, loose}));
    ZPACK_ASSIGN_OR_RETURN(SoundCopies kept,
                           FindKept(job_, packs_, stats_.warnings));
    choice_.kept = std::move(kept.ids);
    choice_.damaged_packs = std::move(kept.damaged_packs);
    choice_.damaged_copies = std::move(kept.damaged);
    choice_.known = wanted;
    if (!job_.settings.multi_pack_index_with_cruft) return Follow(wanted);
    ZPACK_TRY(Leave(packs_.usual, choice_.kept, wanted));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable packed_here,
                           Without(wanted, elsewhere_));
    ZPACK_ASSIGN_OR_RETURN(choice_.list, List(packed_here));
    return {};
  }

  // Also packs what `wanted` objects and packs outside the multi-pack-index
  // reach, so that the packs of a multi-pack-index without cruft packs have all
  // that its commits need ('git pack-objects --stdin-packs=follow'). What packs
  // of the present multi-pack-index and promisor packs reach is assumed to be
  // there.
  Status Follow(const ObjectIdTable& wanted) {
    const auto indexed = job_.store.ReadMultiPackIndex();
    std::vector<GeometricPack> closed;
    std::vector<GeometricPack> open;
    for (const GeometricPack& pack : packs_.usual.left()) {
      const bool is_closed = indexed && indexed->contains(pack.files.name);
      (is_closed ? closed : open).push_back(pack);
    }
    // Even if a closed pack has them, objects whose copy there is damaged are
    // packed.
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable here,
                           Without(wanted, choice_.kept));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable all_closed,
                           IdsOf(format(), closed));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable behind,
                           Without(all_closed, here));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable outside, IdsOf(format(), open));
    ZPACK_ASSIGN_OR_RETURN(const PromisorObjects promisor,
                           FindPromisorObjects(job_, packs_, choice_.kept));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable promised,
                           Without(promisor.all, wanted));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable all, source_.ListObjects());
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable ahead, Without(all, behind));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable walked,
                           Without(ahead, promised));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable tips,
                           ObjectIdTable::Merge(format(), {wanted, outside}));
    ZPACK_ASSIGN_OR_RETURN(
        ObjectList list, EnumerateListed(source_, walked, tips,
                                         job_.options.run, stats_.unreadable));
    list = KeepWhere(std::move(list), [&](const ObjectList& read, ListRank at) {
      return read.reached(at) || wanted.Find(read.ids[at]);
    });
    ZPACK_TRY(Leave(packs_.usual, choice_.kept, list.ids));
    choice_.list = WithoutObjects(std::move(list), elsewhere_);
    return {};
  }

  // Objects of promisor packs, unless they are in a promisor pack that stays.
  Status ChoosePromised() {
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable wanted,
                           IdsOf(format(), packs_.promisor.rolled_up()));
    if (wanted.size() == 0) return {};
    std::vector<PackFiles> left = packs_.kept;
    left.insert(left.end(), packs_.staying.begin(), packs_.staying.end());
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable removable,
                           RemovableObjects(job_, packs_));
    ZPACK_ASSIGN_OR_RETURN(const SoundCopies kept,
                           FindSoundCopies(job_, PromisorPacks(std::move(left)),
                                           removable, stats_.warnings));
    ZPACK_TRY(Leave(packs_.promisor, kept.ids, wanted));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable packed_here,
                           Without(wanted, elsewhere_));
    ZPACK_ASSIGN_OR_RETURN(choice_.promised, List(packed_here));
    ZPACK_ASSIGN_OR_RETURN(
        choice_.known, ObjectIdTable::Merge(format(), {choice_.known, wanted}));
    return {};
  }

  // Fills `elsewhere_`: the `kept` objects, and those of `wanted` that are left
  // to alternates.
  Status Leave(const PackGeometry& geometry, const ObjectIdTable& kept,
               const ObjectIdTable& wanted) {
    ZPACK_ASSIGN_OR_RETURN(const BorrowedObjects borrowed,
                           FindBorrowed(job_, packs_, geometry, wanted));
    ZPACK_ASSIGN_OR_RETURN(
        choice_.borrowed,
        ObjectIdTable::Merge(format(), {choice_.borrowed, borrowed.packed}));
    ZPACK_ASSIGN_OR_RETURN(
        elsewhere_, ObjectIdTable::Merge(format(), {kept, borrowed.all}));
    return {};
  }

  Result<ObjectList> List(const ObjectIdTable& ids) {
    return EnumerateListed(source_, ids, ids, job_.options.run,
                           stats_.unreadable);
  }

  const RepackJob& job_;
  ObjectSource& source_;
  const PackSets& packs_;
  RepackStats& stats_;
  ObjectChoice choice_;
  ObjectIdTable elsewhere_;
};

}  // namespace

Result<ObjectChoice> ChooseGeometric(const RepackJob& job, ObjectSource& source,
                                     const PackSets& packs,
                                     RepackStats& stats) {
  return GeometricChooser(job, source, packs, stats).Run();
}

}  // namespace zpack
