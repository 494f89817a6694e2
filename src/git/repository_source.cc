// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repository_source.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "git/libgit2.h"
#include "git/repository_layout.h"
#include "object/peel.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

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

class LooseObjectStream final : public ObjectStream {
 public:
  LooseObjectStream(OdbStreamHandle stream, ObjectInfo info, ObjectId id)
      : stream_(std::move(stream)), info_(info), id_(id) {}

  const ObjectInfo& info() const override { return info_; }

  Status Read(std::span<uint8_t> out) override {
    constexpr size_t kMaxRead = size_t{1} << 30;  // libgit2 counts in int
    while (!out.empty()) {
      const int got = git_odb_stream_read(stream_.get(),
                                          reinterpret_cast<char*>(out.data()),
                                          std::min(out.size(), kMaxRead));
      if (got <= 0) {
        return MakeError(ErrorCode::kSourceCorrupt, "cannot read object {}: {}",
                         id_.ToHex(),
                         got < 0 ? LastLibgit2Message() : "it ends too early");
      }
      out = out.subspan(static_cast<size_t>(got));
    }
    return {};
  }

 private:
  OdbStreamHandle stream_;
  ObjectInfo info_;
  ObjectId id_;
};

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

class RepositorySource final : public ObjectSource {
 public:
  RepositorySource(std::string path, RepositoryHandle repository, OdbHandle odb,
                   std::vector<std::string> object_directories)
      : path_(std::move(path)),
        repository_(std::move(repository)),
        odb_(std::move(odb)),
        object_directories_(std::move(object_directories)) {}

  const std::string& path() const override { return path_; }
  ObjectFormat object_format() const override { return ObjectFormat::kSha1; }
  Result<ObjectIdTable> ListObjects() override;
  Result<ObjectInfo> ReadInfo(const ObjectId& id) override;
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) override;
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) override;
  Result<RefsSnapshot> ReadRefs() override;
  Result<std::vector<ObjectId>> ListOtherTips() override {
    return ReadReflogAndWorktreeTips(common_directory());
  }
  uint64_t PackedBytes() override {
    return PackedFileBytes(object_directories_);
  }
  bool IsPartialClone() override {
    return HasPromisorPack(object_directories_);
  }

 private:
  std::string common_directory() const {
    return git_repository_commondir(repository_.get());
  }
  std::string git_directory() const {
    return git_repository_path(repository_.get());
  }
  bool is_linked_worktree() const {
    return git_directory() != common_directory();
  }
  // An error about object `id`, from libgit2's return code.
  std::unexpected<Error> ObjectError(int code, const ObjectId& id) const;
  Result<OdbObjectHandle> ReadObject(const ObjectId& id);
  Status ReadHead(RefsSnapshot& refs);
  // A ref that a .zpack file can hold.
  Status CheckSymref(const Ref& ref) const;
  // As libgit2 sees them, not peeled.
  Result<std::map<std::string, Ref>> ListRefs();
  // Puts the loose refs below `directory` into `refs`. In a linked worktree,
  // only those that belong to one worktree, or only those that do not.
  Status ReadLooseRefs(const std::string& directory, bool per_worktree,
                       std::map<std::string, Ref>& refs) const;
  // The first object behind a chain of tags; empty when `id` is no tag or the
  // chain is broken.
  ObjectId Peel(const ObjectId& id);

  std::string path_;
  RepositoryHandle repository_;
  OdbHandle odb_;
  std::vector<std::string> object_directories_;
};

std::unexpected<Error> RepositorySource::ObjectError(int code,
                                                     const ObjectId& id) const {
  if (code == GIT_ENOTFOUND) {
    return MakeError(ErrorCode::kNotFound, "object {} is missing from '{}'",
                     id.ToHex(), path_);
  }
  return MakeError(ErrorCode::kSourceCorrupt,
                   "cannot read object {} of '{}': {}", id.ToHex(), path_,
                   LastLibgit2Message());
}

Result<ObjectIdTable> RepositorySource::ListObjects() {
  Bytes ids;
  const auto add = [](const git_oid* id, void* payload) {
    Append(*static_cast<Bytes*>(payload), {id->id, kIdWidth});
    return 0;
  };
  if (git_odb_foreach(odb_.get(), add, &ids) != 0) {
    return MakeError(ErrorCode::kGit, "cannot list the objects of '{}': {}",
                     path_, LastLibgit2Message());
  }
  return ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(ids));
}

Result<ObjectInfo> RepositorySource::ReadInfo(const ObjectId& id) {
  const git_oid oid = ToGitOid(id);
  size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  const int code = git_odb_read_header(&size, &type, odb_.get(), &oid);
  if (code != 0) return ObjectError(code, id);
  ZPACK_ASSIGN_OR_RETURN(const ObjectType known_type, ToObjectType(type, id));
  return ObjectInfo{known_type, size};
}

