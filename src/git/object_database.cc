// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/object_database.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "git/loose_object.h"
#include "git/pack_directory.h"
#include "git/repository_layout.h"
#include "pack/pack_index.h"

namespace zpack {
namespace {

constexpr ObjectFormat kFormat = ObjectFormat::kSha1;
constexpr size_t kIdWidth = GIT_OID_RAWSZ;

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
                       id.ToHex());
  }
}

// Above, libgit2 takes longer to find a single object than to look into all
// packs takes.
constexpr size_t kMaxLibgit2Packs = 256;

// With more, finding out where an object is takes longer than is gained.
constexpr size_t kMaxPrefetched = 4;

// Where chains of deltas are long, many bases are in use at a time; more of
// them in a larger repository.
constexpr uint64_t kPackBytesPerCached = 8;

// The packs in `object_directories`, without extension. As for Git, an index
// without its pack does not count. kIo when a directory cannot be read.
Result<std::vector<std::string>> IndexedPacks(
    const std::vector<std::string>& object_directories) {
  constexpr std::string_view kExtension = ".idx";
  std::vector<std::string> packs;
  for (const std::string& directory : object_directories) {
    ZPACK_ASSIGN_OR_RETURN(const auto files, ListPackFiles(directory));
    for (const std::string& file : files) {
      if (!IsPackIndexName(file)) continue;
      const std::string name = file.substr(0, file.size() - kExtension.size());
      if (!files.contains(name + ".pack")) continue;
      packs.push_back(PackDirectory(directory) + '/' + name);
    }
  }
  return packs;
}

// Room for the bases of these packs.
std::shared_ptr<BaseCache> MakeCache(
    const std::vector<std::string>& object_directories,
    const ReadingOptions& options) {
  const uint64_t wanted =
      std::max({BaseCache::kDefaultSize,
                PackedFileBytes(object_directories) / kPackBytesPerCached,
                BaseCache::kLeastPerThread * options.threads});
  const uint64_t size = std::min(options.max_cache, wanted);
  // Where that is little, threads wait for each other rather than rebuild
  // whole chains.
  const uint64_t parts = std::clamp<uint64_t>(size / BaseCache::kLeastPerThread,
                                              1, options.threads);
  return std::make_shared<BaseCache>(size, static_cast<unsigned>(parts));
}

// The content of a loose object. Its header is believed as far as content
// follows, so that a small file cannot ask for all memory.
Status ReadWhole(LooseObject& object, Bytes& content) {
  constexpr uint64_t kFirst = uint64_t{16} << 20;
  const uint64_t size = object.info().size;
  content.clear();
  while (content.size() < size) {
    const size_t known = content.size();
    content.resize(std::min(size, std::max<uint64_t>(kFirst, 2 * known)));
    ZPACK_TRY(object.Read(std::span(content).subspan(known)));
  }
  return {};
}

// A whole object of a pack, as libgit2 reads it.
class PackedObjectStream final : public ObjectStream {
 public:
  PackedObjectStream(OdbObjectHandle object, ObjectInfo info)
      : object_(std::move(object)), info_(info) {}

  const ObjectInfo& info() const override { return info_; }

  // REQUIRES: no more is asked for than info().size bytes in all.
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

// One of a pack that we read ourselves.
class PackEntryOfSource final : public ObjectStream {
 public:
  PackEntryOfSource(std::unique_ptr<ObjectStream> entry, const ObjectId& id)
      : entry_(std::move(entry)), id_(id) {}

  const ObjectInfo& info() const override { return entry_->info(); }
  Status Read(std::span<uint8_t> out) override {
    Status read = entry_->Read(out);
    if (read || read.error().code == ErrorCode::kIo) return read;
    return MakeError(ErrorCode::kSourceCorrupt, "object {} is corrupt: {}",
                     id_.ToHex(), MessageText{read.error().message});
  }

 private:
  std::unique_ptr<ObjectStream> entry_;
  ObjectId id_;
};

}  // namespace

Result<ObjectDatabase> ObjectDatabase::Open(
    std::string path, std::vector<std::string> object_directories,
    const ReadingOptions& options) {
  // Not git_repository_odb(): that reads relative alternates differently from
  // Git, drops silently what it does not find, and never returns from a
  // truncated loose object.
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
                       directory, LastLibgit2Message());
    }
  }
  ObjectDatabase database(std::move(path), std::move(object_directories),
                          std::move(packs));
  ZPACK_TRY(database.OpenReaders(options));
  return database;
}

