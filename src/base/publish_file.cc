// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/publish_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file.h"
#include "base/guarded.h"
#include "base/posix_file_system.h"

namespace zpack {
namespace {

std::unexpected<Error> WasChanged(const std::string& path) {
  return MakeError(ErrorCode::kExists,
                   "another process changed '{}' in the meantime, so it is not "
                   "replaced; run the command again",
                   AtPath{path});
}

Status SyncFile(FileSystem& file_system, const std::string& path) {
  constexpr int kFlags = O_NOFOLLOW | O_CLOEXEC;
  Descriptor fd(open(path.c_str(), O_RDONLY | kFlags));
  if (fd.get() < 0) fd = Descriptor(open(path.c_str(), O_WRONLY | kFlags));
  if (fd.get() >= 0) {
    if (fsync(fd.get()) == 0) return {};
    return std::unexpected(IoError("fsync", path, errno));
  }
  // The file has the mode of the file that it replaces, with which perhaps not
  // even its owner can open it.
  if (errno == EACCES) return file_system.SyncFileSystem(DirectoryOf(path));
  return std::unexpected(IoError("open", path, errno));
}

Status Publish(const std::string& temporary, const std::string& path,
               const std::optional<FileIdentity>& before) {
  FileSystem& file_system = PosixFileSystem();
  ZPACK_TRY(SyncFile(file_system, temporary));
  std::string target = path;
  if (before) {
    std::error_code error;
    target = std::filesystem::canonical(path, error).string();
    if (error) return WasChanged(path);
  }
  ZPACK_TRY(CheckSameFile(path, before));
  const Status renamed = file_system.Rename(
      temporary, target, before ? Replace::kYes : Replace::kNo);
  if (!renamed && renamed.error().code == ErrorCode::kExists) {
    return WasChanged(path);
  }
  ZPACK_TRY(renamed);
  return SyncPublished(file_system, DirectoryOf(target), path);
}

}  // namespace

std::optional<FileIdentity> IdentityOf(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileIdentity{
      info.st_dev, info.st_ino, static_cast<uint64_t>(info.st_size),
      info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec};
}

Status CheckSameFile(const std::string& path,
                     const std::optional<FileIdentity>& before) {
  if (IdentityOf(path) == before) return {};
  return WasChanged(path);
}

Status PublishFile(const std::string& temporary, const std::string& path,
                   const std::optional<FileIdentity>& before) {
  return Guarded([&] { return Publish(temporary, path, before); });
}

}  // namespace zpack
