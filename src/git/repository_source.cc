// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repository_source.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "git/delta_attribute.h"
#include "git/libgit2.h"
#include "git/object_database.h"
#include "git/open_repository.h"
#include "git/other_tips.h"
#include "git/reftable_refs.h"
#include "git/repository_format.h"
#include "git/repository_layout.h"
#include "object/object_links.h"
#include "object/peel.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

// Which refs of a linked worktree: its own, or those that all worktrees share.
enum class RefScope : uint8_t { kWorktree, kCommon };

// What is known of the repository's directories since they were opened.
struct Storage {
  RefStorage refs = RefStorage::kFiles;
  bool is_partial_clone = false;
  std::vector<std::string> missing_alternates;
};

class RepositorySource final : public ObjectSource {
 public:
  RepositorySource(RepositoryLocation location, RepositoryHandle repository,
                   ObjectDatabase objects, Storage storage)
      : location_(std::move(location)),
        repository_(std::move(repository)),
        objects_(std::move(objects)),
        storage_(std::move(storage)) {}

  const std::string& path() const override { return location_.name; }
  ObjectFormat object_format() const override { return ObjectFormat::kSha1; }
  Result<ObjectIdTable> ListObjects() override { return objects_.List(); }
  Result<ObjectInfo> ReadInfo(const ObjectId& id) override {
    return objects_.ReadInfo(id);
  }
  void PrefetchReads(std::span<const ObjectId> ids) override {
    objects_.PrefetchReads(ids);
  }
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) override {
    return objects_.Read(id, content);
  }
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) override {
    return objects_.OpenStream(id);
  }
  Result<RefsSnapshot> ReadRefs() override;
  Result<std::vector<ObjectId>> ListOtherTips() override {
    return ReadOtherTips(location_.common_directory, storage_.refs);
  }
  Result<IndexedVector<PathNumber, bool>> FindUndeltified(
      const PathTable& paths) override {
    return FindUndeltifiedPaths(repository_.get(), paths);
  }
  std::optional<PackedForm> FindPacked(const ObjectId& id) override {
    return objects_.FindPackedForm(id);
  }
  Status CopyPacked(const ObjectId& id, const PackedSink& sink) override {
    return objects_.CopyPacked(id, sink);
  }
  uint64_t PackedBytes() override {
    return PackedFileBytes(objects_.directories());
  }
  bool IsPartialClone() override { return storage_.is_partial_clone; }
  std::vector<std::string> MissingAlternates() override {
    return storage_.missing_alternates;
  }

 private:
  bool is_linked_worktree() const {
    return location_.git_directory != location_.common_directory;
  }
  Status ReadHead(RefsSnapshot& refs);
  // kUnsupported if a .zpack file cannot hold the ref.
  Status CheckSymref(const Ref& ref) const;
  // All refs as libgit2 reads them, not peeled.
  Result<std::map<std::string, Ref>> ListRefs();
  // All refs that are files or in packed-refs, not peeled.
  Result<std::map<std::string, Ref>> ListRefsInFiles();
  // Adds the loose refs below `directory` to `refs`. In a linked worktree, adds
  // only per-worktree refs or only shared refs, as `scope` says.
  Status ReadLooseRefs(const std::string& directory, RefScope scope,
                       std::map<std::string, Ref>& refs) const;
  TagReader Tags();

  RepositoryLocation location_;
  RepositoryHandle repository_;
  ObjectDatabase objects_;
  Storage storage_;
};

Status RepositorySource::ReadHead(RefsSnapshot& refs) {
  ZPACK_ASSIGN_OR_RETURN(const auto head,
                         storage_.refs == RefStorage::kReftable
                             ? ReadReftableHead(location_, object_format())
                             : ReadLooseRef(location_.git_directory, "HEAD"));
  if (!head) {
    return MakeError(ErrorCode::kSourceCorrupt, "'{}' has no HEAD",
                     AtPath{path()});
  }
  ZPACK_TRY(CheckSymref(*head));
  refs.head_symref = head->symref_target;
  refs.head_target = head->target;
  return {};
}

Status RepositorySource::CheckSymref(const Ref& ref) const {
  if (!ref.symbolic() || IsValidRefName(ref.symref_target)) return {};
  const std::string_view reason = ref.symref_target.starts_with("refs/")
                                      ? "not a valid ref name"
                                      : "not in 'refs/'";
  return MakeError(ErrorCode::kUnsupported,
                   "symbolic ref '{}' of '{}' points at '{}', which is {}",
                   ref.name, AtPath{path()}, ref.symref_target,
                   MessageText{reason});
}

