// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repository_source.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "git/config/promisor_remotes.h"
#include "git/files/delta_attribute.h"
#include "git/files/lfs_directories.h"
#include "git/files/repository_file_lister.h"
#include "git/libgit2.h"
#include "git/objects/loose_object.h"
#include "git/objects/object_database.h"
#include "git/objects/pack_directory.h"
#include "git/open_repository.h"
#include "git/refs/other_tips.h"
#include "git/refs/ref_store.h"
#include "git/repository_layout.h"
#include "object/object_links.h"
#include "object/peel.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

// Where HEAD of the file points if HEAD of the repository leads nowhere, as
// 'refs/heads/.invalid' does, which an interrupted clone leaves behind. 'git
// clone --mirror' also makes a HEAD of its own then.
constexpr std::string_view kHeadOfNone = "refs/heads/master";

// How the repository stores objects and refs, as far as that is known since it
// was opened.
struct Storage {
  RepositoryFormat format;
  bool is_partial_clone = false;
  std::vector<std::string> missing_alternates;
  BadIndexes bad_indexes = BadIndexes::kFail;
  UnreadableFiles unreadable = UnreadableFiles::kFail;
};

class RepositorySource final : public ObjectSource {
 public:
  RepositorySource(RepositoryLocation location, OpenedRepository repository,
                   ObjectDatabase objects, Storage storage)
      : location_(std::move(location)),
        repository_(std::move(repository.handle)),
        configuration_(std::move(repository.configuration)),
        objects_(std::move(objects)),
        storage_(std::move(storage)),
        refs_(OpenRefStore(location_, storage_.format, storage_.unreadable)) {}

