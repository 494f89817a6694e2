// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/pack_geometry.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"

namespace zpack {

std::expected<size_t, TooLargePack> FindSplit(std::span<const uint64_t> counts,
                                              int32_t factor) {
  if (counts.empty()) return 0;
  // The largest number whose product with the factor does not overflow.
  const uint64_t times = factor > 0 ? static_cast<uint64_t>(factor) : 0;
  const uint64_t most =
      times == 0 ? 0 : std::numeric_limits<uint32_t>::max() / times;
  // The largest packs that form a progression already.
  size_t split = counts.size() - 1;
  for (; split > 0; --split) {
    if (counts[split - 1] > most) {
      return std::unexpected(
          TooLargePack{split - 1, "consider in geometric progression"});
    }
    if (counts[split] < times * counts[split - 1]) break;
  }
  // The pack that is too small for the one before it is rolled up, too.
  if (split > 0) ++split;
  uint64_t total = 0;
  for (const uint64_t count : counts.first(split)) total += count;
  // The new pack may be too large for the packs that are left.
  for (; split < counts.size(); ++split) {
    if (total > most) return std::unexpected(TooLargePack{split, "roll up"});
    if (counts[split] >= times * total) break;
    total += counts[split];
  }
  return split;
}

Result<PackGeometry> FindGeometry(std::vector<GeometricPack> packs,
                                  int32_t factor) {
  std::ranges::stable_sort(
      packs, {}, [](const GeometricPack& pack) { return pack.ids.size(); });
  std::vector<uint64_t> counts;
  counts.reserve(packs.size());
  for (const GeometricPack& pack : packs) counts.push_back(pack.ids.size());
  const auto split = FindSplit(counts, factor);
  if (!split) {
    const TooLargePack& pack = split.error();
    return MakeError(ErrorCode::kLimitExceeded, "pack {}.pack too large to {}",
                     packs[pack.index].files.name, MessageText{pack.purpose});
  }
  return PackGeometry{std::move(packs), *split};
}

Result<ObjectIdTable> IdsOf(ObjectFormat format,
                            std::span<const GeometricPack> packs) {
  std::vector<ObjectIdTable> tables;
  tables.reserve(packs.size());
  for (const GeometricPack& pack : packs) tables.push_back(pack.ids);
  return ObjectIdTable::Merge(format, tables);
}

}  // namespace zpack
