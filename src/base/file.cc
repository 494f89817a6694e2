// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "base/error.h"

namespace zpack {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

class PosixRandomAccessFile final : public RandomAccessFile {
 public:
  PosixRandomAccessFile(Descriptor fd, std::string path, uint64_t size)
      : fd_(std::move(fd)), path_(std::move(path)), size_(size) {}

  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    while (!out.empty()) {
      const ssize_t got =
          pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(offset));
      if (got < 0) {
        if (errno == EINTR) continue;
        return std::unexpected(IoError("read", path_, errno));
      }
      if (got == 0) {
        return MakeError(ErrorCode::kCorrupt,
                         "unexpected end of file at offset {} of '{}'", offset,
                         path_);
      }
      offset += static_cast<uint64_t>(got);
      out = out.subspan(static_cast<size_t>(got));
    }
    return {};
  }
  uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  Descriptor fd_;
  std::string path_;
  uint64_t size_;
};

class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(Descriptor fd, std::string path, uint64_t size)
      : fd_(std::move(fd)), path_(std::move(path)), size_(size) {}

  Status Append(ByteView bytes) override {
    const uint64_t offset = size_;
    size_ += bytes.size();
    return WriteAt(offset, bytes);
  }

  Status WriteAt(uint64_t offset, ByteView bytes) override {
    while (!bytes.empty()) {
      const ssize_t put = pwrite(fd_.get(), bytes.data(), bytes.size(),
                                 static_cast<off_t>(offset));
      if (put < 0) {
        if (errno == EINTR) continue;
        return std::unexpected(IoError("write", path_, errno));
      }
      offset += static_cast<uint64_t>(put);
      bytes = bytes.subspan(static_cast<size_t>(put));
    }
    return {};
  }

  Status Sync() override {
    if (fsync(fd_.get()) != 0) {
      return std::unexpected(IoError("fsync", path_, errno));
    }
    posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_DONTNEED);
    return {};
  }

  Status Truncate(uint64_t size) override {
    if (ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) {
      return std::unexpected(IoError("truncate", path_, errno));
    }
    size_ = size;
    return {};
  }
  uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  Descriptor fd_;
  std::string path_;
  uint64_t size_;
};

// Removes a file that nobody holds and that may not be written: one that was
// finished, but whose process was killed before it was renamed.
Status RemoveStale(const std::string& path) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (fd.get() < 0) return std::unexpected(IoError("open", path, errno));
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return std::unexpected(IoError("lock", path, errno));
    }
    return MakeError(ErrorCode::kExists, "another process is writing '{}'",
                     path);
  }
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return std::unexpected(IoError("remove", path, errno));
  }
  return {};
}

class PosixFileSystemImpl final : public FileSystem {
 public:
  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(
      const std::string& path) override {
    // A pipe would wait for a writer; it is refused below.
    Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd.get() < 0) {
      Error error = IoError("open", path, errno);
      if (errno == ENOENT) error.code = ErrorCode::kNotFound;
      return std::unexpected(std::move(error));
    }
    struct stat info;
    if (fstat(fd.get(), &info) != 0) {
      return std::unexpected(IoError("stat", path, errno));
    }
    if (!S_ISREG(info.st_mode)) {
      return MakeError(ErrorCode::kInvalidArgument, "not a regular file: '{}'",
                       path);
    }
    return std::make_unique<PosixRandomAccessFile>(
        std::move(fd), path, static_cast<uint64_t>(info.st_size));
  }

  Result<std::unique_ptr<WritableFile>> CreateLocked(
      const std::string& path) override {
    ZPACK_ASSIGN_OR_RETURN(auto file, OpenLocked(path));
    ZPACK_TRY(file->Truncate(0));
    return file;
  }

  Result<std::unique_ptr<WritableFile>> OpenLocked(
      const std::string& path) override {
    while (true) {
      Descriptor fd(
          open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
      if (fd.get() < 0) {
        const int number = errno;
        struct stat info;
        if (number != EACCES || lstat(path.c_str(), &info) != 0 ||
            (info.st_mode & (S_IFMT | S_IWUSR)) != S_IFREG) {
          return std::unexpected(IoError("create", path, number));
        }
        ZPACK_TRY(RemoveStale(path));
        continue;
      }
      if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) {
          return std::unexpected(IoError("lock", path, errno));
        }
        return MakeError(ErrorCode::kExists, "another process is writing '{}'",
                         path);
      }
      // The previous holder may have renamed or removed the file between our
      // open and our lock; then we hold the lock of something else.
      struct stat held;
      struct stat named;
      if (fstat(fd.get(), &held) != 0) {
        return std::unexpected(IoError("stat", path, errno));
      }
      if (stat(path.c_str(), &named) != 0 || held.st_ino != named.st_ino ||
          held.st_dev != named.st_dev) {
        continue;
      }
      return std::make_unique<PosixWritableFile>(
          std::move(fd), path, static_cast<uint64_t>(held.st_size));
    }
  }

  Result<std::unique_ptr<WritableFile>> Create(
      const std::string& path) override {
    Descriptor fd(
        open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd.get() < 0) {
      Error error = IoError("create", path, errno);
      if (errno == EEXIST) error.code = ErrorCode::kExists;
      return std::unexpected(std::move(error));
    }
    return std::make_unique<PosixWritableFile>(std::move(fd), path, 0);
  }

  Status Rename(const std::string& from, const std::string& to,
                Replace replace) override {
    unsigned flags = 0;
    if (replace == Replace::kNo) flags = RENAME_NOREPLACE;
    if (replace == Replace::kExchange) flags = RENAME_EXCHANGE;
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0) {
      return {};
    }
    if (errno == EEXIST && replace == Replace::kNo) {
      return MakeError(ErrorCode::kExists, "'{}' already exists", to);
    }
    // Not every file system knows RENAME_NOREPLACE; a hard link refuses an
    // existing name just as well.
    if (errno == EINVAL && replace == Replace::kNo) {
      if (link(from.c_str(), to.c_str()) == 0) return Remove(from);
      if (errno == EEXIST) {
        return MakeError(ErrorCode::kExists, "'{}' already exists", to);
      }
    }
    return std::unexpected(IoError("rename to", to, errno));
  }

  Status SetMode(const std::string& path, unsigned mode) override {
    if (chmod(path.c_str(), mode) != 0) {
      return std::unexpected(IoError("chmod", path, errno));
    }
    return {};
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
    // Some file systems cannot sync a directory and say EINVAL.
    if (fsync(fd.get()) != 0 && errno != EINVAL) {
      return std::unexpected(IoError("fsync", path, errno));
    }
    return {};
  }

  Status SyncFileSystem(const std::string& path) override {
    Descriptor fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) return std::unexpected(IoError("open", path, errno));
    if (syncfs(fd.get()) != 0) {
      return std::unexpected(IoError("syncfs", path, errno));
    }
    return {};
  }

  Status Remove(const std::string& path) override {
    if (unlink(path.c_str()) != 0) {
      return std::unexpected(IoError("remove", path, errno));
    }
    return {};
  }
};

}  // namespace

FileSystem& PosixFileSystem() {
  static PosixFileSystemImpl file_system;
  return file_system;
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string FileNameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

Result<Bytes> ReadWholeFile(FileSystem& file_system, const std::string& path,
                            uint64_t limit) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.OpenForRead(path));
  if (file->size() > limit) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "file too large: {} bytes in '{}'", file->size(), path);
  }
  Bytes content(file->size());
  ZPACK_TRY(file->Read(0, content));
  return content;
}

}  // namespace zpack
