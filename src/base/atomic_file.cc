// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/atomic_file.h"

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "base/temporary_name.h"
#include "base/umask.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

Status CheckDestination(const std::string& path, Overwrite overwrite) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (error) {
    return std::unexpected(IoError("stat", path, error.value()));
  }
  if (status.type() != fs::file_type::regular) {
    return MakeError(ErrorCode::kInvalidArgument, "not a regular file: '{}'",
                     AtPath{path});
  }
  if (overwrite == Overwrite::kNo) {
    return MakeError(ErrorCode::kExists,
                     "'{}' already exists; use --force to replace it",
                     AtPath{path});
  }
  return {};
}

// What a chain of symbolic links at `path` ends at, whether it exists or not.
// Only links in the last component matter: the rest the system follows.
Result<std::string> FollowLinks(const std::string& path) {
  constexpr int kMaxLinks = 40;  // Linux's own limit
  fs::path target = path;
  for (int i = 0; i < kMaxLinks; ++i) {
    std::error_code error;
    if (!fs::is_symlink(target, error)) return target.string();
    const fs::path next = fs::read_symlink(target, error);
    if (error) return std::unexpected(IoError("follow", path, error.value()));
    target = target.parent_path() / next;
  }
  return std::unexpected(IoError("follow", path, ELOOP));
}

}  // namespace

Result<std::string> AtomicFile::TemporaryPath(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const std::string target, FollowLinks(path));
  return TemporaryPathFor(target);
}

Result<AtomicFile> AtomicFile::Create(FileSystem& file_system,
                                      const std::string& path,
                                      Overwrite overwrite, Leftover leftover) {
  ZPACK_ASSIGN_OR_RETURN(const std::string target, FollowLinks(path));
  if (FileNameOf(target).empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "not a file name: '{}'",
                     AtPath{path});
  }
  ZPACK_TRY(CheckDestination(target, overwrite));
  const std::string temporary = TemporaryPathFor(target);
  // Better now than after the rename: a directory that can be written to but
  // not opened cannot be synced.
  ZPACK_TRY(file_system.SyncDirectory(DirectoryOf(target)));
  ZPACK_ASSIGN_OR_RETURN(auto file, file_system.OpenLocked(temporary));
  // From here on the destructor cleans up.
  AtomicFile output(file_system, target, temporary, overwrite, std::move(file));
  if (leftover == Leftover::kEmpty) ZPACK_TRY(output.file().Truncate(0));
  return output;
}

void AtomicFile::Keep() {
  // Commit may have taken the permission away.
  constexpr unsigned kOwnerOnly = 0600;
  (void)file_system_.SetMode(temporary_path_, kOwnerOnly);
  file_.reset();
}

AtomicFile::AtomicFile(FileSystem& file_system, std::string path,
                       std::string temporary_path, Overwrite overwrite,
                       std::unique_ptr<WritableFile> file)
    : file_system_(file_system),
      path_(std::move(path)),
      temporary_path_(std::move(temporary_path)),
      overwrite_(overwrite),
      file_(std::move(file)) {}

AtomicFile::~AtomicFile() {
  // Removed before the lock is given back, so that nobody can take it over in
  // between. A failure leaves a temporary that the next run recognises.
  if (file_ == nullptr) return;
  CleanUp([this] { (void)file_system_.Remove(temporary_path_); });
}

Status AtomicFile::Commit() {
  const Replace replace =
      overwrite_ == Overwrite::kYes ? Replace::kYes : Replace::kNo;
  // Nobody else could open the file so far. Replacing one does not open it to
  // more readers.
  std::error_code error;
  const fs::file_status old = fs::status(path_, error);
  const unsigned mode = fs::is_regular_file(old)
                            ? static_cast<unsigned>(old.permissions())
                            : 0666 & ~CurrentUmask();
  ZPACK_TRY(file_system_.SetMode(temporary_path_, mode));
  ZPACK_TRY(file_system_.Rename(temporary_path_, path_, replace));
  file_.reset();
  return SyncPublished(file_system_, DirectoryOf(path_), path_);
}

}  // namespace zpack
