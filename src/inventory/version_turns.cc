// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/version_turns.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/parallel.h"
#include "delta/content_sketch.h"

namespace zpack {
namespace {

// Versions that fit into none of so many families are in the last one.
constexpr size_t kMostFamilies = 64;

// Tells the family of each version of a path, in the order of visits.
class Families {
 public:
  size_t FamilyOf(const ContentSketch& sketch) {
    size_t family = newest_.size();
    unsigned most = 0;
    for (size_t i = 0; i < newest_.size(); ++i) {
      const unsigned shared = SharedFeatures(sketch, newest_[i]);
      if (shared <= most) continue;
      most = shared;
      family = i;
    }
    if (family == kMostFamilies) return family;
    if (family == newest_.size()) newest_.emplace_back();
    newest_[family] = sketch;
    return family;
  }

 private:
  std::vector<ContentSketch> newest_;  // the last version of each family
};

// Sorts the versions of a path by their families, and by visit in each.
Status SortByFamily(ObjectSource& source, const ObjectList& list,
                    std::vector<ListRank>& versions) {
  Families families;
  std::vector<std::pair<size_t, ListRank>> placed;
  Bytes content;
  for (const ListRank rank : versions) {
    ZPACK_TRY(source.Read(list.ids[rank], content));
    placed.emplace_back(families.FamilyOf(MakeSketch(content)), rank);
  }
  std::ranges::stable_sort(placed, {}, &std::pair<size_t, ListRank>::first);
  std::ranges::transform(placed, versions.begin(),
                         &std::pair<size_t, ListRank>::second);
  return {};
}

}  // namespace

Result<ChangedVisits> GatherTurns(
    ObjectSource& source, const ObjectList& list,
    const IndexedVector<PathNumber, bool>& takes_turns, uint64_t max_size,
    const RunOptions& run) {
  std::map<PathNumber, std::vector<ListRank>> by_path;
  for (const ListRank rank : list.ids.ranks()) {
    if (list.types[rank] == ObjectType::kBlob && list.met(rank) &&
        list.sizes[rank] <= max_size && takes_turns[list.paths[rank]]) {
      by_path[list.paths[rank]].push_back(rank);
    }
  }
  std::vector<std::vector<ListRank>> paths;
  paths.reserve(by_path.size());
  for (auto& [path, versions] : by_path) paths.push_back(std::move(versions));
  ChangedVisits changed;
  std::mutex mutex;  // guards it
  const auto gather = [&](uint64_t begin, uint64_t /*end*/) -> Status {
    std::vector<ListRank>& versions = paths[begin];
    const auto visit = [&](ListRank rank) { return list.visits[rank]; };
    std::ranges::sort(versions, {}, visit);
    std::vector<VisitNumber> visits(versions.size());
    std::ranges::transform(versions, visits.begin(), visit);
    ZPACK_TRY(SortByFamily(source, list, versions));
    const std::lock_guard lock(mutex);
    for (size_t i = 0; i < versions.size(); ++i) {
      changed.emplace(versions[i], visits[i]);
    }
    return {};
  };
  ZPACK_TRY(ParallelFor(ResolveThreads(run.threads), run.stop, paths.size(), 1,
                        gather));
  return changed;
}

}  // namespace zpack
