// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which packs a geometric repack rolls up (git-repack(1), --geometric).
// Functions without state; any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
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

// A pack with which Git's numbers of 32 bits would overflow.
struct TooLargePack {
  size_t index = 0;
  std::string_view purpose;

  friend bool operator==(const TooLargePack&, const TooLargePack&) = default;
};

// How many of the packs with these ascending numbers of objects Git rolls up,
// so that each pack that is left has at least `factor` times the objects of the
// next smaller one, the new pack included. With a negative factor, every
// product overflows, unless it is 0. REQUIRES: factor != 0.
std::expected<size_t, TooLargePack> FindSplit(std::span<const uint64_t> counts,
                                              int32_t factor);

// Sorts `packs` and finds the split. kLimitExceeded if a pack is too large.
Result<PackGeometry> FindGeometry(std::vector<GeometricPack> packs,
                                  int32_t factor);

// The ids of all packs together.
Result<ObjectIdTable> IdsOf(ObjectFormat format,
                            std::span<const GeometricPack> packs);

}  // namespace zpack