Result<OdbObjectHandle> RepositorySource::ReadObject(const ObjectId& id) {
  const git_oid oid = ToGitOid(id);
  git_odb_object* object = nullptr;
  const int code = git_odb_read(&object, odb_.get(), &oid);
  if (code != 0) return ObjectError(code, id);
  return OdbObjectHandle(object);
}

Result<ObjectType> RepositorySource::Read(const ObjectId& id, Bytes& content) {
  ZPACK_ASSIGN_OR_RETURN(const OdbObjectHandle object, ReadObject(id));
  const size_t size = git_odb_object_size(object.get());
  const auto* const data =
      static_cast<const uint8_t*>(git_odb_object_data(object.get()));
  content.resize(size);
  std::copy_n(data, size, content.begin());
  return ToObjectType(git_odb_object_type(object.get()), id);
}

Result<std::unique_ptr<ObjectStream>> RepositorySource::Open(
    const ObjectId& id) {
  const git_oid oid = ToGitOid(id);
  git_odb_stream* stream = nullptr;
  size_t size = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  if (git_odb_open_rstream(&stream, &size, &type, odb_.get(), &oid) == 0) {
    OdbStreamHandle owned(stream);
    ZPACK_ASSIGN_OR_RETURN(const ObjectType known_type, ToObjectType(type, id));
    return std::make_unique<LooseObjectStream>(
        std::move(owned), ObjectInfo{known_type, size}, id);
  }
  // Only loose objects can be streamed; a packed one is read at once.
  ZPACK_ASSIGN_OR_RETURN(OdbObjectHandle object, ReadObject(id));
  ZPACK_ASSIGN_OR_RETURN(const ObjectType known_type,
                         ToObjectType(git_odb_object_type(object.get()), id));
  const ObjectInfo info{known_type, git_odb_object_size(object.get())};
  return std::make_unique<PackedObjectStream>(std::move(object), info);
}

Status RepositorySource::ReadHead(RefsSnapshot& refs) {
  ZPACK_ASSIGN_OR_RETURN(const auto head,
                         ReadLooseRef(git_directory(), "HEAD"));
  if (!head) {
    return MakeError(ErrorCode::kSourceCorrupt, "'{}' has no HEAD", path_);
  }
  ZPACK_TRY(CheckSymref(*head));
  refs.head_symref = head->symref_target;
  refs.head_target = head->target;
  return {};
}

Status RepositorySource::CheckSymref(const Ref& ref) const {
  if (!ref.symbolic() || IsValidRefName(ref.symref_target)) return {};
  return MakeError(ErrorCode::kUnsupported,
                   "symbolic ref '{}' of '{}' points at '{}', which is not in "
                   "'refs/'",
                   ref.name, path_, ref.symref_target);
}

ObjectId RepositorySource::Peel(const ObjectId& id) {
  const TagReader reader = {
      [this](const ObjectId& object) -> std::optional<ObjectType> {
        const auto info = ReadInfo(object);
        return info ? std::optional(info->type) : std::nullopt;
      },
      [this](const ObjectId& object) -> std::optional<Bytes> {
        Bytes content;
        return Read(object, content) ? std::optional(std::move(content))
                                     : std::nullopt;
      }};
  return PeelTag(id, object_format(), reader);
}

Result<std::map<std::string, Ref>> RepositorySource::ListRefs() {
  git_reference_iterator* raw = nullptr;
  if (git_reference_iterator_new(&raw, repository_.get()) != 0) {
    return MakeError(ErrorCode::kSourceCorrupt, "cannot list refs of '{}': {}",
                     path_, LastLibgit2Message());
  }
  const ReferenceIteratorHandle iterator(raw);
  std::map<std::string, Ref> refs;
  while (true) {
    git_reference* next = nullptr;
    const int code = git_reference_next(&next, iterator.get());
    if (code == GIT_ITEROVER) return refs;
    if (code != 0) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "cannot list refs of '{}': {}", path_,
                       LastLibgit2Message());
    }
    const ReferenceHandle reference(next);
    Ref ref;
    ref.name = git_reference_name(next);
    if (git_reference_type(next) == GIT_REFERENCE_SYMBOLIC) {
      ref.symref_target = git_reference_symbolic_target(next);
    } else {
      ref.target = FromGitOid(*git_reference_target(next));
    }
    refs[ref.name] = std::move(ref);
  }
}

