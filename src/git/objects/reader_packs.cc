// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Packs that our readers read as far as they can.

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "git/objects/fallback_packs.h"
#include "object/content_stream.h"

namespace zpack {
namespace {

// `content` has an unspecified value after an error.
Status ReadOfAnySize(PackReader& pack, PackRank rank, Bytes& content) {
  Status read = pack.Read(rank, content);
  if (!read && (read.error().code == ErrorCode::kUnsupported ||
                read.error().code == ErrorCode::kLimitExceeded)) {
    read = pack.ReadLarge(rank, content);
  }
  return read;
}

class ReaderPacks final : public FallbackPacks {
 public:
  ReaderPacks(std::string path, std::shared_ptr<const PackedObjects> packs)
      : path_(std::move(path)), packs_(std::move(packs)) {}

  Result<ObjectIdTable> List() const override {
    const auto& refused = packs_->refused();
    return MakeError(
        ErrorCode::kSourceCorrupt, "cannot list the objects of '{}': {}",
        AtPath{path_},
        MessageText{refused ? refused->message : "a pack index is bad"});
  }

  Result<ObjectInfo> ReadInfo(const ObjectId& id) const override {
    const auto at = packs_->Find(id);
    if (!at) return Missing(id);
    return at->pack->Info(at->rank);
  }

  Result<ObjectType> Read(const ObjectId& id, Bytes& content) const override {
    std::optional<Error> damage;
    for (const PackNumber number : packs_->readers().indexes()) {
      PackReader& pack = *packs_->readers()[number];
      const auto rank = pack.ids().Find(id);
      if (!rank) continue;
      const Status read = ReadOfAnySize(pack, *rank, content);
      if (read) return pack.Info(*rank).type;
      if (!damage) damage = Damage(id, packs_->path(number), read.error());
    }
    if (damage) return std::unexpected(*std::move(damage));
    return Missing(id);
  }

  // The caller has tried to read in pieces what can be read so.
  Result<std::unique_ptr<ObjectStream>> OpenStream(
      const ObjectId& id) const override {
    Bytes content;
    ZPACK_ASSIGN_OR_RETURN(const ObjectType type, Read(id, content));
    return std::make_unique<ContentStream>(std::move(content), type);
  }

 private:
  Error Damage(const ObjectId& id, const std::string& pack,
               const Error& error) const {
    if (error.code == ErrorCode::kIo) return error;
    return {
        ErrorCode::kSourceCorrupt,
        FormatMessage("cannot read object {} of '{}' in '{}.pack': {}", id,
                      AtPath{path_}, AtPath{pack}, MessageText{error.message})};
  }

  // A pack that was refused may have the object.
  std::unexpected<Error> Missing(const ObjectId& id) const {
    if (const auto& refused = packs_->refused()) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "cannot read object {} of '{}': {}", id, AtPath{path_},
                       MessageText{refused->message});
    }
    return MakeError(ErrorCode::kNotFound, "object {} is missing from '{}'", id,
                     AtPath{path_});
  }

  std::string path_;
  std::shared_ptr<const PackedObjects> packs_;
};

}  // namespace

std::unique_ptr<FallbackPacks> MakeReaderPacks(
    std::string path, std::shared_ptr<const PackedObjects> packs) {
  return std::make_unique<ReaderPacks>(std::move(path), std::move(packs));
}

}  // namespace zpack
