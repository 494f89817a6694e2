// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/pack_geometry.h"

#include <algorithm>
#include <utility>

namespace zpack {

size_t FindSplit(std::span<const uint64_t> counts, uint64_t factor) {
  if (counts.empty()) return 0;
  // The largest packs that form a progression already.
  size_t split = counts.size() - 1;
  while (split > 0 && counts[split] / factor >= counts[split - 1]) --split;
  // The pack that is too small for the one before it is rolled up, too.
  if (split > 0) ++split;
  uint64_t total = 0;
  for (const uint64_t count : counts.first(split)) total += count;
  // The new pack may be too large for the packs that are left.
  for (; split < counts.size() && counts[split] / factor < total; ++split) {
    total += counts[split];
  }
  return split;
}

PackGeometry FindGeometry(std::vector<GeometricPack> packs, uint64_t factor) {
  std::ranges::stable_sort(
      packs, {}, [](const GeometricPack& pack) { return pack.ids.size(); });
  std::vector<uint64_t> counts;
  counts.reserve(packs.size());
  for (const GeometricPack& pack : packs) counts.push_back(pack.ids.size());
  const size_t split = FindSplit(counts, factor);
  return {std::move(packs), split};
}

Result<ObjectIdTable> IdsOf(ObjectFormat format,
                            std::span<const GeometricPack> packs) {
  std::vector<ObjectIdTable> tables;
  tables.reserve(packs.size());
  for (const GeometricPack& pack : packs) tables.push_back(pack.ids);
  return ObjectIdTable::Merge(format, tables);
}

}  // namespace zpack
