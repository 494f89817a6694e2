// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/lineage_grouper.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "codec/compressibility.h"
#include "delta/sketch_index.h"
#include "object/path_table.h"

namespace zpack {
namespace {

// Blobs are similar if they agree in at least this many of kSketchFeatures
// features. Compared with no grouping, the blobs of git.git are 6.5 % smaller
// with 3, and 5.4 % smaller with 4.
constexpr unsigned kAlike = 3;
// Lineages read at a time by one thread.
constexpr uint64_t kGrain = 16;

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

// The blobs of one path.
struct Lineage {
  static constexpr ListRank kNone{0xffffffff};
  ListRank newest = kNone;
  ListRank oldest = kNone;
  // Sketches of the newest and the oldest blob, once read.
  std::array<ContentSketch, 2> sketches;
  bool incompressible = false;
};

IndexedVector<PathNumber, Lineage> FindLineages(const ObjectList& list,
                                                uint64_t max_size) {
  IndexedVector<PathNumber, Lineage> lineages(list.path_table.size());
  for (const ListRank rank : list.ids.ranks()) {
    if (list.types[rank] != ObjectType::kBlob || !list.met(rank) ||
        list.sizes[rank] > max_size) {
      continue;
    }
    Lineage& lineage = lineages[list.paths[rank]];
    if (lineage.newest == Lineage::kNone) {
      lineage.newest = lineage.oldest = rank;
    } else if (list.visits[rank] < list.visits[lineage.newest]) {
      lineage.newest = rank;
    } else if (list.visits[rank] > list.visits[lineage.oldest]) {
      lineage.oldest = rank;
    }
  }
  return lineages;
}

// Bytes that Examine reads.
uint64_t ExaminedBytes(const ObjectList& list, const Lineage& lineage) {
  if (lineage.newest == Lineage::kNone) return 0;
  const uint64_t newest = list.sizes[lineage.newest];
  return lineage.oldest == lineage.newest ? newest
                                          : newest + list.sizes[lineage.oldest];
}

Status Examine(ObjectSource& source, const ObjectList& list,
               Compressibility& compressibility, Lineage& lineage) {
  if (lineage.newest == Lineage::kNone) return {};
  Bytes content;
  ZPACK_TRY(source.Read(list.ids[lineage.newest], content));
  lineage.sketches[0] = MakeSketch(content);
  ZPACK_ASSIGN_OR_RETURN(lineage.incompressible,
                         compressibility.IsIncompressible(content));
  if (lineage.oldest == lineage.newest) return {};
  ZPACK_TRY(source.Read(list.ids[lineage.oldest], content));
  lineage.sketches[1] = MakeSketch(content);
  ZPACK_ASSIGN_OR_RETURN(const bool incompressible,
                         compressibility.IsIncompressible(content));
  lineage.incompressible = lineage.incompressible && incompressible;
  return {};
}

bool AreAlike(const ContentSketch& a, const ContentSketch& b) {
  if (!a.valid || !b.valid) return false;
  unsigned same = 0;
  for (size_t i = 0; i < kSketchFeatures; ++i) {
    same += a.features[i] == b.features[i] ? 1 : 0;
  }
  return same >= kAlike;
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

}  // namespace

Result<Lineages> GroupLineages(ObjectSource& source, const ObjectList& list,
                               uint64_t max_size, const RunOptions& run) {
  IndexedVector<PathPosition, PathNumber> order = SortPaths(list.path_table);
  IndexedVector<PathNumber, PathPosition> positions(order.size());
  for (const PathPosition i : order.indexes()) positions[order[i]] = i;

  IndexedVector<PathNumber, Lineage> lineages = FindLineages(list, max_size);
  uint64_t total_bytes = 0;
  for (const Lineage& lineage : lineages) {
    total_bytes += ExaminedBytes(list, lineage);
  }
  const ProgressPhase phase(run.progress, Phase::kGroupingPaths, order.size(),
                            total_bytes);
  const Status examined = ParallelFor(
      ResolveThreads(run.threads), run.stop, order.size(), kGrain,
      [&](uint64_t begin, uint64_t end) -> Status {
        Compressibility compressibility;
        uint64_t bytes = 0;
        for (uint64_t i = begin; i < end; ++i) {
          Lineage& lineage = lineages[order.raw()[i]];
          ZPACK_TRY(Examine(source, list, compressibility, lineage));
          bytes += ExaminedBytes(list, lineage);
        }
        phase.Advance(end - begin, bytes);
        return {};
      });
  ZPACK_TRY(examined);

  Groups groups(positions);
  SketchIndex<PathNumber> index;
  // By path: true if one of its two blobs is similar to another blob.
  IndexedVector<PathNumber, bool> alike(order.size());
  for (const PathNumber path : order) {
    const Lineage& lineage = lineages[path];
    alike[path] = AreAlike(lineage.sketches[0], lineage.sketches[1]);
    for (const ContentSketch& sketch : lineage.sketches) {
      if (!sketch.valid) continue;
      for (const auto& [other, features] : index.Find(sketch)) {
        if (features < kAlike || other == path) continue;
        groups.Join(path, other);
        alike[path] = alike[other] = true;
      }
      index.Add(sketch, path);
    }
  }

  Lineages result;
  result.positions.resize(order.size());
  result.incompressible.resize(order.size());
  for (const PathNumber path : list.path_table.numbers()) {
    result.incompressible[path] = lineages[path].incompressible && !alike[path];
  }
  std::ranges::sort(order.raw(), {}, [&](PathNumber path) {
    return std::tuple(positions[groups.Find(path)], positions[path]);
  });
  for (const PathPosition i : order.indexes()) result.positions[order[i]] = i;
  result.groups.resize(order.size());
  for (const PathNumber path : order) {
    result.groups[path] = result.positions[groups.Find(path)];
  }
  return result;
}

}  // namespace zpack