Status RepositorySource::ReadLooseRefs(const std::string& directory,
                                       bool per_worktree,
                                       std::map<std::string, Ref>& refs) const {
  ZPACK_ASSIGN_OR_RETURN(const auto names, ListLooseRefNames(directory));
  for (const std::string& name : names) {
    if (is_linked_worktree() && IsPerWorktreeRef(name) != per_worktree) {
      continue;
    }
    if (!IsValidRefName(name)) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "cannot read ref '{}' of '{}': bad name", name, path_);
    }
    ZPACK_ASSIGN_OR_RETURN(auto ref, ReadLooseRef(directory, name));
    if (ref) refs[name] = *std::move(ref);
  }
  return {};
}

Result<RefsSnapshot> RepositorySource::ReadRefs() {
  RefsSnapshot refs;
  ZPACK_TRY(ReadHead(refs));
  // libgit2 passes over loose refs that it cannot parse, or takes an outdated
  // packed one instead, and reads symbolic links and spaces differently from
  // Git. So it is asked for the packed refs, and the loose ones replace them.
  ZPACK_ASSIGN_OR_RETURN(auto by_name, ListRefs());
  if (is_linked_worktree()) {
    std::erase_if(
        by_name, [](const auto& item) { return IsPerWorktreeRef(item.first); });
    ZPACK_TRY(ReadLooseRefs(git_directory(), true, by_name));
  }
  ZPACK_TRY(ReadLooseRefs(common_directory(), false, by_name));
  for (auto& [name, ref] : by_name) {
    ZPACK_TRY(CheckSymref(ref));
    if (!ref.symbolic()) ref.peeled = Peel(ref.target);
    refs.refs.push_back(std::move(ref));
  }
  ZPACK_ASSIGN_OR_RETURN(refs.shallow, ReadShallow(common_directory()));
  return refs;
}

// Says no to repositories that libgit2 opens only because InitLibgit2 tells it
// to know their extensions.
Status CheckExtensions(const git_repository* repository,
                       const std::string& path) {
  const std::string config_path =
      std::string(git_repository_commondir(repository)) + "config";
  git_config* raw = nullptr;
  if (git_config_open_ondisk(&raw, config_path.c_str()) != 0) return {};
  const ConfigHandle config(raw);
  const auto check = [&](const char* key, std::string_view known,
                         std::string_view what) -> Status {
    git_buf value = GIT_BUF_INIT;
    if (git_config_get_string_buf(&value, config.get(), key) != 0) return {};
    const std::string text = value.ptr;
    git_buf_dispose(&value);
    if (text == known) return {};
    return MakeError(ErrorCode::kUnsupported, "unsupported {} {} in '{}'", what,
                     text, path);
  };
  ZPACK_TRY(check("extensions.objectformat", "sha1", "object format"));
  return check("extensions.refstorage", "files", "ref storage");
}

// Why libgit2 could not open `path`.
Error ExplainOpenFailure(int code, const std::string& path) {
  const std::string message = LastLibgit2Message();
  if (code == GIT_ENOTFOUND) {
    return {ErrorCode::kNotFound,
            fmt::format("not a git repository: '{}'", path)};
  }
  if (code == GIT_EOWNER) {
    return {ErrorCode::kGit,
            fmt::format("detected dubious ownership in repository at '{}'; to "
                        "trust it, run: git config --global --add "
                        "safe.directory '{}'",
                        path, path)};
  }
  return {ErrorCode::kGit, fmt::format("cannot open '{}': {}", path, message)};
}

}  // namespace

Result<std::unique_ptr<ObjectSource>> OpenRepository(const std::string& path) {
  InitLibgit2();
  git_repository* raw = nullptr;
  const int code = git_repository_open_ext(&raw, path.c_str(), 0, nullptr);
  if (code != 0) return std::unexpected(ExplainOpenFailure(code, path));
  RepositoryHandle repository(raw);
  ZPACK_TRY(CheckExtensions(repository.get(), path));
  git_odb* raw_odb = nullptr;
  if (git_repository_odb(&raw_odb, repository.get()) != 0) {
    return MakeError(ErrorCode::kGit, "cannot open the objects of '{}': {}",
                     path, LastLibgit2Message());
  }
  OdbHandle odb(raw_odb);
  ZPACK_ASSIGN_OR_RETURN(
      std::vector<std::string> directories,
      ListObjectDirectories(git_repository_commondir(repository.get())));
  // libgit2 reads relative alternates differently from Git, and drops silently
  // what it does not find. Adding one that it already has does nothing.
  for (size_t i = 1; i < directories.size(); ++i) {
    if (git_odb_add_disk_alternate(odb.get(), directories[i].c_str()) != 0) {
      return MakeError(ErrorCode::kGit, "cannot open alternate '{}': {}",
                       directories[i], LastLibgit2Message());
    }
  }
  return std::make_unique<RepositorySource>(
      path, std::move(repository), std::move(odb), std::move(directories));
}

}  // namespace zpack