TagReader RepositorySource::Tags() {
  return {[this](const ObjectId& object) -> std::optional<ObjectType> {
            const auto info = ReadInfo(object);
            return info ? std::optional(info->type) : std::nullopt;
          },
          [this](const ObjectId& object) {
            Bytes content;
            return Read(object, content)
                       ? ParseTagTarget(content, object_format())
                       : ObjectId();
          }};
}

Result<std::map<std::string, Ref>> RepositorySource::ListRefs() {
  git_reference_iterator* raw = nullptr;
  if (git_reference_iterator_new(&raw, repository_.get()) != 0) {
    return MakeError(ErrorCode::kSourceCorrupt, "cannot list refs of '{}': {}",
                     AtPath{path()}, LastLibgit2Message());
  }
  const ReferenceIteratorHandle iterator(raw);
  std::map<std::string, Ref> refs;
  while (true) {
    git_reference* next = nullptr;
    const int code = git_reference_next(&next, iterator.get());
    if (code == GIT_ITEROVER) return refs;
    if (code != 0) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "cannot list refs of '{}': {}", AtPath{path()},
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
                                       RefScope scope,
                                       std::map<std::string, Ref>& refs) const {
  ZPACK_ASSIGN_OR_RETURN(const auto names, ListLooseRefNames(directory));
  for (const std::string& name : names) {
    if (is_linked_worktree() &&
        IsPerWorktreeRef(name) != (scope == RefScope::kWorktree)) {
      continue;
    }
    if (!IsValidRefName(name)) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "cannot read ref '{}' of '{}': bad name", name,
                       AtPath{path()});
    }
    ZPACK_ASSIGN_OR_RETURN(auto ref, ReadLooseRef(directory, name));
    if (ref) refs[name] = *std::move(ref);
  }
  return {};
}

Result<std::map<std::string, Ref>> RepositorySource::ListRefsInFiles() {
  // libgit2 skips loose refs that it cannot parse, or returns an outdated
  // packed ref instead, and treats symbolic links and spaces differently from
  // Git. Therefore libgit2 only provides the packed refs, and our loose refs
  // replace them.
  ZPACK_ASSIGN_OR_RETURN(auto by_name, ListRefs());
  if (is_linked_worktree()) {
    std::erase_if(
        by_name, [](const auto& item) { return IsPerWorktreeRef(item.first); });
    ZPACK_TRY(
        ReadLooseRefs(location_.git_directory, RefScope::kWorktree, by_name));
  }
  ZPACK_TRY(
      ReadLooseRefs(location_.common_directory, RefScope::kCommon, by_name));
  return by_name;
}

Result<RefsSnapshot> RepositorySource::ReadRefs() {
  RefsSnapshot refs;
  ZPACK_TRY(ReadHead(refs));
  ZPACK_ASSIGN_OR_RETURN(auto by_name,
                         storage_.refs == RefStorage::kReftable
                             ? ListReftableRefs(location_, object_format())
                             : ListRefsInFiles());
  TagPeeler peeler(object_format(), Tags());
  for (auto& [name, ref] : by_name) {
    ZPACK_TRY(CheckSymref(ref));
    if (!ref.symbolic()) ref.peeled = peeler.Peel(ref.target);
    refs.refs.push_back(std::move(ref));
  }
  if (auto checked = CheckRefs(refs.refs, ErrorCode::kSourceCorrupt);
      !checked) {
    checked.error().message += FormatMessage(" in '{}'", path());
    return std::unexpected(std::move(checked).error());
  }
  ZPACK_ASSIGN_OR_RETURN(refs.shallow, ReadShallow(location_.common_directory));
  return refs;
}

}  // namespace

Result<std::unique_ptr<ObjectSource>> OpenRepository(
    const RepositoryLocation& location, const ReadingOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(RepositoryHandle repository,
                         OpenRepositoryHandle(location));
  ZPACK_ASSIGN_OR_RETURN(const RepositoryFormat format,
                         ReadRepositoryFormat(location.common_directory));
  ZPACK_ASSIGN_OR_RETURN(auto directories,
                         ListObjectDirectories(location.common_directory));
  ZPACK_ASSIGN_OR_RETURN(const bool is_partial_clone,
                         HasPromisorPack(directories.found));
  ZPACK_ASSIGN_OR_RETURN(
      ObjectDatabase objects,
      ObjectDatabase::Open(location.name, std::move(directories.found),
                           options));
  return std::make_unique<RepositorySource>(
      location, std::move(repository), std::move(objects),
      Storage{format.ref_storage, is_partial_clone,
              std::move(directories.missing)});
}

Result<std::unique_ptr<ObjectSource>> OpenRepository(
    const std::string& path, const ReadingOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(const RepositoryLocation location,
                         FindRepository(path, Discovery::kNone));
  return OpenRepository(location, options);
}

}  // namespace zpack
