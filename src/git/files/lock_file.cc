// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/files/lock_file.h"

#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

// The content of our locks. Unlike Git's locks, the file is also locked with
// flock(2), so that a lock whose process has ended can be recognised.
constexpr std::string_view kContent = "git-zpack\n";

// Takes over the lock `path` if a process of this library left it and has
// ended.
Result<std::unique_ptr<WritableFile>> TakeOver(FileSystem& file_system,
                                               const std::string& path) {
  const auto content = ReadWholeFile(file_system, path, kContent.size());
  if (content && AsText(*content) == kContent) {
    auto file = file_system.OpenLocked(path);
    if (file) return file;
  }
  return MakeError(ErrorCode::kExists,
                   "unable to create '{}': File exists; another process is "
                   "using the repository, or crashed while it did: then remove "
                   "the file",
                   AtPath{path});
}

}  // namespace

LockFile::LockFile(FileSystem& file_system, std::string path,
                   std::unique_ptr<WritableFile> file)
    : file_system_(file_system),
      path_(std::move(path)),
      file_(std::move(file)) {}

LockFile::LockFile(LockFile&& other) noexcept
    : file_system_(other.file_system_),
      path_(std::exchange(other.path_, {})),
      file_(std::move(other.file_)) {}

LockFile::~LockFile() {
  if (!path_.empty()) (void)file_system_.Remove(path_);
}

Result<LockFile> LockFile::Take(FileSystem& file_system,
                                const std::string& path) {
  // The rename makes the lock appear with its content and already locked. 'git
  // gc' removes old files with this name from a pack directory.
  const std::string name = DirectoryOf(path) + "/tmp_lock_zpack";
  ZPACK_ASSIGN_OR_RETURN(auto file, file_system.CreateLocked(name));
  LockFile temporary(file_system, name, std::move(file));
  ZPACK_TRY(temporary.file_->Append(AsBytes(kContent)));
  const Status renamed = file_system.Rename(name, path, Replace::kNo);
  if (renamed) {
    temporary.path_.clear();
    return LockFile(file_system, path, std::move(temporary.file_));
  }
  if (renamed.error().code != ErrorCode::kExists) {
    return std::unexpected(renamed.error());
  }
  ZPACK_ASSIGN_OR_RETURN(auto left, TakeOver(file_system, path));
  return LockFile(file_system, path, std::move(left));
}

}  // namespace zpack
