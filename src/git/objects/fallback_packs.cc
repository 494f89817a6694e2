// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/fallback_packs.h"

#include <utility>

#include "base/error.h"
#include "base/file.h"

namespace zpack {

FallbackPacks::FallbackPacks(ObjectFormat format, std::string path,
                             const std::vector<std::string>& packs,
                             std::shared_ptr<const PackedObjects> readers)
    : format_(format), path_(std::move(path)), readers_(std::move(readers)) {
  if (packs.size() > PackedObjects::kMaxOpenPacks) {
    pool_.emplace(PosixFileSystem(), PackedObjects::kMaxOpenPacks);
  }
  packs_.reserve(packs.size());
  for (const std::string& pack : packs) packs_.push_back({.path = pack});
  // Both are in one order.
  size_t at = 0;
  for (const PackNumber number : readers_->readers().indexes()) {
    while (at < packs_.size() && packs_[at].path != readers_->path(number))
      ++at;
    if (at < packs_.size())
      packs_[at].reader = readers_->readers()[number].get();
  }
}

Result<std::unique_ptr<PackLookup>> FallbackPacks::MakeLookup(
    const std::string& pack) const {
  ZPACK_ASSIGN_OR_RETURN(
      PackIndex index,
      ReadPackIndex(format_, PosixFileSystem(), pack + ".idx"));
  const std::string path = pack + ".pack";
  ZPACK_ASSIGN_OR_RETURN(auto file, pool_
                                        ? pool_->Open(path)
                                        : PosixFileSystem().OpenForRead(path));
  return PackLookup::Create(std::move(index), std::move(file));
}

void FallbackPacks::Open(Pack& pack) const {
  if (pack.lookup != nullptr || pack.problem) return;
  auto opened = MakeLookup(pack.path);
  if (opened) {
    pack.lookup = *std::move(opened);
  } else {
    pack.problem = std::move(opened).error();
  }
}

template <typename T, typename Use>
Result<T> FallbackPacks::Find(const ObjectId& id, Use use) const {
  std::optional<Error> damage;
  std::optional<Error> refused;
  for (Pack& pack : packs_) {
    if (pack.reader != nullptr && !pack.reader->ids().Find(id)) continue;
    {
      const std::scoped_lock lock(mutex_);
      Open(pack);
    }
    if (pack.problem) {
      // A pack that another process has removed is no problem.
      if (pack.problem->code != ErrorCode::kNotFound) refused = pack.problem;
      continue;
    }
    const auto rank = pack.lookup->ids().Find(id);
    if (!rank) continue;
    Result<T> result = use(*pack.lookup, *rank);
    if (result) return result;
    // Another process has removed the pack.
    if (result.error().code == ErrorCode::kNotFound || damage) continue;
    damage = std::move(result).error();
    if (damage->code == ErrorCode::kIo) continue;
    damage =
        Error{ErrorCode::kSourceCorrupt,
              FormatMessage("cannot read object {} of '{}' in '{}.pack': {}",
                            id, AtPath{path_}, AtPath{pack.path},
                            MessageText{damage->message})};
  }
  if (damage) return std::unexpected(*std::move(damage));
  if (!refused) {
    return MakeError(ErrorCode::kNotFound, "object {} is missing from '{}'", id,
                     AtPath{path_});
  }
  return MakeError(refused->code == ErrorCode::kIo ? ErrorCode::kIo
                                                   : ErrorCode::kSourceCorrupt,
                   "cannot read object {} of '{}': {}", id, AtPath{path_},
                   MessageText{refused->message});
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
  return Find<ObjectInfo>(id, [](const PackLookup& pack, PackRank rank) {
    return pack.ReadInfo(rank);
  });
}

Result<ObjectType> FallbackPacks::Read(const ObjectId& id,
                                       Bytes& content) const {
  return Find<ObjectType>(id, [&](const PackLookup& pack, PackRank rank) {
    return pack.Read(rank, content);
  });
}

Result<std::unique_ptr<ObjectStream>> FallbackPacks::OpenStream(
    const ObjectId& id) const {
  return Find<std::unique_ptr<ObjectStream>>(
      id, [](const PackLookup& pack, PackRank rank) {
        return pack.OpenStream(rank);
      });
}

}  // namespace zpack
