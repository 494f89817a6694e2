// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/files/lfs_directories.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "git/files/file_tree.h"
#include "git/repository_layout.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// The directory that lfs.storage names; relative paths begin in the git
// directory.
fs::path StorageDirectory(const RepositoryLocation& location,
                          const std::string& storage) {
  std::error_code error;
  const fs::path path = fs::path(location.common_directory) / storage;
  fs::path canonical = fs::weakly_canonical(path, error);
  if (error) canonical = path.lexically_normal();
  if (!canonical.has_filename()) canonical = canonical.parent_path();
  return canonical;
}

bool IsBelow(const fs::path& path, const fs::path& directory) {
  return path != directory && std::mismatch(directory.begin(), directory.end(),
                                            path.begin(), path.end())
                                      .first == directory.end();
}

}  // namespace

std::string LfsStorage(const Configuration& config) {
  const ConfigEntry* const entry = config.Find("lfs.storage");
  return entry != nullptr ? entry->value.value_or("") : "";
}

Result<LfsDirectories> FindLfsDirectories(const RepositoryLocation& location,
                                          const std::string& storage) {
  LfsDirectories directories;
  ZPACK_ASSIGN_OR_RETURN(const auto objects,
                         ListObjectDirectories(location.common_directory));
  // The first one is the repository's own.
  for (size_t i = 1; i < objects.found.size(); ++i) {
    directories.found.push_back({DirectoryOf(objects.found[i]), "lfs/objects"});
  }
  if (storage.empty()) return directories;
  const fs::path place = StorageDirectory(location, storage);
  if (IsBelow(place, location.common_directory)) {
    if (place != fs::path(location.common_directory) / "lfs") {
      directories.found.push_back({place.string(), "objects"});
    }
    return directories;
  }
  ZPACK_ASSIGN_OR_RETURN(const bool any, HasFile(place.string(), "objects"));
  if (any) {
    directories.left_out.push_back(FormatMessage(
        "the objects of Git LFS in '{}' (lfs.storage), which other "
        "repositories may share: back them up by themselves",
        place.string()));
  }
  return directories;
}

}  // namespace zpack
