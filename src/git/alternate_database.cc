// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/alternate_database.h"

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "git/pack_directory.h"
#include "git/repository_layout.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// True if `directory` has a link to `own` or to something below `own`.
bool LinksTo(const std::string& directory, const std::string& own) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (!entry.is_symlink(error)) continue;
    const std::string target = fs::canonical(entry.path(), error).string();
    if (target == own || target.starts_with(own + '/')) return true;
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<AlternateObjects>> AlternateDatabase::Open(
    ObjectFormat format, FileSystem& file_system,
    const std::string& common_directory, const std::string& own) {
  ZPACK_ASSIGN_OR_RETURN(auto listed, ListObjectDirectories(common_directory));
  std::vector<std::string> directories = std::move(listed.found);
  std::erase_if(directories, [&](const std::string& directory) {
    std::error_code error;
    return directory == own || LinksTo(directory, own) ||
           LinksTo(PackDirectory(directory), own) ||
           fs::equivalent(PackDirectory(directory), PackDirectory(own), error);
  });
  if (directories.empty()) return nullptr;
  ZPACK_ASSIGN_OR_RETURN(
      ObjectDatabase objects,
      ObjectDatabase::Open(format, directories.front(), directories, {}));
  return std::unique_ptr<AlternateObjects>(
      new AlternateDatabase(format, file_system, std::move(objects)));
}

Result<ObjectIdTable> AlternateDatabase::ListPacked() {
  Bytes all;
  for (const std::string& directory : objects_.directories()) {
    ZPACK_ASSIGN_OR_RETURN(const auto packs, ListPacks(directory));
    for (const PackFiles& pack : packs) {
      const auto ids = ReadPackIds(format_, file_system_, directory, pack.name);
      if (ids) Append(all, ids->bytes());
    }
  }
  return ObjectIdTable::FromUnsorted(format_, std::move(all));
}

}  // namespace zpack