  const std::string& path() const override { return location_.name; }
  ObjectFormat object_format() const override {
    return storage_.format.object_format;
  }
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
  bool UseOtherCopy(const ObjectId& id) override {
    return objects_.UseOtherCopy(id);
  }
  Result<RefsSnapshot> ReadRefs() override;
  Result<std::vector<TipGroup>> ListOtherTips() override {
    return ReadOtherTips(
        storage_.format, location_.common_directory,
        {[this](const ObjectId& id) {
           const auto info = ReadInfo(id);
           return info || info.error().code != ErrorCode::kNotFound;
         },
         [this](const Error& bad) { return TakeBadIndex(bad); },
         storage_.unreadable});
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
  Result<ListedFiles> ListFiles(std::span<const std::string> others) override;
  Result<std::unique_ptr<FileStream>> OpenFile(
      const ListedFile& file) override {
    return OpenRepositoryFile(location_, file);
  }
  uint64_t PackedBytes() override {
    return PackedFileBytes(objects_.directories());
  }
  bool IsPartialClone() override { return storage_.is_partial_clone; }
  Result<PromisorRemotes> ReadPromisorRemotes() override {
    return zpack::ReadPromisorRemotes(configuration_);
  }
  Result<ObjectIdTable> ListPromisorObjects() override;
  std::vector<std::string> MissingAlternates() override {
    return storage_.missing_alternates;
  }
  Result<std::vector<std::string>> UnusablePacks() override;
  std::vector<std::string> SkippedFiles() override;

 private:
  struct FoundHead {
    Ref ref;
    // If a .zpack file cannot hold HEAD: a phrase that says so. Otherwise
    // empty.
    std::string left_out;
  };
  Result<FoundHead> FindHead() const;
  Status ReadHead(RefsSnapshot& refs);
  // kUnsupported if a .zpack file cannot hold the ref.
  Status CheckSymref(const Ref& ref) const;
  TagReader Tags();
  // Returns the error, unless such an index is to be skipped.
  Status TakeBadIndex(const Error& bad);

  RepositoryLocation location_;
  RepositoryHandle repository_;
  Configuration configuration_;
  ObjectDatabase objects_;
  Storage storage_;
  std::unique_ptr<RefStore> refs_;
  std::set<std::string> bad_indexes_;  // that were skipped: messages
};

Result<RepositorySource::FoundHead> RepositorySource::FindHead() const {
  ZPACK_ASSIGN_OR_RETURN(auto head, refs_->ReadHead());
  if (!head) {
    return MakeError(ErrorCode::kSourceCorrupt, "'{}' has no HEAD",
                     AtPath{path()});
  }
  const std::string& name = head->symref_target;
  if (name.starts_with("refs/") && !IsValidRefName(name)) {
    return FoundHead{
        {},
        FormatMessage("HEAD, which points at '{}', not a valid ref name",
                      name)};
  }
  ZPACK_TRY(CheckSymref(*head));
  return FoundHead{*std::move(head), ""};
}

Status RepositorySource::ReadHead(RefsSnapshot& refs) {
  ZPACK_ASSIGN_OR_RETURN(const FoundHead head, FindHead());
  refs.head_symref =
      head.left_out.empty() ? head.ref.symref_target : kHeadOfNone;
  refs.head_target = head.ref.target;
  return {};
}

Result<ListedFiles> RepositorySource::ListFiles(
    std::span<const std::string> others) {
  ZPACK_ASSIGN_OR_RETURN(
      const LfsDirectories lfs,
      FindLfsDirectories(location_, LfsStorage(configuration_)));
  ZPACK_ASSIGN_OR_RETURN(
      ListedFiles listed,
      ListRepositoryFiles(location_, storage_.format, others, lfs));
  for (const std::string& directory : objects_.directories()) {
    ZPACK_ASSIGN_OR_RETURN(auto no_packs, ListNoPacks(directory));
    std::ranges::move(no_packs, std::back_inserter(listed.left_out));
    auto no_loose = ListNoLooseDirectories(directory);
    std::ranges::move(no_loose, std::back_inserter(listed.left_out));
  }
  ZPACK_ASSIGN_OR_RETURN(const auto unreadable, objects_.FindUnreadable());
  for (const auto& [id, why] : unreadable) {
    listed.left_out.push_back(
        FormatMessage("object {}, because {}", id, MessageText{why}));
  }
  ZPACK_ASSIGN_OR_RETURN(const FoundHead head, FindHead());
  if (!head.left_out.empty()) {
    listed.left_out.push_back(
        FormatMessage("{}; HEAD of the file points at '{}'",
                      MessageText{head.left_out}, kHeadOfNone));
  }
  return listed;
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

Status RepositorySource::TakeBadIndex(const Error& bad) {
  if (storage_.bad_indexes == BadIndexes::kFail || !MayBeSkipped(bad)) {
    return std::unexpected(bad);
  }
  bad_indexes_.insert(bad.message);
  return {};
}

Result<std::vector<std::string>> RepositorySource::UnusablePacks() {
  std::vector<std::string> all;
  for (const std::string& directory : objects_.directories()) {
    ZPACK_ASSIGN_OR_RETURN(const auto packs, ListPacksWithoutIndex(directory));
    for (const std::string& pack : packs) {
      all.push_back(
          FormatMessage("'{}' has no index: 'git index-pack' makes it", pack));
    }
    ZPACK_ASSIGN_OR_RETURN(auto no_packs, ListNoPacks(directory));
    std::ranges::move(no_packs, std::back_inserter(all));
  }
  return all;
}

std::vector<std::string> RepositorySource::SkippedFiles() {
  std::vector<std::string> skipped = objects_.SkippedPacks();
  skipped.insert(skipped.end(), bad_indexes_.begin(), bad_indexes_.end());
  return skipped;
}

Result<ObjectIdTable> RepositorySource::ListPromisorObjects() {
  ZPACK_ASSIGN_OR_RETURN(const PromisorRemotes known, ReadPromisorRemotes());
  // As in Git, nobody keeps the promises of a pack without a promisor remote.
  if (known.remotes.empty()) return ObjectIdTable();
  return ListPromisorPacks(object_format(), objects_.directories());
}

Result<RefsSnapshot> RepositorySource::ReadRefs() {
  RefsSnapshot refs;
  ZPACK_TRY(ReadHead(refs));
  ZPACK_ASSIGN_OR_RETURN(auto by_name, refs_->ListRefs());
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
  ZPACK_ASSIGN_OR_RETURN(
      refs.shallow, ReadShallow(object_format(), location_.common_directory));
  return refs;
}

}  // namespace

Result<std::unique_ptr<ObjectSource>> OpenRepository(
    const RepositoryLocation& location, const ReadingOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(OpenedRepository repository,
                         OpenRepositoryHandle(location));
  const RepositoryFormat format = repository.format;
  ZPACK_ASSIGN_OR_RETURN(auto directories,
                         ListObjectDirectories(location.common_directory));
  // As in Git, without a promisor remote nobody can have promised anything.
  ZPACK_ASSIGN_OR_RETURN(const bool has_promises,
                         HasPromisorPack(directories.found));
  ZPACK_ASSIGN_OR_RETURN(const PromisorRemotes promisors,
                         ReadPromisorRemotes(repository.configuration));
  const bool is_partial_clone = has_promises && !promisors.remotes.empty();
  ZPACK_ASSIGN_OR_RETURN(
      ObjectDatabase objects,
      ObjectDatabase::Open(format.object_format, location.name,
                           std::move(directories.found), options));
  return std::make_unique<RepositorySource>(
      location, std::move(repository), std::move(objects),
      Storage{format, is_partial_clone, std::move(directories.missing),
              options.bad_indexes, options.unreadable});
}

Result<std::unique_ptr<ObjectSource>> OpenRepository(
    const std::string& path, const ReadingOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(const RepositoryLocation location,
                         FindRepository(path, Discovery::kNone));
  return OpenRepository(location, options);
}

}  // namespace zpack
