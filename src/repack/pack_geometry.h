// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which packs a geometric repack rolls up (git-repack(1), --geometric).
// Functions without state; any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "object/object_id_table.h"
#include "pack/pack_store.h"
#include "zpack/result.h"

namespace zpack {

struct GeometricPack {
  PackFiles files;
  ObjectIdTable ids;
  bool own = true;  // false: a pack of an alternate
};

// Packs of one kind, by number of objects, ascending.
struct PackGeometry {
  std::vector<GeometricPack> packs;
  size_t split = 0;  // the first `split` packs are rolled up

  std::span<const GeometricPack> rolled_up() const {
    return std::span(packs).first(split);
  }
  std::span<const GeometricPack> left() const {
    return std::span(packs).subspan(split);
  }
};

// How many of the packs with these ascending numbers of objects Git rolls up,
// so that each pack that is left has at least `factor` times the objects of the
// next smaller one, the new pack included. REQUIRES: factor > 0.
size_t FindSplit(std::span<const uint64_t> counts, uint64_t factor);

// Sorts `packs` and finds the split.
PackGeometry FindGeometry(std::vector<GeometricPack> packs, uint64_t factor);

// The ids of all packs together.
Result<ObjectIdTable> IdsOf(ObjectFormat format,
                            std::span<const GeometricPack> packs);

}  // namespace zpack
