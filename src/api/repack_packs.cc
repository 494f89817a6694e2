// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "api/repack_packs.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

bool Names(const std::string& pack, const std::string& keep) {
  return keep == pack || keep == pack + ".pack";
}

}  // namespace

Result<PackSets> DividePacks(const RepackSettings& settings,
                             const RepackOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(const auto packs,
                         ListPacks(settings.object_directory));
  const bool packs_kept = options.kept_objects
                              ? *options.kept_objects == KeptObjects::kPack
                              : settings.pack_kept_objects;
  PackSets sets;
  for (const StockPackFiles& pack : packs) {
    const bool keep =
        (pack.keep && !packs_kept) ||
        std::ranges::any_of(options.keep_packs, [&](const std::string& name) {
          return Names(pack.name, name);
        });
    // Git keeps unreachable objects in cruft packs on purpose, and removes no
    // pack whose name is too short for a hash.
    const bool stays =
        pack.keep ||
        pack.name.size() < 2 * ObjectIdWidth(ObjectFormat::kSha1) ||
        (pack.cruft && options.unreachable == Unreachable::kDrop &&
         options.objects == ObjectSet::kReachable);
    (keep ? sets.kept : stays ? sets.staying : sets.rewritten).push_back(pack);
  }
  for (const std::string& name : options.keep_packs) {
    if (std::ranges::none_of(packs, [&](const StockPackFiles& pack) {
          return Names(pack.name, name);
        })) {
      return MakeError(ErrorCode::kNotFound, "no pack '{}' in '{}'", name,
                       settings.object_directory);
    }
  }
  return sets;
}

Result<ObjectIdTable> ReadIds(FileSystem& file_system,
                              const RepackSettings& settings,
                              const std::vector<StockPackFiles>& packs) {
  Bytes all;
  for (const StockPackFiles& pack : packs) {
    const Result<ObjectIdTable> ids =
        ReadPackIds(file_system, settings.object_directory, pack.name);
    if (ids) {
      Append(all, ids->bytes());
    } else if (ids.error().code != ErrorCode::kNotFound) {
      return std::unexpected(ids.error());
    }
  }
  return ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(all));
}

Result<ObjectIdTable> ReadWholeIds(FileSystem& file_system,
                                   const RepackSettings& settings,
                                   const std::vector<StockPackFiles>& packs) {
  Bytes all;
  for (const StockPackFiles& pack : packs) {
    const auto ids =
        ReadPackIds(file_system, settings.object_directory, pack.name);
    if (ids && IsPackWhole(file_system, settings.object_directory, pack.name)) {
      Append(all, ids->bytes());
    }
  }
  return ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(all));
}

Result<std::vector<StockPackFiles>> PacksWith(
    FileSystem& file_system, const RepackSettings& settings,
    const std::vector<StockPackFiles>& packs, const ObjectIdTable& ids) {
  std::vector<StockPackFiles> with;
  for (const StockPackFiles& pack : packs) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable own,
                           ReadIds(file_system, settings, {pack}));
    const auto only_in_own = FindDifference(own, ids).only_in_a;
    if (only_in_own.size() != own.size()) with.push_back(pack);
  }
  return with;
}

Result<ObjectIdTable> Without(const ObjectIdTable& ids,
                              const ObjectIdTable& others) {
  Bytes rest;
  for (const uint32_t rank : FindDifference(ids, others).only_in_a) {
    Append(rest, ids[rank].bytes());
  }
  return ObjectIdTable::FromSorted(ids.format(), std::move(rest));
}

Result<ObjectIdTable> Join(const ObjectIdTable& a, const ObjectIdTable& b) {
  Bytes all(a.bytes().begin(), a.bytes().end());
  Append(all, b.bytes());
  return ObjectIdTable::FromUnsorted(a.format(), std::move(all));
}

}  // namespace zpack
