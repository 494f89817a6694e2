// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/posix_file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/descriptor.h"
#include "base/directory.h"
#include "base/error.h"
#include "base/exclusive_rename.h"
#include "base/posix_file.h"
#include "base/temporary_file.h"
#include "base/url.h"

namespace zpack {
namespace {

class PosixFileSystemImpl final : public FileSystem {
 public:
  explicit PosixFileSystemImpl(const PosixCalls& calls) : calls_(calls) {}

  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(
      const std::string& path) override {
    // O_NONBLOCK: opening a pipe would otherwise wait for a writer. Pipes are
    // refused below.
    Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() < 0) {
      if (errno == ENOENT && IsUrl(path)) {
        return MakeError(ErrorCode::kNotFound,
                         "no file '{}'; URLs are not read here", AtPath{path});
      }
      Error error = IoError("open", path, errno);
      // Nothing can have a name that is too long.
      if (errno == ENOENT || errno == ENAMETOOLONG) {
        error.code = ErrorCode::kNotFound;
      }
      return std::unexpected(std::move(error));
    }
    struct stat info;
    if (fstat(fd.get(), &info) != 0) {
      return std::unexpected(IoError("stat", path, errno));
    }
    if (!S_ISREG(info.st_mode)) {
      return MakeError(ErrorCode::kInvalidArgument, "not a regular file: '{}'",
                       AtPath{path});
    }
    return MakeRandomAccessFile(std::move(fd), path,
                                static_cast<uint64_t>(info.st_size));
  }

  Result<std::unique_ptr<WritableFile>> CreateLocked(
      const std::string& path) override {
    return OpenTemporary(path, 0644, LeftoverContent::kDrop);
  }

  Result<std::unique_ptr<WritableFile>> OpenLocked(
      const std::string& path) override {
    return OpenTemporary(path, 0600, LeftoverContent::kKeep);
  }

  Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) override {
    return MakeWritableFile(path, [&]() -> Result<OpenedFile> {
      Descriptor fd(open(path.c_str(),
                         O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         0666));
      if (fd.get() >= 0) return OpenedFile{std::move(fd), 0};
      const int number = errno;
      Error error = IoError("create", path, number);
      if (number == EEXIST) error.code = ErrorCode::kExists;
      return std::unexpected(std::move(error));
    });
  }

  Status MakeDirectory(const std::string& path, unsigned mode) override {
    return zpack::MakeDirectory(path, mode);
  }

  Status Rename(const std::string& from, const std::string& to,
                Replace replace) override {
    if (replace == Replace::kNo) return RenameExclusively(calls_, from, to);
    const unsigned flags = replace == Replace::kExchange ? RENAME_EXCHANGE : 0;
    if (calls_.rename(from.c_str(), to.c_str(), flags) == 0) return {};
    if (flags != 0 && IsUnsupportedCall(errno)) {
      return MakeError(ErrorCode::kUnsupported,
                       "the file system of '{}' cannot exchange two names",
                       AtPath{to});
    }
    Error error = IoError("rename to", to, errno);
    if (errno == ENOTEMPTY || errno == EEXIST) error.code = ErrorCode::kExists;
    return std::unexpected(std::move(error));
  }

  Status SetMode(const std::string& path, unsigned mode) override {
    if (calls_.set_mode(path.c_str(), mode) == 0) return {};
    // A file system without modes refuses modes that it cannot represent.
    if (errno == EPERM || IsUnsupportedCall(errno)) return {};
    return std::unexpected(IoError("chmod", path, errno));
  }

  Status SetModified(const std::string& path, int64_t seconds) override {
    timespec time{};
    time.tv_sec = seconds;
    const std::array<timespec, 2> times = {time, time};
    if (utimensat(AT_FDCWD, path.c_str(), times.data(), 0) != 0) {
      return std::unexpected(IoError("set the time of", path, errno));
    }
    return {};
  }

  Status SyncDirectory(const std::string& path) override {
    Descriptor fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) return std::unexpected(IoError("open", path, errno));
    // Some file systems cannot sync a directory.
    if (calls_.sync_directory(fd.get()) != 0 && !IsUnsupportedCall(errno)) {
      return std::unexpected(IoError("fsync", path, errno));
    }
    return {};
  }

  Status SyncFileSystem(const std::string& path) override {
    Descriptor fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) return std::unexpected(IoError("open", path, errno));
    if (calls_.sync_file_system(fd.get()) == 0) return {};
    if (!IsUnsupportedCall(errno)) {
      return std::unexpected(IoError("syncfs", path, errno));
    }
    sync();
    return {};
  }

  Status Remove(const std::string& path) override {
    if (unlink(path.c_str()) != 0) {
      return std::unexpected(IoError("remove", path, errno));
    }
    return {};
  }

  Status RemoveTree(const std::string& path) override {
    return zpack::RemoveTree(path);
  }

 private:
  Result<std::unique_ptr<WritableFile>> OpenTemporary(
      const std::string& path, mode_t mode, LeftoverContent leftover) {
    return MakeWritableFile(
        path, [&] { return OpenTemporaryFile(calls_, path, mode, leftover); });
  }

  PosixCalls calls_;
};

}  // namespace

FileSystem& PosixFileSystem() {
  static PosixFileSystemImpl file_system{PosixCalls{}};
  return file_system;
}

std::unique_ptr<FileSystem> MakePosixFileSystem(const PosixCalls& calls) {
  return std::make_unique<PosixFileSystemImpl>(calls);
}

}  // namespace zpack
