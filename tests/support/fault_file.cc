// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/fault_file.h"

#include <cerrno>
#include <utility>

#include "base/error.h"

namespace zpack::testing {
namespace {

class FaultReader final : public RandomAccessFile {
 public:
  FaultReader(FaultFileSystem& system, std::unique_ptr<RandomAccessFile> file)
      : system_(system), file_(std::move(file)) {}
  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    ZPACK_TRY(system_.Call("read", path()));
    return file_->Read(offset, out);
  }
  uint64_t size() const override { return file_->size(); }
  const std::string& path() const override { return file_->path(); }
  Result<std::unique_ptr<RandomAccessFile>> OpenBeside(
      const std::string& name) const override {
    return system_.OpenForRead(DirectoryOf(path()) + '/' + name);
  }

 private:
  FaultFileSystem& system_;
  std::unique_ptr<RandomAccessFile> file_;
};

class FaultWriter final : public WritableFile {
 public:
  FaultWriter(FaultFileSystem& system, std::unique_ptr<WritableFile> file)
      : system_(system), file_(std::move(file)) {}
  Status Append(ByteView bytes) override {
    Status status = system_.Call("write", path());
    if (!status && system_.fault() != FaultFileSystem::Fault::kError &&
        !system_.gone()) {
      ZPACK_TRY(file_->Append(bytes.first(bytes.size() / 2)));
    }
    if (!status) return status;
    return file_->Append(bytes);
  }
  Status WriteAt(uint64_t offset, ByteView bytes) override {
    ZPACK_TRY(system_.Call("write", path()));
    return file_->WriteAt(offset, bytes);
  }
  Status Sync() override { return system_.Call("fsync", path()); }
  Status Truncate(uint64_t size) override {
    ZPACK_TRY(system_.Call("truncate", path()));
    return file_->Truncate(size);
  }
  uint64_t size() const override { return file_->size(); }
  const std::string& path() const override { return file_->path(); }

 private:
  FaultFileSystem& system_;
  std::unique_ptr<WritableFile> file_;
};

}  // namespace

Status FaultFileSystem::Call(const std::string& what, const std::string& path) {
  if (meanwhile_) meanwhile_(what, path);
  const int call = calls_++;
  ++by_kind_[what];
  gone_ = fault_ == Fault::kKill && fail_at_ >= 0 && call > fail_at_;
  if (call != fail_at_ && !gone_) return {};
  if (!gone_) failed_ = what;
  return std::unexpected(
      IoError(what, path, fault_ == Fault::kError ? EIO : ENOSPC));
}

Result<std::unique_ptr<RandomAccessFile>> FaultFileSystem::OpenForRead(
    const std::string& path) {
  ZPACK_TRY(Call("open", path));
  ZPACK_ASSIGN_OR_RETURN(auto file, PosixFileSystem().OpenForRead(path));
  return std::make_unique<FaultReader>(*this, std::move(file));
}

Result<std::unique_ptr<WritableFile>> FaultFileSystem::CreateLocked(
    const std::string& path) {
  ZPACK_TRY(Call("create", path));
  ZPACK_ASSIGN_OR_RETURN(auto file, PosixFileSystem().CreateLocked(path));
  return std::make_unique<FaultWriter>(*this, std::move(file));
}

Result<std::unique_ptr<WritableFile>> FaultFileSystem::OpenLocked(
    const std::string& path) {
  ZPACK_TRY(Call("create", path));
  ZPACK_ASSIGN_OR_RETURN(auto file, PosixFileSystem().OpenLocked(path));
  return std::make_unique<FaultWriter>(*this, std::move(file));
}

Result<std::unique_ptr<WritableFile>> FaultFileSystem::Create(
    const std::string& path) {
  ZPACK_TRY(Call("create", path));
  ZPACK_ASSIGN_OR_RETURN(auto file, PosixFileSystem().Create(path));
  return std::make_unique<FaultWriter>(*this, std::move(file));
}

Status FaultFileSystem::MakeDirectory(const std::string& path, unsigned mode) {
  ZPACK_TRY(Call("mkdir", path));
  return PosixFileSystem().MakeDirectory(path, mode);
}

Status FaultFileSystem::Rename(const std::string& from, const std::string& to,
                               Replace replace) {
  ZPACK_TRY(Call("rename", to));
  return PosixFileSystem().Rename(from, to, replace);
}

Status FaultFileSystem::SetMode(const std::string& path, unsigned mode) {
  ZPACK_TRY(Call("chmod", path));
  return PosixFileSystem().SetMode(path, mode);
}

Status FaultFileSystem::SetModified(const std::string& path, int64_t seconds) {
  ZPACK_TRY(Call("utime", path));
  return PosixFileSystem().SetModified(path, seconds);
}

Status FaultFileSystem::SyncDirectory(const std::string& path) {
  return Call("fsync", path);
}

Status FaultFileSystem::SyncFileSystem(const std::string& path) {
  return Call("fsync", path);
}

Status FaultFileSystem::Remove(const std::string& path) {
  if (fault_ == Fault::kKill && !failed_.empty()) return {};
  return PosixFileSystem().Remove(path);
}

Status FaultFileSystem::RemoveTree(const std::string& path) {
  if (fault_ == Fault::kKill && !failed_.empty()) return {};
  return PosixFileSystem().RemoveTree(path);
}

}  // namespace zpack::testing
