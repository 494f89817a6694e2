// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Describes the objects that the writer is going to store. EnumerateObjects
// fills the list. After that it is immutable, and any number of threads may
// read it.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/index_spaces.h"
#include "inventory/listed_sizes.h"
#include "object/object_id_table.h"
#include "object/path_table.h"
#include "zpack/lost_object.h"

namespace zpack {

// An object that the walk needed and that the source lacks.
struct MissedObject {
  ListedLoss object;
  std::string needed_by;  // SourceLoss::needed_by
  // True if refs or HEAD need the object, and not only other tips.
  bool required = false;
};

struct ObjectList {
  // Value of `visits` for an object that no walk met.
  static constexpr VisitNumber kUnmet{0xffffffff};

  // Value of `types` until the header of the object has been read.
  static constexpr ObjectType kUnknownType{0};

  ListIds ids;
  // By rank of the id:
  IndexedVector<ListRank, ObjectType> types;
  ListedSizes sizes;
  // The path at which a walk first met the object, in `path_table`.
  IndexedVector<ListRank, PathNumber> paths;
  // Newest commits first: those of what refs and other tips reach are less than
  // `reached_end`, and those of what only other commits reach are not.
  IndexedVector<ListRank, VisitNumber> visits;
  VisitNumber reached_end = kUnmet;
  PathTable path_table;
  // Objects that the walk needed, that the source lacks and that it promises.
  ObjectIdTable promised;
  // Objects that other tips need, that the source lacks, and that Git does not
  // require (TipRule).
  std::vector<LostObject> lost;
  // With KeepGoing::kYes: what the walk needed and the source neither has nor
  // promises, in the order of ids.
  std::vector<MissedObject> missed;

  // Whether refs or other tips reach the object.
  bool reached(ListRank rank) const { return visits[rank] < reached_end; }
  bool met(ListRank rank) const { return visits[rank] != kUnmet; }
  // Prefetches the memory of an object that is about to be read.
  void Prefetch(ListRank rank) const {
    ids.Prefetch(rank);
    __builtin_prefetch(&types[rank]);
    sizes.Prefetch(rank);
    __builtin_prefetch(&paths[rank]);
  }
};

}  // namespace zpack
