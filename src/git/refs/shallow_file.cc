// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/shallow_file.h"

#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "git/repository_layout.h"

namespace zpack {
namespace {

// The existing commits of 'shallow', and the number of missing ones.
struct Boundary {
  std::string text;
  size_t gone = 0;
};

Result<Boundary> ReadBoundary(const std::string& common_directory,
                              ObjectSource& source) {
  ZPACK_ASSIGN_OR_RETURN(const auto ids,
                         ReadShallow(source.object_format(), common_directory));
  Boundary boundary;
  for (const ObjectId& id : ids) {
    const auto info = source.ReadInfo(id);
    if (!info && info.error().code == ErrorCode::kNotFound) {
      ++boundary.gone;
    } else {
      boundary.text += id.ToHex() + '\n';
    }
  }
  return boundary;
}

}  // namespace

Result<LockFile> LockShallow(FileSystem& file_system,
                             const std::string& common_directory) {
  return LockFile::Take(file_system, common_directory + "/shallow.lock");
}

Status PruneShallow(FileSystem& file_system,
                    const std::string& common_directory, ObjectSource& source) {
  ZPACK_ASSIGN_OR_RETURN(Boundary boundary,
                         ReadBoundary(common_directory, source));
  if (boundary.gone == 0) return {};
  ZPACK_ASSIGN_OR_RETURN(const LockFile lock,
                         LockShallow(file_system, common_directory));
  ZPACK_ASSIGN_OR_RETURN(boundary, ReadBoundary(common_directory, source));
  if (boundary.gone == 0) return {};
  const std::string path = common_directory + "/shallow";
  if (boundary.text.empty()) return file_system.Remove(path);
  ZPACK_ASSIGN_OR_RETURN(
      AtomicFile file, AtomicFile::Create(file_system, path, Overwrite::kYes));
  ZPACK_TRY(file.file().Append(AsBytes(boundary.text)));
  ZPACK_TRY(file.file().Sync());
  return file.Commit();
}

}  // namespace zpack