ObjectDatabase::ObjectDatabase(std::string path,
                               std::vector<std::string> directories,
                               OdbHandle packs)
    : path_(std::move(path)),
      directories_(std::move(directories)),
      packs_(std::move(packs)) {}

Status ObjectDatabase::OpenReaders(const ReadingOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(const auto packs, IndexedPacks(directories_));
  if (!options.many_objects && packs.size() <= kMaxLibgit2Packs) return {};
  ZPACK_ASSIGN_OR_RETURN(
      packed_, PackedObjects::Open(packs, MakeCache(directories_, options),
                                   options.threads));
  return {};
}

std::optional<PackedForm> ObjectDatabase::FindPackedForm(
    const ObjectId& id) const {
  const auto at = packed_.Find(id);
  if (!at) return std::nullopt;
  PackedForm form{at->number, {}, at->pack->StoredSize(at->rank)};
  if (const auto base = at->pack->Base(at->rank)) {
    form.base = at->pack->ids()[*base];
  }
  return form;
}

Status ObjectDatabase::CopyPacked(const ObjectId& id,
                                  const PackedSink& sink) const {
  const auto at = packed_.Find(id);
  ZPACK_CHECK(at.has_value());
  return at->pack->Copy(at->rank, sink);
}

std::unexpected<Error> ObjectDatabase::PackError(int code,
                                                 const ObjectId& id) const {
  if (code == GIT_ENOTFOUND) {
    return MakeError(ErrorCode::kNotFound, "object {} is missing from '{}'",
                     id.ToHex(), path_);
  }
  return MakeError(ErrorCode::kSourceCorrupt,
                   "cannot read object {} of '{}': {}", id.ToHex(), path_,
                   LastLibgit2Message());
}

Result<ObjectIdTable> ObjectDatabase::ListPacked() const {
  // Those that are there now: what was a loose object when the others were
  // opened may be in a pack by now.
  ZPACK_ASSIGN_OR_RETURN(const auto packs, IndexedPacks(directories_));
  std::vector<ObjectIdTable> tables = packed_.Ids();
  for (const std::string& pack : packs) {
    if (packed_.Reads(pack)) continue;
    auto ids = ReadPackIndexIds(PosixFileSystem(), pack + ".idx");
    std::error_code error;
    // Something is odd, and libgit2 knows what it is.
    if (!ids || !std::filesystem::exists(pack + ".pack", error)) {
      return ListWithLibgit2();
    }
    tables.push_back(*std::move(ids));
  }
  return ObjectIdTable::Merge(kFormat, tables);
}

Result<ObjectIdTable> ObjectDatabase::ListWithLibgit2() const {
  Bytes ids;
  const auto add = [](const git_oid* id, void* payload) {
    Append(*static_cast<Bytes*>(payload), {id->id, kIdWidth});
    return 0;
  };
  if (git_odb_foreach(packs_.get(), add, &ids) != 0) {
    return MakeError(ErrorCode::kGit, "cannot list the objects of '{}': {}",
                     path_, LastLibgit2Message());
  }
  return ObjectIdTable::FromUnsorted(kFormat, std::move(ids));
}

Result<ObjectIdTable> ObjectDatabase::List() {
  ZPACK_ASSIGN_OR_RETURN(ObjectIdTable packed_ids, ListPacked());
  Bytes loose;
  for (const std::string& directory : directories_) {
    ZPACK_TRY(ListLooseObjects(directory, loose));
  }
  ZPACK_ASSIGN_OR_RETURN(const auto loose_ids, ObjectIdTable::FromUnsorted(
                                                   kFormat, std::move(loose)));
  if (loose_ids.size() == 0) {
    only_loose_ = {};
    return packed_ids;
  }
  Bytes only_loose;
  for (const uint32_t rank : FindDifference(loose_ids, packed_ids).only_in_a) {
    Append(only_loose, loose_ids[rank].bytes());
  }
  ZPACK_ASSIGN_OR_RETURN(
      only_loose_, ObjectIdTable::FromSorted(kFormat, std::move(only_loose)));
  return ObjectIdTable::Merge(kFormat, {packed_ids, only_loose_});
}

