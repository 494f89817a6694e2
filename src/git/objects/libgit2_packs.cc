// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Packs that libgit2 reads.

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "git/libgit2.h"
#include "git/libgit2_allocator.h"
#include "git/objects/fallback_packs.h"

namespace zpack {
namespace {

Result<ObjectType> ToObjectType(git_object_t type, const ObjectId& id) {
  switch (type) {
    case GIT_OBJECT_COMMIT:
      return ObjectType::kCommit;
    case GIT_OBJECT_TREE:
      return ObjectType::kTree;
    case GIT_OBJECT_BLOB:
      return ObjectType::kBlob;
    case GIT_OBJECT_TAG:
      return ObjectType::kTag;
    default:
      return MakeError(ErrorCode::kSourceCorrupt, "object {} has no valid type",
                       id);
  }
}

// A whole object of a pack, read by libgit2.
class PackedObjectStream final : public ObjectStream {
 public:
  PackedObjectStream(OdbObjectHandle object, ObjectInfo info)
      : object_(std::move(object)), info_(info) {}

  const ObjectInfo& info() const override { return info_; }

  // REQUIRES: all reads together ask for at most info().size bytes.
  Status Read(std::span<uint8_t> out) override {
    const auto* const data =
        static_cast<const uint8_t*>(git_odb_object_data(object_.get()));
    std::copy_n(data + position_, out.size(), out.begin());
    position_ += out.size();
    return {};
  }

 private:
  OdbObjectHandle object_;
  ObjectInfo info_;
  size_t position_ = 0;
};

class Libgit2Packs final : public FallbackPacks {
 public:
  Libgit2Packs(std::string path, OdbHandle packs)
      : path_(std::move(path)), packs_(std::move(packs)) {}

  Result<ObjectIdTable> List() const override;
  Result<ObjectInfo> ReadInfo(const ObjectId& id) const override;
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) const override;
  Result<std::unique_ptr<ObjectStream>> OpenStream(
      const ObjectId& id) const override;

 private:
  // Converts a return code of libgit2 to an error about the object `id`.
  std::unexpected<Error> PackError(int code, const ObjectId& id) const;
  Result<OdbObjectHandle> ReadObject(const ObjectId& id) const;

  std::string path_;
  OdbHandle packs_;
};

std::unexpected<Error> Libgit2Packs::PackError(int code,
                                               const ObjectId& id) const {
  if (code == GIT_ENOTFOUND) {
    return MakeError(ErrorCode::kNotFound, "object {} is missing from '{}'", id,
                     AtPath{path_});
  }
  return MakeError(ErrorCode::kSourceCorrupt,
                   "cannot read object {} of '{}': {}", id, AtPath{path_},
                   LastLibgit2Message());
}

Result<ObjectIdTable> Libgit2Packs::List() const {
  Bytes ids;
  const auto add = [](const git_oid* id, void* payload) {
    // libgit2 < 1.6: has no GIT_OID_SHA1_SIZE, the newer name.
    Append(*static_cast<Bytes*>(payload), {id->id, GIT_OID_RAWSZ});
    return 0;
  };
  if (git_odb_foreach(packs_.get(), add, &ids) != 0) {
    return MakeError(ErrorCode::kGit, "cannot list the objects of '{}': {}",
                     AtPath{path_}, LastLibgit2Message());
  }
  return ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(ids));
}

Result<ObjectInfo> Libgit2Packs::ReadInfo(const ObjectId& id) const {
  PrepareLibgit2Thread();
  const git_oid oid = ToGitOid(id);
  size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  const int code = git_odb_read_header(&size, &type, packs_.get(), &oid);
  if (code != 0) return PackError(code, id);
  ZPACK_ASSIGN_OR_RETURN(const ObjectType known_type, ToObjectType(type, id));
  return ObjectInfo{known_type, size};
}

Result<OdbObjectHandle> Libgit2Packs::ReadObject(const ObjectId& id) const {
  PrepareLibgit2Thread();
  const git_oid oid = ToGitOid(id);
  git_odb_object* object = nullptr;
  const int code = git_odb_read(&object, packs_.get(), &oid);
  if (code != 0) return PackError(code, id);
  return OdbObjectHandle(object);
}

Result<ObjectType> Libgit2Packs::Read(const ObjectId& id,
                                      Bytes& content) const {
  ZPACK_ASSIGN_OR_RETURN(const OdbObjectHandle object, ReadObject(id));
  const size_t size = git_odb_object_size(object.get());
  const auto* const data =
      static_cast<const uint8_t*>(git_odb_object_data(object.get()));
  content.resize(size);
  std::copy_n(data, size, content.begin());
  return ToObjectType(git_odb_object_type(object.get()), id);
}

Result<std::unique_ptr<ObjectStream>> Libgit2Packs::OpenStream(
    const ObjectId& id) const {
  ZPACK_ASSIGN_OR_RETURN(OdbObjectHandle object, ReadObject(id));
  ZPACK_ASSIGN_OR_RETURN(const ObjectType known_type,
                         ToObjectType(git_odb_object_type(object.get()), id));
  const ObjectInfo info{known_type, git_odb_object_size(object.get())};
  return std::make_unique<PackedObjectStream>(std::move(object), info);
}

}  // namespace

Result<std::unique_ptr<FallbackPacks>> OpenLibgit2Packs(
    std::string path, const std::vector<std::string>& object_directories) {
  // git_repository_odb() is not used: it interprets relative alternates
  // differently from Git, silently ignores missing alternates, and never
  // returns from a truncated loose object.
  git_odb* raw = nullptr;
  if (git_odb_new(&raw) != 0) {
    return MakeError(ErrorCode::kGit, "{}", LastLibgit2Message());
  }
  OdbHandle packs(raw);
  for (const std::string& directory : object_directories) {
    git_odb_backend* backend = nullptr;
    // The object database owns its backends.
    if (git_odb_backend_pack(&backend, directory.c_str()) != 0 ||
        git_odb_add_backend(packs.get(), backend, 1) != 0) {
      return MakeError(ErrorCode::kGit, "cannot open the packs of '{}': {}",
                       AtPath{directory}, LastLibgit2Message());
    }
  }
  return std::make_unique<Libgit2Packs>(std::move(path), std::move(packs));
}

}  // namespace zpack
