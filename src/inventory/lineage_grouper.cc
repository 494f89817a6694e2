// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/lineage_grouper.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "delta/sketch_index.h"
#include "inventory/examined_lineages.h"
#include "inventory/shared_text_order.h"
#include "object/path_table.h"

namespace zpack {
namespace {

// A version of a file adds about this part of its size to the first one.
constexpr uint64_t kVersionPart = 50;

// Paths sorted by extension, then by name, then as the walk met them. Full
// paths are not compared: with deep directories they would take quadratic
// memory.
IndexedVector<PathPosition, PathNumber> SortPaths(const PathTable& paths) {
  IndexedVector<PathPosition, PathNumber> order;
  order.reserve(paths.size());
  for (const PathNumber path : paths.numbers()) order.push_back(path);
  std::ranges::sort(order.raw(), {}, [&](PathNumber path) {
    const std::string_view name = paths.Name(path);
    return std::tuple(FileExtension(name), name, path);
  });
  return order;
}

// Disjoint sets of paths. The representative of a set is its first path in the
// order of positions.
class Groups {
 public:
  explicit Groups(const IndexedVector<PathNumber, PathPosition>& positions)
      : positions_(positions), parents_(positions.size()) {
    for (const PathNumber path : parents_.indexes()) parents_[path] = path;
  }

  PathNumber Find(PathNumber path) {
    while (parents_[path] != path) {
      parents_[path] = parents_[parents_[path]];
      path = parents_[path];
    }
    return path;
  }

  void Join(PathNumber a, PathNumber b) {
    a = Find(a);
    b = Find(b);
    if (positions_[a] > positions_[b]) std::swap(a, b);
    parents_[b] = a;
  }

 private:
  const IndexedVector<PathNumber, PathPosition>& positions_;
  IndexedVector<PathNumber, PathNumber> parents_;
};

// Joins paths with similar blobs. Returns by path if one of its blobs has
// something in common with another blob.
IndexedVector<PathNumber, bool> JoinSimilar(
    const IndexedVector<PathPosition, PathNumber>& order,
    const IndexedVector<PathNumber, Lineage>& lineages, Groups& groups) {
  SketchIndex<PathNumber> index;
  IndexedVector<PathNumber, bool> shares(order.size());
  for (const PathNumber path : order) {
    const Lineage& lineage = lineages[path];
    shares[path] = shares[path] || lineage.versions_share;
    for (const ContentSketch& sketch : lineage.sketches) {
      if (!sketch.valid) continue;
      for (const auto& [other, features] : index.Find(sketch)) {
        if (other == path) continue;
        shares[path] = shares[other] = true;
        if (features >= kAlikeFeatures) groups.Join(path, other);
      }
      index.Add(sketch, path);
    }
  }
  return shares;
}

// Sorts `order`, in which groups are together, so that groups with common text
// are close to each other. Paths without blobs come last, as they are. Takes
// the samples out of `lineages`.
void OrderGroups(const ObjectList& list, Groups& groups,
                 IndexedVector<PathNumber, Lineage>& lineages,
                 IndexedVector<PathPosition, PathNumber>& order) {
  const auto without = std::ranges::stable_partition(
      order.raw(), [&](PathNumber path) { return !lineages[path].empty(); });
  const std::vector<PathNumber> paths(order.raw().begin(), without.begin());
  std::vector<TextSet> sets;
  std::vector<size_t> begins;  // in `paths`, by set, and its end
  std::string_view extension;
  uint32_t kind = 0;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (i == 0 || groups.Find(paths[i - 1]) != groups.Find(paths[i])) {
      const auto own = FileExtension(list.path_table.Name(paths[i]));
      if (std::exchange(extension, own) != own) ++kind;
      sets.emplace_back().kind = kind;
      begins.push_back(i);
    }
    Lineage& lineage = lineages[paths[i]];
    TextSet& set = sets.back();
    set.samples.insert(set.samples.end(), lineage.samples.begin(),
                       lineage.samples.end());
    std::vector<uint32_t>().swap(lineage.samples);
    set.bytes += list.sizes[lineage.blobs[Lineage::kNewest]] +
                 lineage.all_bytes / kVersionPart;
  }
  begins.push_back(paths.size());
  for (TextSet& set : sets) SortSamples(set.samples);
  auto next = order.begin();
  for (const uint32_t set : OrderBySharedText(sets)) {
    next = std::copy(paths.begin() + begins[set],
                     paths.begin() + begins[set + 1], next);
  }
}

}  // namespace

Result<Lineages> GroupLineages(ObjectSource& source, const ObjectList& list,
                               uint64_t max_size, const RunOptions& run) {
  IndexedVector<PathPosition, PathNumber> order = SortPaths(list.path_table);
  IndexedVector<PathNumber, PathPosition> positions(order.size());
  for (const PathPosition i : order.indexes()) positions[order[i]] = i;

  IndexedVector<PathNumber, Lineage> lineages = FindLineages(list, max_size);
  ZPACK_TRY(ExamineLineages(source, list, order, lineages, run));
  Groups groups(positions);
  const auto shares = JoinSimilar(order, lineages, groups);

  Lineages result;
  result.positions.resize(order.size());
  result.incompressible.resize(order.size());
  result.takes_turns.resize(order.size());
  for (const PathNumber path : list.path_table.numbers()) {
    result.incompressible[path] =
        lineages[path].incompressible && !shares[path];
    result.takes_turns[path] = lineages[path].takes_turns;
  }
  std::ranges::sort(order.raw(), {}, [&](PathNumber path) {
    return std::tuple(positions[groups.Find(path)], positions[path]);
  });
  OrderGroups(list, groups, lineages, order);
  for (const PathPosition i : order.indexes()) result.positions[order[i]] = i;
  result.groups.resize(order.size());
  for (const PathNumber path : order) {
    result.groups[path] = result.positions[groups.Find(path)];
  }
  return result;
}

}  // namespace zpack
