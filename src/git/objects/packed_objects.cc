// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/packed_objects.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "pack/pack_file_pool.h"
#include "pack/pack_index.h"

namespace zpack {
namespace {

// With more packs, a merged table finds an object faster than a search of one
// pack after another.
constexpr size_t kMaxSearchedPacks = 16;

// Many systems limit a process to 1,024 open files. If this one may open few,
// most are left for others.
size_t MostOpenPacks() {
  constexpr rlim_t kMost = 64;
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return kMost;
  return std::clamp<rlim_t>(files.rlim_cur / 4, 1, kMost);
}

Result<std::unique_ptr<PackReader>> OpenPooled(
    ObjectFormat format, const std::string& pack, PackFilePool& pool,
    const std::shared_ptr<BaseCache>& cache, unsigned threads) {
  ZPACK_ASSIGN_OR_RETURN(
      PackIndex index, ReadPackIndex(format, PosixFileSystem(), pack + ".idx"));
  ZPACK_ASSIGN_OR_RETURN(auto file, pool.Open(pack + ".pack"));
  return PackReader::Create(std::move(index), std::move(file), cache, threads);
}

}  // namespace

Result<PackedObjects> PackedObjects::Open(
    ObjectFormat format, const std::vector<std::string>& packs,
    const std::shared_ptr<BaseCache>& cache, unsigned threads) {
  PackedObjects objects;
  const size_t most_open = MostOpenPacks();
  PackFilePool pool(PosixFileSystem(), most_open);
  for (const std::string& pack : packs) {
    auto reader =
        packs.size() <= most_open
            ? PackReader::Open(format, PosixFileSystem(), pack, cache, threads)
            : OpenPooled(format, pack, pool, cache, threads);
    if (!reader) {
      if (reader.error().code == ErrorCode::kIo) {
        objects.unreadable_ = std::move(reader).error();
      }
      continue;
    }
    objects.by_path_[pack] = reader->get();
    objects.readers_.push_back(*std::move(reader));
  }
  if (objects.readers_.size() > kMaxSearchedPacks) {
    ZPACK_TRY(objects.MergeIds(format));
  }
  return objects;
}

Status PackedObjects::MergeIds(ObjectFormat format) {
  std::vector<ObjectIdTable> tables;
  tables.reserve(readers_.size());
  for (const auto& reader : readers_) tables.push_back(reader->ids());
  ZPACK_ASSIGN_OR_RETURN(ids_, ObjectIdTable::Merge(format, tables));
  places_.resize(ids_.size());
  // Backwards, so that the first pack with an object is kept.
  for (PackNumber number = readers_.end_index(); number-- != PackNumber();) {
    const PackIds& table = readers_[number]->ids();
    for (const PackRank rank : table.ranks()) {
      places_[*ids_.Find(table[rank])] = {number, rank};
    }
  }
  return {};
}

std::optional<PackedObjects::Place> PackedObjects::Find(
    const ObjectId& id) const {
  if (readers_.size() > kMaxSearchedPacks) {
    const auto at = ids_.Find(id);
    if (!at) return std::nullopt;
    const PackAndRank& place = places_[*at];
    return Place{readers_[place.number].get(), place.number, place.rank};
  }
  for (const PackNumber number : readers_.indexes()) {
    PackReader* const reader = readers_[number].get();
    if (const auto rank = reader->ids().Find(id)) {
      return Place{reader, number, *rank};
    }
  }
  return std::nullopt;
}

}  // namespace zpack
