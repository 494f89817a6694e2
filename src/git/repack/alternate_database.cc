// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repack/alternate_database.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/directory.h"
#include "base/error.h"
#include "git/objects/pack_directory.h"
#include "git/repository_layout.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

bool IsMissing(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory;
}

// False if `directory` has no link to `own` or to something below `own`. What
// cannot be examined may be such a link.
bool MayLinkTo(const std::string& directory, const std::string& own) {
  const auto entries = ListEntries(directory);
  if (!entries) return entries.error().code != ErrorCode::kNotFound;
  return std::ranges::any_of(*entries, [&](const DirectoryEntry& entry) {
    if (entry.type != fs::file_type::symlink) {
      return entry.type == fs::file_type::none;
    }
    std::error_code error;
    const std::string target =
        fs::canonical(directory + '/' + entry.name, error).string();
    if (error) return !IsMissing(error);
    return target == own || target.starts_with(own + '/');
  });
}

// False if these are two directories, or one of them does not exist.
bool MayBeSame(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) || (error && !IsMissing(error));
}

}  // namespace

Result<std::unique_ptr<AlternateObjects>> AlternateDatabase::Open(
    ObjectFormat format, FileSystem& file_system,
    const std::string& common_directory, const std::string& own) {
  ZPACK_ASSIGN_OR_RETURN(auto listed, ListObjectDirectories(common_directory));
  std::vector<std::string> directories = std::move(listed.found);
  std::erase_if(directories, [&](const std::string& directory) {
    return directory == own || MayLinkTo(directory, own) ||
           MayLinkTo(PackDirectory(directory), own) ||
           MayBeSame(PackDirectory(directory), PackDirectory(own));
  });
  if (directories.empty()) return nullptr;
  return std::unique_ptr<AlternateObjects>(
      new AlternateDatabase(format, file_system, std::move(directories)));
}

Status AlternateDatabase::OpenObjects() {
  if (objects_) return {};
  ZPACK_ASSIGN_OR_RETURN(
      objects_,
      ObjectDatabase::Open(format_, directories_.front(), directories_, {}));
  return {};
}

Result<ObjectIdTable> AlternateDatabase::List() {
  ZPACK_TRY(OpenObjects());
  return objects_->List();
}

Result<std::unique_ptr<ObjectStream>> AlternateDatabase::Open(
    const ObjectId& id) {
  ZPACK_TRY(OpenObjects());
  return objects_->OpenStream(id);
}

Result<std::vector<AlternatePack>> AlternateDatabase::ListPacks(
    AlternatePacks which) {
  std::vector<AlternatePack> all;
  for (const std::string& directory : directories_) {
    ZPACK_ASSIGN_OR_RETURN(const auto packs, zpack::ListPacks(directory));
    for (const PackFiles& pack : packs) {
      if (which == AlternatePacks::kPromisor && !pack.promisor) continue;
      auto ids = ReadPackIds(format_, file_system_, directory, pack.name);
      if (ids) all.push_back({pack, *std::move(ids)});
    }
  }
  return all;
}

}  // namespace zpack
