// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/ref_store.h"

#include <utility>

#include "base/error.h"
#include "git/refs/packed_refs.h"
#include "git/refs/reftable_refs.h"
#include "git/repository_layout.h"
#include "object/ref_name.h"

namespace zpack {
namespace {

// Which refs of a linked worktree: its own, or those that all worktrees share.
enum class RefScope : uint8_t { kWorktree, kCommon };

class FileRefStore final : public RefStore {
 public:
  FileRefStore(const RepositoryLocation& location, ObjectFormat format,
               UnreadableFiles others)
      : location_(location), format_(format), others_(others) {}

  Result<std::optional<Ref>> ReadHead() const override {
    return ReadLooseRef(format_, location_.git_directory, "HEAD");
  }
  Result<RefsByName> ListRefs() const override;

 private:
  bool is_linked_worktree() const {
    return location_.git_directory != location_.common_directory;
  }
  // Adds the loose refs below `directory` to `refs`. In a linked worktree, adds
  // only per-worktree refs or only shared refs, as `scope` says.
  Status ReadLooseRefs(const std::string& directory, RefScope scope,
                       RefsByName& refs) const;

  RepositoryLocation location_;
  ObjectFormat format_;
  UnreadableFiles others_;
};

Status FileRefStore::ReadLooseRefs(const std::string& directory, RefScope scope,
                                   RefsByName& refs) const {
  ZPACK_ASSIGN_OR_RETURN(const auto names,
                         ListLooseRefNames(directory, others_));
  for (const std::string& name : names) {
    if (is_linked_worktree() &&
        IsPerWorktreeRef(name) != (scope == RefScope::kWorktree)) {
      continue;
    }
    if (!IsValidRefName(name)) {
      return MakeError(ErrorCode::kSourceCorrupt,
                       "cannot read ref '{}' of '{}': bad name", name,
                       AtPath{location_.name});
    }
    ZPACK_ASSIGN_OR_RETURN(auto ref, ReadLooseRef(format_, directory, name));
    if (ref) refs[name] = *std::move(ref);
  }
  return {};
}

Result<RefsByName> FileRefStore::ListRefs() const {
  ZPACK_ASSIGN_OR_RETURN(
      auto refs,
      ReadPackedRefs(format_, location_.common_directory, location_.name));
  if (is_linked_worktree()) {
    std::erase_if(
        refs, [](const auto& item) { return IsPerWorktreeRef(item.first); });
    ZPACK_TRY(
        ReadLooseRefs(location_.git_directory, RefScope::kWorktree, refs));
  }
  ZPACK_TRY(ReadLooseRefs(location_.common_directory, RefScope::kCommon, refs));
  return refs;
}

class ReftableRefStore final : public RefStore {
 public:
  ReftableRefStore(const RepositoryLocation& location, ObjectFormat format)
      : location_(location), format_(format) {}

  Result<std::optional<Ref>> ReadHead() const override {
    return ReadReftableHead(location_, format_);
  }
  Result<RefsByName> ListRefs() const override {
    return ListReftableRefs(location_, format_);
  }

 private:
  RepositoryLocation location_;
  ObjectFormat format_;
};

}  // namespace

std::unique_ptr<RefStore> OpenRefStore(const RepositoryLocation& location,
                                       const RepositoryFormat& format,
                                       UnreadableFiles others) {
  if (format.ref_storage == RefStorage::kReftable) {
    return std::make_unique<ReftableRefStore>(location, format.object_format);
  }
  return std::make_unique<FileRefStore>(location, format.object_format, others);
}

}  // namespace zpack
