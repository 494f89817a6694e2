// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/posix_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

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
        Error error = IoError("read", path_, errno);
        error.offset = offset;
        return std::unexpected(std::move(error));
      }
      if (got == 0) {
        return MakeError(ErrorCode::kCorrupt,
                         "unexpected end of file at offset {} of '{}'",
                         AtOffset{offset}, AtPath{path_});
      }
      offset += static_cast<uint64_t>(got);
      out = out.subspan(static_cast<size_t>(got));
    }
    return {};
  }
  uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }
  Result<std::unique_ptr<RandomAccessFile>> OpenBeside(
      const std::string& name) const override {
    const size_t slash = path_.rfind('/');
    return PosixFileSystem().OpenForRead(
        slash == std::string::npos ? name : path_.substr(0, slash + 1) + name);
  }

 private:
  Descriptor fd_;
  std::string path_;
  uint64_t size_;
};

class PosixWritableFile final : public WritableFile {
 public:
  explicit PosixWritableFile(std::string path) : path_(std::move(path)) {}

  void Take(OpenedFile opened) {
    fd_ = std::move(opened.fd);
    size_ = opened.size;
  }

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
  Descriptor fd_{-1};
  std::string path_;
  uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<RandomAccessFile> MakeRandomAccessFile(Descriptor fd,
                                                       std::string path,
                                                       uint64_t size) {
  return std::make_unique<PosixRandomAccessFile>(std::move(fd), std::move(path),
                                                 size);
}

Result<std::unique_ptr<WritableFile>> MakeWritableFile(
    const std::string& path, const std::function<Result<OpenedFile>()>& open) {
  auto file = std::make_unique<PosixWritableFile>(path);
  ZPACK_ASSIGN_OR_RETURN(OpenedFile opened, open());
  file->Take(std::move(opened));
  return file;
}

}  // namespace zpack
