// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "writer/write_order.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/group_sort.h"
#include "base/huge_pages.h"
#include "format/block_form.h"
#include "format/limits.h"
#include "inventory/stretch_limit.h"
#include "writer/stretch_encoders.h"

namespace zpack {
namespace {

using format::BlockKind;

// Content of a block of whole objects, as a multiple of a block of deltas. Both
// have about the same compressed size.
constexpr uint64_t kWholePerDeltas = 16;
constexpr uint64_t kMaxWindow = uint64_t{32} << 20;
// Limits for the content of a stretch of deltas, in blocks of deltas, and the
// usual number of stretches. Blobs are compared only within a stretch, so few
// stretches compress better. Each stretch is encoded by one thread, so there
// must be several.
constexpr uint64_t kMinStretch = 16;
constexpr uint64_t kMaxStretch = 96;
constexpr uint64_t kStretches = 8;
// With groups. In two stretches, libgit2 and redis take 1.5 % more than in one;
// in eight, libgit2 takes 5.6 % more.
constexpr uint64_t kGroupedStretches = 1;
constexpr uint64_t kMaxGroupedStretch = 1024;
constexpr uint64_t kSection = 16;
// The same limits for trees, whose edits are at most about 1 % of their
// content.
constexpr uint64_t kMinTreeStretch = 32;
constexpr uint64_t kTreeStretches = 4;

bool MayBeDelta(ObjectType type, BlockKind kind) {
  return type == ObjectType::kBlob &&
         (kind == BlockKind::kDeltas || kind == BlockKind::kFarDeltas);
}

std::vector<PlannedStretch> DivideIntoSections(
    const PlannedStretch& stretch, const StorageInput& input,
    const IndexedVector<WritePosition, ListRank>& order, uint64_t section) {
  std::vector<PlannedStretch> sections;
  PlannedStretch open = stretch;
  open.count = 0;
  open.raw_size = 0;
  StretchLimit limit(input.list, input.lineages);
  for (const WritePosition position :
       IndexRange(stretch.first, stretch.first + stretch.count)) {
    const ListRank rank = order[position];
    const uint64_t size = input.list.sizes[rank];
    const uint64_t most = limit.With(rank, section, kLeastVersions);
    if (open.count != 0 && open.raw_size + size > most) {
      sections.push_back(open);
      open.first = position;
      open.count = 0;
      open.raw_size = 0;
    }
    ++open.count;
    open.raw_size += size;
  }
  sections.push_back(open);
  return sections;
}

// Types in the order in which history walks read them. Objects without a type
// come last.
uint32_t TypePosition(ObjectType type) {
  constexpr std::array kOrder = {ObjectType::kCommit, ObjectType::kTag,
                                 ObjectType::kTree, ObjectType::kBlob};
  return static_cast<uint32_t>(std::ranges::find(kOrder, type) -
                               kOrder.begin());
}

// Number of object kinds that are ordered separately: eight per type.
constexpr size_t kKinds = size_t{5} * 8;

}  // namespace

IndexedVector<WritePosition, ListRank> WriteOrder(
    const StorageInput& input, const ChangedVisits& changed) {
  const auto& [list, lineages, far] = input;
  // Groups are ordered by type, then incompressible blobs after others, then
  // objects with a base in an older archive after others, then objects
  // that no walk met after others, then by position of the path. Within a
  // group, objects are ordered by visit, then by rank.
  const auto kind_of = [&](ListRank rank) {
    const bool last = list.types[rank] == ObjectType::kBlob &&
                      lineages.incompressible[list.paths[rank]];
    const bool has_far =
        !far.empty() && StoredKind(input, rank) == BlockKind::kFarDeltas;
    return size_t{TypePosition(list.types[rank])} << 3 | size_t{last} << 2 |
           size_t{has_far} << 1 | size_t{!list.met(rank)};
  };
  // Only kinds that occur take up groups, because there may be many paths.
  const size_t paths = lineages.positions.size();
  std::array<size_t, kKinds> first_groups{};
  for (const ListRank rank : list.ids.ranks()) {
    first_groups[kind_of(rank)] = paths;
  }
  size_t groups = 0;
  for (size_t& first : first_groups) groups += std::exchange(first, groups);
  const auto group_of = [&](ListRank rank) {
    return first_groups[kind_of(rank)] +
           lineages.positions[list.paths[rank]].value();
  };
  const auto visit_of = [&](ListRank rank) {
    const auto found = changed.find(rank);
    return found == changed.end() ? list.visits[rank] : found->second;
  };
  const auto keys = SortByGroup<ListRank>(
      list.ids.size(), groups, group_of, [&](ListRank rank) {
        return uint64_t{visit_of(rank).value()} << 32 | rank.value();
      });
  IndexedVector<WritePosition, ListRank> order;
  FillTable(order.raw(), keys.size());
  std::ranges::transform(keys, order.begin(), [](uint64_t key) {
    return ListRank(static_cast<uint32_t>(key));
  });
  return order;
}

BlockSizes::BlockSizes(uint64_t block_size, unsigned halvings, bool groups)
    : deltas(block_size),
      trees(block_size / 4),
      whole(std::max(block_size, std::min(block_size * kWholePerDeltas,
                                          format::kMaxWholeBlock) >>
                                     halvings)),
      max_object(std::max(
          block_size, std::min(8 * block_size, format::kMaxWhole) >> halvings)),
      max_delta(std::max(max_object, format::kMaxWhole >> halvings)),
      segment(std::min(4 * block_size, format::kMaxSegment)),
      window(std::max(
          max_object,
          std::min(block_size * kWholePerDeltas, kMaxWindow) >> halvings)),
      stretches(groups ? kGroupedStretches : kStretches),
      max_stretch((groups ? kMaxGroupedStretch : kMaxStretch) * block_size),
      section(groups ? kSection * block_size : 0) {}

std::vector<PlannedStretch> PlanStretches(
    const StorageInput& input,
    const IndexedVector<WritePosition, ListRank>& order,
    const BlockSizes& sizes) {
  const ObjectList& list = input.list;
  uint64_t delta_bytes = 0;
  uint64_t tree_bytes = 0;
  for (const ListRank rank : order) {
    const BlockKind kind = StoredKind(input, rank);
    if (kind == BlockKind::kDeltas) delta_bytes += list.sizes[rank];
    if (kind == BlockKind::kTrees) tree_bytes += list.sizes[rank];
  }
  const uint64_t stretch =
      std::clamp(delta_bytes / sizes.stretches, kMinStretch * sizes.deltas,
                 sizes.max_stretch);
  const uint64_t tree_stretch =
      std::max(tree_bytes / kTreeStretches, kMinTreeStretch * sizes.deltas);
  StretchLimit stretch_limit(list, input.lineages);
  const auto limit_of = [&](BlockKind kind, ListRank rank) {
    if (kind == BlockKind::kDeltas || kind == BlockKind::kFarDeltas) {
      return stretch_limit.With(rank, stretch, kLeastVersions);
    }
    if (kind == BlockKind::kTrees) return tree_stretch;
    return list.types[rank] == ObjectType::kBlob ? sizes.deltas : sizes.whole;
  };

  std::vector<PlannedStretch> stretches;
  PlannedStretch open;
  const auto flush = [&] {
    if (open.count != 0) stretches.push_back(open);
    open.count = 0;
  };
  for (const WritePosition position : order.indexes()) {
    const ListRank rank = order[position];
    const ObjectType type = list.types[rank];
    const uint64_t size = list.sizes[rank];
    const BlockKind kind = StoredKind(input, rank);
    if (size > (MayBeDelta(type, kind) ? sizes.max_delta : sizes.max_object)) {
      flush();
      for (uint64_t offset = 0; offset < size; offset += sizes.segment) {
        stretches.push_back({position, 1, type,
                             std::min(sizes.segment, size - offset),
                             BlockKind::kSegment, offset});
      }
      continue;
    }
    const uint64_t limit = limit_of(kind, rank);
    if (open.count != 0 && (open.type != type || open.kind != kind ||
                            open.raw_size + size > limit)) {
      flush();
    }
    if (open.count == 0) open = {position, 0, type, 0, kind, 0};
    ++open.count;
    open.raw_size += size;
  }
  flush();
  if (sizes.section == 0) return stretches;
  for (PlannedStretch& planned : stretches) {
    if (!format::FindBlockForm(planned.kind)->continued) continue;
    planned.sections = DivideIntoSections(planned, input, order, sizes.section);
  }
  return stretches;
}

}  // namespace zpack
