// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/pack_sets.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

bool IsNamed(const std::string& pack, const std::string& keep) {
  return keep == pack || keep == pack + ".pack";
}

}  // namespace

Result<PackSets> DividePacks(const RepackJob& job) {
  const RepackOptions& options = job.options;
  ZPACK_ASSIGN_OR_RETURN(const auto packs, job.store.ListPacks());
  const bool packs_kept = options.kept_objects
                              ? *options.kept_objects == KeptObjects::kPack
                              : job.settings.pack_kept_objects;
  PackSets sets;
  for (const PackFiles& pack : packs) {
    const bool keep =
        (pack.keep && !packs_kept) ||
        std::ranges::any_of(options.keep_packs, [&](const std::string& name) {
          return IsNamed(pack.name, name);
        });
    // Git keeps unreachable objects in cruft packs on purpose, and removes no
    // pack whose name is too short for a hash.
    const bool stays =
        pack.keep ||
        pack.name.size() < 2 * ObjectIdWidth(job.store.object_format()) ||
        (pack.cruft && options.unreachable == Unreachable::kDrop &&
         options.objects == ObjectSet::kReachable);
    (keep ? sets.kept : stays ? sets.staying : sets.rewritten).push_back(pack);
  }
  for (const std::string& name : options.keep_packs) {
    if (std::ranges::none_of(packs, [&](const PackFiles& pack) {
          return IsNamed(pack.name, name);
        })) {
      return MakeError(ErrorCode::kNotFound, "no pack '{}' in '{}'", name,
                       job.settings.object_directory);
    }
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
    const auto only_in_own = FindDifference(own, ids).only_in_a;
    if (only_in_own.size() != own.size()) with.push_back(pack);
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
