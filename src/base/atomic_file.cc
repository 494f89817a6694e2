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
    return MakeError(ErrorCode::kExists, "'{}' already exists", AtPath{path});
  }
  return {};
}

// The target of the chain of symbolic links at `path`, whether it exists or
// not. Only links in the last component are resolved; the kernel resolves the
// others.
Result<std::string> FollowLinks(const std::string& path) {
  constexpr int kMaxLinks = 40;  // the limit of Linux
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
                                      Overwrite overwrite, Leftover leftover,
                                      Links links) {
  std::string target = path;
  if (links == Links::kFollow) {
    ZPACK_ASSIGN_OR_RETURN(target, FollowLinks(path));
  }
  if (FileNameOf(target).empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "not a file name: '{}'",
                     AtPath{path});
  }
  std::error_code error;
  if (!fs::is_symlink(target, error)) {
    ZPACK_TRY(CheckDestination(target, overwrite));
  }
  const std::string temporary = TemporaryPathFor(
      leftover == Leftover::kLeave ? target + ".dry-run" : target);
  // Fails now rather than after the rename if the directory is writable but
  // cannot be opened, and thus not be synced.
  ZPACK_TRY(file_system.SyncDirectory(DirectoryOf(target)));
  // All names are allocated before the file exists: the destructor removes the
  // temporary file whatever happens after OpenLocked.
  AtomicFile output(file_system, target, temporary, overwrite, nullptr);
  ZPACK_ASSIGN_OR_RETURN(output.file_, file_system.OpenLocked(temporary));
  if (leftover != Leftover::kKeep) ZPACK_TRY(output.file().Truncate(0));
  return output;
}

void AtomicFile::LimitMode(const std::string& source) {
  std::error_code error;
  const fs::file_status status = fs::status(source, error);
  if (!fs::is_regular_file(status)) return;
  new_mode_ &= static_cast<unsigned>(status.permissions());
}

void AtomicFile::Keep() {
  // Commit may have given other users permission to read.
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
  // The file is removed before its lock is released, so that no other process
  // takes it over in between. If the removal fails, the next run recognises the
  // temporary file.
  if (file_ == nullptr) return;
  CleanUp([this] { (void)file_system_.Remove(temporary_path_); });
}

Status AtomicFile::CommitOver(const std::optional<FileIdentity>& before) {
  if (overwrite_ == Overwrite::kYes) {
    ZPACK_TRY(CheckSameFile(path_, before));
    // A file that appears from now on is not replaced, either.
    if (!before) overwrite_ = Overwrite::kNo;
  }
  return Commit();
}

Status AtomicFile::Commit() {
  const Replace replace =
      overwrite_ == Overwrite::kYes ? Replace::kYes : Replace::kNo;
  // So far only the owner could open the file. If it replaces a file, it gets
  // that file's mode, so that it is not open to more users.
  std::error_code error;
  const fs::file_status old = fs::symlink_status(path_, error);
  const unsigned mode = fs::is_regular_file(old)
                            ? static_cast<unsigned>(old.permissions())
                            : new_mode_ & ~CurrentUmask();
  ZPACK_TRY(file_system_.SetMode(temporary_path_, mode));
  ZPACK_TRY(file_system_.Rename(temporary_path_, path_, replace));
  file_.reset();
  return SyncPublished(file_system_, DirectoryOf(path_), path_);
}

}  // namespace zpack
