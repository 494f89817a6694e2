// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/fallback_packs.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "object/content_stream.h"

namespace zpack {
namespace {

// Beside the packs that readers keep open.
constexpr size_t kMaxOpenLookups = 8;

}  // namespace

FallbackPacks::FallbackPacks(ObjectFormat format, std::string path,
                             const std::vector<std::string>& packs,
                             std::shared_ptr<const PackedObjects> readers,
                             const FallbackOptions& options)
    : format_(format),
      path_(std::move(path)),
      readers_(std::move(readers)),
      options_(options) {
  if (packs.size() > kMaxOpenLookups) {
    pool_.emplace(PosixFileSystem(), kMaxOpenLookups);
  }
  packs_.reserve(packs.size());
  for (const std::string& pack : packs) {
    packs_.push_back({.path = pack, .reader = readers_->ReaderOf(pack)});
  }
}

Result<std::unique_ptr<PackLookup>> FallbackPacks::MakeLookup(
    const std::string& pack) const {
  const std::string path = pack + ".pack";
  ZPACK_ASSIGN_OR_RETURN(auto file, pool_
                                        ? pool_->Open(path)
                                        : PosixFileSystem().OpenForRead(path));
  ZPACK_ASSIGN_OR_RETURN(
      PackIndex index,
      ReadPackIndex(format_, PosixFileSystem(), pack + ".idx"));
  if (options_.unmatched == UnmatchedPacks::kRead) {
    return PackLookup::CreateUnchecked(std::move(index), std::move(file),
                                       options_.max_object);
  }
  return PackLookup::Create(std::move(index), std::move(file),
                            options_.max_object);
}

void FallbackPacks::Open(Pack& pack) const {
  if (pack.lookup != nullptr) return;
  // What the system refuses now, it may allow later.
  if (pack.problem && pack.problem->code != ErrorCode::kIo) return;
  auto opened = MakeLookup(pack.path);
  if (opened) {
    pack.lookup = *std::move(opened);
    pack.problem.reset();
  } else {
    pack.problem = std::move(opened).error();
  }
}

Result<ObjectIdTable> FallbackPacks::ReadIds(const std::string& pack) const {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = std::ranges::find(packs_, pack, &Pack::path);
    if (known != packs_.end() && known->lookup != nullptr) {
      return known->lookup->ids();
    }
  }
  return ReadPackIndexIds(format_, PosixFileSystem(), pack + ".idx");
}

FallbackPacks::Places FallbackPacks::FindPlaces(const ObjectId& id) const {
  Places places;
  for (Pack& pack : packs_) {
    if (pack.reader != nullptr && !pack.reader->ids().Find(id)) continue;
    {
      const std::scoped_lock lock(mutex_);
      Open(pack);
      // A pack that another process has removed is no problem.
      if (pack.problem && pack.problem->code != ErrorCode::kNotFound) {
        places.refused = pack.problem;
      }
      if (pack.lookup == nullptr) continue;
    }
    const auto rank = pack.lookup->ids().Find(id);
    if (rank) places.all.push_back({&pack, *rank});
  }
  return places;
}

bool FallbackPacks::HasCopies(const Places& places) {
  return places.all.size() > 1 ||
         (places.all.size() == 1 &&
          places.all[0].pack->lookup->HasCopies(places.all[0].rank));
}

template <typename T, typename Use>
Result<T> FallbackPacks::AtOnePlace(const ObjectId& id, const Places& places,
                                    Use use) const {
  std::optional<Error> damage;
  for (const auto& [pack, rank] : places.all) {
    Result<T> result = use(*pack->lookup, rank);
    if (result) return result;
    // Another process has removed the pack.
    if (result.error().code == ErrorCode::kNotFound || damage) continue;
    damage = std::move(result).error();
    if (damage->code == ErrorCode::kIo) continue;
    damage =
        Error{ErrorCode::kSourceCorrupt,
              FormatMessage("cannot read object {} of '{}' in '{}.pack': {}",
                            id, AtPath{path_}, AtPath{pack->path},
                            MessageText{damage->message})};
  }
  if (damage) return std::unexpected(*std::move(damage));
  if (const auto& refused = places.refused) {
    return MakeError(refused->code == ErrorCode::kIo
                         ? ErrorCode::kIo
                         : ErrorCode::kSourceCorrupt,
                     "cannot read object {} of '{}': {}", id, AtPath{path_},
                     MessageText{refused->message});
  }
  return MakeError(ErrorCode::kNotFound, "object {} is missing from '{}'", id,
                   AtPath{path_});
}

Result<ObjectIdTable> FallbackPacks::List() const {
  std::vector<ObjectIdTable> tables;
  const std::scoped_lock lock(mutex_);
  for (Pack& pack : packs_) {
    Open(pack);
    if (pack.lookup != nullptr) {
      tables.push_back(pack.lookup->ids());
    } else if (pack.problem->code != ErrorCode::kNotFound) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "cannot list the objects of '{}': {}", AtPath{path_},
                       MessageText{pack.problem->message});
    }
  }
  return ObjectIdTable::Merge(format_, tables);
}

Result<ObjectInfo> FallbackPacks::ReadInfo(const ObjectId& id) const {
  const Places places = FindPlaces(id);
  return AtOnePlace<ObjectInfo>(
      id, places,
      [&](const PackLookup& pack, PackRank rank) -> Result<ObjectInfo> {
        if (!HasCopies(places)) return pack.ReadInfo(rank);
        Bytes content;
        ZPACK_ASSIGN_OR_RETURN(const ObjectType type, pack.Read(rank, content));
        return ObjectInfo{type, content.size()};
      });
}

Result<ObjectType> FallbackPacks::Read(const ObjectId& id,
                                       Bytes& content) const {
  return AtOnePlace<ObjectType>(id, FindPlaces(id),
                                [&](const PackLookup& pack, PackRank rank) {
                                  return pack.Read(rank, content);
                                });
}

Result<std::vector<FallbackPacks::Delta>> FallbackPacks::Deltas(
    const ObjectId& id) const {
  std::vector<Delta> deltas;
  for (const auto& [pack, rank] : FindPlaces(id).all) {
    ZPACK_ASSIGN_OR_RETURN(const auto entries, pack->lookup->Deltas(rank));
    for (const PackLookup::DeltaEntry& entry : entries) {
      deltas.push_back({pack->lookup.get(), entry});
    }
  }
  return deltas;
}

Result<std::unique_ptr<ObjectStream>> FallbackPacks::OpenStream(
    const ObjectId& id) const {
  using Stream = std::unique_ptr<ObjectStream>;
  const Places places = FindPlaces(id);
  return AtOnePlace<Stream>(
      id, places, [&](const PackLookup& pack, PackRank rank) -> Result<Stream> {
        if (!HasCopies(places)) return pack.OpenStream(rank);
        Bytes content;
        ZPACK_ASSIGN_OR_RETURN(const ObjectType type, pack.Read(rank, content));
        return std::make_unique<ContentStream>(std::move(content), type);
      });
}

}  // namespace zpack
