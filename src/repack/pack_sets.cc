// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/pack_sets.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

bool IsNamed(const std::string& pack, const std::string& keep) {
  return keep == pack || keep == pack + ".pack";
}

// True if an option names the pack.
bool IsNamed(const RepackJob& job, const PackFiles& pack) {
  return std::ranges::any_of(
      job.options.keep_packs,
      [&](const std::string& name) { return IsNamed(pack.name, name); });
}

bool PacksKept(const RepackJob& job) {
  return job.options.kept_objects
             ? *job.options.kept_objects == KeptObjects::kPack
             : job.settings.pack_kept_objects;
}

// As in Git, a name without a pack has no effect.
void WarnOfNames(const RepackJob& job, const std::vector<PackFiles>& packs,
                 std::vector<std::string>& warnings) {
  for (const std::string& name : job.options.keep_packs) {
    if (std::ranges::none_of(packs, [&](const PackFiles& pack) {
          return IsNamed(pack.name, name);
        })) {
      warnings.push_back(FormatMessage("no pack '{}' in '{}'", name,
                                       AtPath{job.settings.object_directory}));
    }
  }
}

// Finds the packs that may be rolled up, and sorts them into both geometries.
class GeometryFinder {
 public:
  explicit GeometryFinder(const RepackJob& job) : job_(job) {}

  Status AddOwn(const std::vector<PackFiles>& packs) {
    for (const PackFiles& pack : packs) {
      if (IsKept(pack)) kept_.insert(pack.name);
      if (!MayRollUp(pack)) continue;
      ZPACK_ASSIGN_OR_RETURN(ObjectIdTable ids, ReadIds(job_.store, {pack}));
      Add({pack, std::move(ids), true});
    }
    return {};
  }

  Status AddAlternates() {
    if (job_.options.borrowed == Borrowed::kLeave) return {};
    ZPACK_ASSIGN_OR_RETURN(const auto alternates, job_.store.OpenAlternates());
    if (alternates == nullptr) return {};
    ZPACK_ASSIGN_OR_RETURN(const auto packs,
                           alternates->ListPacks(AlternatePacks::kAll));
    for (const AlternatePack& pack : packs) {
      // As in Git, the name of an own pack that is kept counts, too.
      if (MayRollUp(pack.files) && !kept_.contains(pack.files.name)) {
        Add({pack.files, pack.ids, false});
      }
    }
    return {};
  }

  // Divides `packs`, the own ones.
  Result<PackSets> Divide(const std::vector<PackFiles>& packs) {
    PackSets sets;
    const int32_t factor = job_.options.geometric;
    ZPACK_ASSIGN_OR_RETURN(sets.usual, FindGeometry(std::move(usual_), factor));
    ZPACK_ASSIGN_OR_RETURN(sets.promisor,
                           FindGeometry(std::move(promisor_), factor));
    for (const PackFiles& pack : packs) {
      if (IsKept(pack) || IsIn(sets.usual.left(), pack)) {
        sets.kept.push_back(pack);
      } else if (!pack.keep && (IsIn(sets.usual.rolled_up(), pack) ||
                                IsIn(sets.promisor.rolled_up(), pack))) {
        sets.rewritten.push_back(pack);
      } else {
        sets.staying.push_back(pack);
      }
    }
    return sets;
  }

 private:
  static bool IsIn(std::span<const GeometricPack> packs,
                   const PackFiles& pack) {
    return std::ranges::any_of(packs, [&](const GeometricPack& other) {
      return other.own && other.files == pack;
    });
  }
  bool IsKept(const PackFiles& pack) const {
    return (pack.keep && !PacksKept(job_)) || IsNamed(job_, pack);
  }
  bool MayRollUp(const PackFiles& pack) const {
    return !pack.cruft && (PacksKept(job_) || !IsKept(pack));
  }
  void Add(GeometricPack pack) {
    (pack.files.promisor ? promisor_ : usual_).push_back(std::move(pack));
  }

  const RepackJob& job_;
  std::set<std::string> kept_;  // names of own packs
  std::vector<GeometricPack> usual_;
  std::vector<GeometricPack> promisor_;
};

Result<PackSets> DivideGeometric(const RepackJob& job,
                                 const std::vector<PackFiles>& packs) {
  GeometryFinder finder(job);
  ZPACK_TRY(finder.AddOwn(packs));
  ZPACK_TRY(finder.AddAlternates());
  return finder.Divide(packs);
}

}  // namespace

Result<PackSets> DividePacks(const RepackJob& job,
                             std::vector<std::string>& warnings) {
  const RepackOptions& options = job.options;
  ZPACK_ASSIGN_OR_RETURN(const auto packs, job.store.ListPacks());
  WarnOfNames(job, packs, warnings);
  if (options.geometric != 0) return DivideGeometric(job, packs);
  PackSets sets;
  for (const PackFiles& pack : packs) {
    const bool keep = (pack.keep && !PacksKept(job)) || IsNamed(job, pack);
    // Git keeps unreachable objects in cruft packs on purpose, and removes no
    // pack whose name is too short for a hash.
    const bool stays =
        pack.keep ||
        pack.name.size() < 2 * ObjectIdWidth(job.store.object_format()) ||
        (pack.cruft && options.unreachable == Unreachable::kDrop &&
         options.objects == ObjectSet::kReachable);
    (keep ? sets.kept : stays ? sets.staying : sets.rewritten).push_back(pack);
  }
  return sets;
}

Result<ObjectIdTable> ReadIds(PackStore& store,
                              const std::vector<PackFiles>& packs) {
  Bytes all;
  for (const PackFiles& pack : packs) {
    const Result<ObjectIdTable> ids = store.ReadIds(pack.name);
    if (ids) {
      Append(all, ids->bytes());
    } else if (ids.error().code != ErrorCode::kNotFound) {
      return std::unexpected(ids.error());
    }
  }
  return ObjectIdTable::FromUnsorted(store.object_format(), std::move(all));
}

Result<ObjectIdTable> ReadWholeIds(PackStore& store,
                                   const std::vector<PackFiles>& packs) {
  Bytes all;
  for (const PackFiles& pack : packs) {
    const auto ids = store.ReadIds(pack.name);
    if (ids && store.IsWhole(pack.name)) Append(all, ids->bytes());
  }
  return ObjectIdTable::FromUnsorted(store.object_format(), std::move(all));
}

Result<std::vector<PackFiles>> PacksWith(PackStore& store,
                                         const std::vector<PackFiles>& packs,
                                         const ObjectIdTable& ids) {
  std::vector<PackFiles> with;
  for (const PackFiles& pack : packs) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable own, ReadIds(store, {pack}));
    if (RanksOnlyIn(own, ids).size() != own.size()) with.push_back(pack);
  }
  return with;
}

void RemoveNamed(const std::vector<std::string>& names,
                 std::vector<PackFiles>& packs) {
  std::erase_if(packs, [&](const PackFiles& pack) {
    return std::ranges::find(names, pack.name) != names.end();
  });
}

}  // namespace zpack
