// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the writer knows about the objects it is going to store. Filled by
// EnumerateObjects, then immutable: any number of threads may read it.

#pragma once

#include <cstdint>
#include <vector>

#include "object/object_id_table.h"
#include "object/path_table.h"

namespace zpack {

struct ObjectList {
  // Value of `visit` for an object that the walk did not reach.
  static constexpr uint32_t kUnreached = 0xffffffff;

  // Value of `types` until an object's header was read.
  static constexpr ObjectType kUnknownType{0};

  ObjectIdTable ids;
  // By rank of the id:
  std::vector<ObjectType> types;
  std::vector<uint64_t> sizes;
  std::vector<uint32_t> paths;   // where the walk first met it, in `path_table`
  std::vector<uint32_t> visits;  // position in the walk; newest commits first
  PathTable path_table;

  bool reached(uint32_t rank) const { return visits[rank] != kUnreached; }
  // Asks for the memory of an object that is going to be read.
  void Prefetch(uint32_t rank) const {
    ids.Prefetch(rank);
    __builtin_prefetch(&types[rank]);
    __builtin_prefetch(&sizes[rank]);
    __builtin_prefetch(&paths[rank]);
  }
};

}  // namespace zpack
