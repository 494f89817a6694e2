// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/temporary_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/same_file.h"

namespace zpack {
namespace {

enum class Lock : uint8_t { kHeld, kBusy, kUnknown };

Result<Lock> TryLock(const PosixCalls& calls, int fd, const std::string& path) {
  if (calls.lock(fd) == 0) return Lock::kHeld;
  if (errno == EWOULDBLOCK) return Lock::kBusy;
  // Some file systems have no locks, for example NFS without a lock service,
  // and FUSE.
  if (IsUnsupportedCall(errno) || errno == ENOLCK) return Lock::kUnknown;
  return std::unexpected(IoError("lock", path, errno));
}

std::unexpected<Error> InUse(const std::string& path) {
  return MakeError(ErrorCode::kExists, "another process is writing '{}'",
                   AtPath{path});
}

// The new file. Nothing if the name exists, or if another process took the new
// file over before it was locked.
Result<std::optional<OpenedFile>> CreateNew(const PosixCalls& calls,
                                            const std::string& path,
                                            mode_t mode) {
  Descriptor fd(open(path.c_str(),
                     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (fd.get() < 0) {
    if (errno == EEXIST) return std::nullopt;
    return std::unexpected(IoError("create", path, errno));
  }
  // If the file system has no locks, creating the file must be enough: then no
  // process takes over an existing file.
  ZPACK_ASSIGN_OR_RETURN(const Lock lock, TryLock(calls, fd.get(), path));
  if (lock == Lock::kBusy) return InUse(path);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) {
    return std::unexpected(IoError("stat", path, errno));
  }
  // Another process may rename or remove the file between our open and our
  // lock.
  if (!IsNameOf(path, info)) return std::nullopt;
  return OpenedFile{std::move(fd), 0};
}

Result<Descriptor> OpenLeftover(const std::string& path) {
  // Some leftovers can only be opened for reading: published files and files of
  // other users.
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor fd(open(path.c_str(), O_RDWR | kFlags));
  if (fd.get() >= 0) return fd;
  Descriptor readable(open(path.c_str(), O_RDONLY | kFlags));
  if (readable.get() >= 0 || errno == ENOENT) return readable;
  const int number = errno;
  struct stat info;
  if (number == EACCES && lstat(path.c_str(), &info) == 0 &&
      info.st_uid != geteuid()) {
    return MakeError(ErrorCode::kExists,
                     "'{}' belongs to user {}, who may be writing it; remove "
                     "it if no process does",
                     AtPath{path}, info.st_uid);
  }
  return std::unexpected(IoError("open", path, number));
}

// True if only this user can have written to the file.
bool IsOurs(int fd, const struct stat& info) {
  return info.st_uid == geteuid() && info.st_nlink == 1 &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
         (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

// Opens or removes the existing file. Nothing if the file is gone.
Result<std::optional<OpenedFile>> TakeOver(const PosixCalls& calls,
                                           const std::string& path, mode_t mode,
                                           LeftoverContent leftover) {
  struct stat info;
  // Does not open anything but a regular file: opening a device can have side
  // effects.
  if (lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return std::nullopt;
    return std::unexpected(IoError("stat", path, errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "'{}' is in the way: not a regular file", AtPath{path});
  }
  ZPACK_ASSIGN_OR_RETURN(Descriptor fd, OpenLeftover(path));
  if (fd.get() < 0) return std::nullopt;
  ZPACK_ASSIGN_OR_RETURN(const Lock lock, TryLock(calls, fd.get(), path));
  if (lock == Lock::kBusy) return InUse(path);
  if (lock == Lock::kUnknown) {
    return MakeError(ErrorCode::kExists,
                     "another process may be writing '{}', whose file system "
                     "has no locks; remove it if no process does",
                     AtPath{path});
  }
  if (fstat(fd.get(), &info) != 0) {
    return std::unexpected(IoError("stat", path, errno));
  }
  if (!IsNameOf(path, info)) return std::nullopt;
  if (leftover == LeftoverContent::kKeep && S_ISREG(info.st_mode) &&
      IsOurs(fd.get(), info)) {
    // Without the type of the file. musl has no ALLPERMS.
    constexpr mode_t kModeBits = 07777;
    if ((info.st_mode & kModeBits) != mode && fchmod(fd.get(), mode) != 0) {
      return std::unexpected(IoError("chmod", path, errno));
    }
    return OpenedFile{std::move(fd), static_cast<uint64_t>(info.st_size)};
  }
  // A file with a second name must not be written to. The second name may be a
  // file published by a hard link, or a file that an attacker wants
  // overwritten.
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return std::unexpected(IoError("remove", path, errno));
  }
  return std::nullopt;
}

}  // namespace

Result<OpenedFile> OpenTemporaryFile(const PosixCalls& calls,
                                     const std::string& path, mode_t mode,
                                     LeftoverContent leftover) {
  // Limited, because other processes may create and remove the file again and
  // again.
  constexpr int kMaxAttempts = 100;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    ZPACK_ASSIGN_OR_RETURN(auto made, CreateNew(calls, path, mode));
    if (made) return std::move(*made);
    ZPACK_ASSIGN_OR_RETURN(auto taken, TakeOver(calls, path, mode, leftover));
    if (taken) return std::move(*taken);
  }
  return InUse(path);
}

}  // namespace zpack
