// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "api/repack_borrowed.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "git/loose_object.h"
#include "git/object_database.h"
#include "git/repository_layout.h"
#include "object/object_hasher.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// Whether something in `directory` is a link to `own`, or to something in it.
bool LinksTo(const std::string& directory, const std::string& own) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (!entry.is_symlink(error)) continue;
    const std::string target = fs::canonical(entry.path(), error).string();
    if (target == own || target.starts_with(own + '/')) return true;
  }
  return false;
}

// The object directories of alternates, but not those that have objects of the
// repository itself, which would go with them.
Result<std::vector<std::string>> Alternates(const RepackSettings& settings) {
  ZPACK_ASSIGN_OR_RETURN(auto listed,
                         ListObjectDirectories(settings.common_directory));
  std::vector<std::string> directories = std::move(listed.found);
  const std::string own = settings.object_directory;
  std::erase_if(directories, [&](const std::string& directory) {
    std::error_code error;
    return directory == own || LinksTo(directory, own) ||
           LinksTo(PackDirectory(directory), own) ||
           fs::equivalent(PackDirectory(directory), PackDirectory(own), error);
  });
  return directories;
}

Result<ObjectIdTable> Common(const ObjectIdTable& a, const ObjectIdTable& b) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable rest, Without(a, b));
  return Without(a, rest);
}

// What is in packs of `directories`.
Result<ObjectIdTable> PackedIn(FileSystem& file_system,
                               const std::vector<std::string>& directories) {
  Bytes all;
  for (const std::string& directory : directories) {
    ZPACK_ASSIGN_OR_RETURN(const auto packs, ListPacks(directory));
    for (const StockPackFiles& pack : packs) {
      const auto ids = ReadPackIds(file_system, directory, pack.name);
      if (ids) Append(all, ids->bytes());
    }
  }
  return ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(all));
}

// What may be removed from the repository itself.
Result<ObjectIdTable> OwnObjects(FileSystem& file_system,
                                 const RepackSettings& settings,
                                 const RepackOptions& options,
                                 const PackSets& packs) {
  Bytes own;
  if (options.redundant == Redundant::kRemove) {
    ZPACK_TRY(ListLooseObjects(settings.object_directory, own));
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable packed,
                           ReadIds(file_system, settings, packs.rewritten));
    Append(own, packed.bytes());
  }
  return ObjectIdTable::FromUnsorted(ObjectFormat::kSha1, std::move(own));
}

// Those of `ids` that `database` does not have as they should be.
Result<ObjectIdTable> FindDamaged(const ObjectDatabase& database,
                                  const ObjectIdTable& ids,
                                  const std::stop_token& stop) {
  ObjectHasher hasher(ObjectFormat::kSha1);
  Bytes damaged;
  for (uint32_t rank = 0; rank < ids.size(); ++rank) {
    ZPACK_TRY(CheckStop(stop));
    const auto object = database.OpenStream(ids[rank]);
    const auto id = object ? hasher.Hash(**object)
                           : Result<ObjectId>(std::unexpected(object.error()));
    if (!id || *id != ids[rank]) Append(damaged, ids[rank].bytes());
  }
  return ObjectIdTable::FromSorted(ObjectFormat::kSha1, std::move(damaged));
}

}  // namespace

Result<BorrowedObjects> FindBorrowed(FileSystem& file_system,
                                     const RepackSettings& settings,
                                     const RepackOptions& options,
                                     const PackSets& packs,
                                     const ObjectIdTable& needed) {
  BorrowedObjects borrowed;
  if (options.borrowed == Borrowed::kPack) return borrowed;
  ZPACK_ASSIGN_OR_RETURN(const auto directories, Alternates(settings));
  if (directories.empty()) return borrowed;
  ZPACK_ASSIGN_OR_RETURN(
      ObjectDatabase database,
      ObjectDatabase::Open(directories.front(), directories, {}));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable theirs, database.List());
  ZPACK_ASSIGN_OR_RETURN(borrowed.all, Common(needed, theirs));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable own,
                         OwnObjects(file_system, settings, options, packs));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable both, Common(borrowed.all, own));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable damaged,
                         FindDamaged(database, both, options.run.stop));
  ZPACK_ASSIGN_OR_RETURN(borrowed.all, Without(borrowed.all, damaged));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable packed,
                         PackedIn(file_system, directories));
  ZPACK_ASSIGN_OR_RETURN(borrowed.packed, Common(borrowed.all, packed));
  return borrowed;
}

}  // namespace zpack
