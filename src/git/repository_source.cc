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
#include "git/object_database.h"
#include "git/repository_layout.h"
#include "object/object_links.h"
#include "object/peel.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

class RepositorySource final : public ObjectSource {
 public:
  RepositorySource(std::string path, RepositoryHandle repository,
                   ObjectDatabase objects)
      : path_(std::move(path)),
        repository_(std::move(repository)),
        objects_(std::move(objects)) {}

  const std::string& path() const override { return path_; }
  ObjectFormat object_format() const override { return ObjectFormat::kSha1; }
  Result<ObjectIdTable> ListObjects() override { return objects_.List(); }
  Result<ObjectInfo> ReadInfo(const ObjectId& id) override {
    return objects_.ReadInfo(id);
  }
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) override {
    return objects_.Read(id, content);
  }
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) override {
    return objects_.OpenStream(id);
  }
  Result<RefsSnapshot> ReadRefs() override;
  Result<std::vector<ObjectId>> ListOtherTips() override {
    return ReadOtherTips(common_directory());
  }
  uint64_t PackedBytes() override {
    return PackedFileBytes(objects_.directories());
  }
  bool IsPartialClone() override {
    return HasPromisorPack(objects_.directories());
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
  ObjectDatabase objects_;
};

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
      [this](const ObjectId& object) {
        Bytes content;
        return Read(object, content) ? ParseTagTarget(content, object_format())
                                     : ObjectId();
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
    if (!IsValidRefName(name)) {
      return MakeError(ErrorCode::kSourceCorrupt, "bad ref name '{}' in '{}'",
                       name, path_);
    }
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

Result<RepositoryHandle> OpenHandle(const std::string& path) {
  InitLibgit2();
  git_repository* raw = nullptr;
  const int code = git_repository_open_ext(&raw, path.c_str(), 0, nullptr);
  if (code != 0) return std::unexpected(ExplainOpenFailure(code, path));
  RepositoryHandle repository(raw);
  ZPACK_TRY(CheckExtensions(repository.get(), path));
  return repository;
}

// The value of a number in the configuration, or `otherwise` without one.
Result<int64_t> ConfigNumber(const git_config* config, const char* key,
                             int64_t otherwise) {
  int64_t value = otherwise;
  const int code = git_config_get_int64(&value, config, key);
  if (code == 0) return value;
  if (code == GIT_ENOTFOUND) return otherwise;
  return MakeError(ErrorCode::kGit, "bad value of '{}': {}", key,
                   LastLibgit2Message());
}

}  // namespace

Result<RepackSettings> ReadRepackSettings(const std::string& path) {
  // Git's own, but for the window: most candidates are given up early here, and
  // cost little.
  constexpr int64_t kBigFile = int64_t{512} << 20;
  constexpr int64_t kWindow = 20;
  constexpr int64_t kDepth = 50;
  constexpr int64_t kMax = 4095;
  ZPACK_ASSIGN_OR_RETURN(const RepositoryHandle repository, OpenHandle(path));
  git_config* raw = nullptr;
  if (git_repository_config_snapshot(&raw, repository.get()) != 0) {
    return MakeError(ErrorCode::kGit,
                     "cannot read the configuration of '{}': {}", path,
                     LastLibgit2Message());
  }
  const ConfigHandle config(raw);
  ZPACK_ASSIGN_OR_RETURN(
      const int64_t big_file,
      ConfigNumber(config.get(), "core.bigfilethreshold", kBigFile));
  ZPACK_ASSIGN_OR_RETURN(const int64_t window,
                         ConfigNumber(config.get(), "pack.window", kWindow));
  ZPACK_ASSIGN_OR_RETURN(const int64_t depth,
                         ConfigNumber(config.get(), "pack.depth", kDepth));
  RepackSettings settings;
  settings.common_directory = git_repository_commondir(repository.get());
  ZPACK_ASSIGN_OR_RETURN(const auto directories,
                         ListObjectDirectories(settings.common_directory));
  settings.object_directory = directories.front();
  settings.big_file_threshold =
      static_cast<uint64_t>(std::max<int64_t>(big_file, 0));
  settings.window = static_cast<unsigned>(std::clamp<int64_t>(window, 0, kMax));
  settings.depth = static_cast<unsigned>(std::clamp<int64_t>(depth, 0, kMax));
  int precious = 0;
  settings.precious_objects =
      git_config_get_bool(&precious, config.get(),
                          "extensions.preciousobjects") == 0 &&
      precious != 0;
  return settings;
}

Result<std::unique_ptr<ObjectSource>> OpenRepository(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(RepositoryHandle repository, OpenHandle(path));
  ZPACK_ASSIGN_OR_RETURN(
      auto directories,
      ListObjectDirectories(git_repository_commondir(repository.get())));
  ZPACK_ASSIGN_OR_RETURN(ObjectDatabase objects,
                         ObjectDatabase::Open(path, std::move(directories)));
  return std::make_unique<RepositorySource>(path, std::move(repository),
                                            std::move(objects));
}

}  // namespace zpack