template <typename T, typename FromLoose, typename FromPack>
Result<T> ObjectDatabase::Find(const ObjectId& id, FromLoose from_loose,
                               FromPack from_pack) const {
  const auto try_loose = [&]() -> Result<T> {
    auto object = LooseObject::Open(directories_, id);
    if (!object) return std::unexpected(std::move(object).error());
    return from_loose(*std::move(object));
  };
  const auto is_missing = [](const Result<T>& result) {
    return !result && result.error().code == ErrorCode::kNotFound;
  };
  // The other place is tried, whatever List saw: Git moves objects from loose
  // files into packs, and back, at any time.
  if (only_loose_.Find(id)) {
    Result<T> loose = try_loose();
    return is_missing(loose) ? from_pack() : std::move(loose);
  }
  Result<T> packed = from_pack();
  if (!is_missing(packed)) return packed;
  Result<T> loose = try_loose();
  return is_missing(loose) ? std::move(packed) : std::move(loose);
}

Result<ObjectInfo> ObjectDatabase::ReadInfo(const ObjectId& id) const {
  return Find<ObjectInfo>(
      id,
      [](const std::unique_ptr<LooseObject>& object) -> Result<ObjectInfo> {
        return object->info();
      },
      [&]() -> Result<ObjectInfo> {
        if (const auto at = packed_.Find(id)) return at->pack->Info(at->rank);
        const git_oid oid = ToGitOid(id);
        size_t size = 0;
        git_object_t type = GIT_OBJECT_INVALID;
        const int code = git_odb_read_header(&size, &type, packs_.get(), &oid);
        if (code != 0) return PackError(code, id);
        ZPACK_ASSIGN_OR_RETURN(const ObjectType known_type,
                               ToObjectType(type, id));
        return ObjectInfo{known_type, size};
      });
}

void ObjectDatabase::PrefetchReads(std::span<const ObjectId> ids) const {
  if (packed_.pack_count() > kMaxPrefetched) return;
  static thread_local std::vector<PackedObjects::Place> places;
  places.clear();
  for (const ObjectId& id : ids) {
    const auto at = packed_.Find(id);
    if (!at) continue;
    at->pack->PrefetchPosition(at->rank);
    places.push_back(*at);
  }
  for (const auto& place : places) place.pack->PrefetchEntry(place.rank);
}

Result<OdbObjectHandle> ObjectDatabase::ReadPacked(const ObjectId& id) const {
  const git_oid oid = ToGitOid(id);
  git_odb_object* object = nullptr;
  const int code = git_odb_read(&object, packs_.get(), &oid);
  if (code != 0) return PackError(code, id);
  return OdbObjectHandle(object);
}

Result<ObjectType> ObjectDatabase::Read(const ObjectId& id,
                                        Bytes& content) const {
  return Find<ObjectType>(
      id,
      [&](const std::unique_ptr<LooseObject>& object) -> Result<ObjectType> {
        ZPACK_TRY(ReadWhole(*object, content));
        return object->info().type;
      },
      [&]() -> Result<ObjectType> {
        if (const auto at = packed_.Find(id);
            at && at->pack->Read(at->rank, content)) {
          return at->pack->Info(at->rank).type;
        }
        ZPACK_ASSIGN_OR_RETURN(const OdbObjectHandle object, ReadPacked(id));
        const size_t size = git_odb_object_size(object.get());
        const auto* const data =
            static_cast<const uint8_t*>(git_odb_object_data(object.get()));
        content.resize(size);
        std::copy_n(data, size, content.begin());
        return ToObjectType(git_odb_object_type(object.get()), id);
      });
}

Result<std::unique_ptr<ObjectStream>> ObjectDatabase::OpenStream(
    const ObjectId& id) const {
  using Stream = std::unique_ptr<ObjectStream>;
  return Find<Stream>(
      id,
      [](std::unique_ptr<LooseObject> object) -> Result<Stream> {
        return object;
      },
      // What is a delta is read at once.
      [&]() -> Result<Stream> {
        if (const auto at = packed_.Find(id);
            at && at->pack->IsWhole(at->rank)) {
          auto entry = at->pack->OpenStream(at->rank);
          if (entry) {
            return std::make_unique<PackEntryOfSource>(*std::move(entry), id);
          }
        }
        ZPACK_ASSIGN_OR_RETURN(OdbObjectHandle object, ReadPacked(id));
        ZPACK_ASSIGN_OR_RETURN(
            const ObjectType known_type,
            ToObjectType(git_odb_object_type(object.get()), id));
        const ObjectInfo info{known_type, git_odb_object_size(object.get())};
        return std::make_unique<PackedObjectStream>(std::move(object), info);
      });
}

}  // namespace zpack
