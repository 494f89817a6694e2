// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/publish_file.h"

#include <sys/stat.h>

#include <memory>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/file.h"
#include "base/guarded.h"
#include "zpack/options.h"

namespace zpack {
namespace {

std::unexpected<Error> WasChanged(const std::string& path) {
  return MakeError(ErrorCode::kExists,
                   "another process changed '{}' in the meantime, so it is not "
                   "replaced; run the command again",
                   AtPath{path});
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

ReplacementFile::ReplacementFile(AtomicFile file)
    : file_(std::make_unique<AtomicFile>(std::move(file))) {}
ReplacementFile::ReplacementFile(ReplacementFile&& other) noexcept = default;
ReplacementFile::~ReplacementFile() = default;

Result<ReplacementFile> ReplacementFile::Create(const std::string& path) {
  return Guarded([&]() -> Result<ReplacementFile> {
    ZPACK_ASSIGN_OR_RETURN(
        AtomicFile file,
        AtomicFile::Create(PosixFileSystem(), path, Overwrite::kYes));
    return ReplacementFile(std::move(file));
  });
}

const std::string& ReplacementFile::temporary_path() const {
  return file_->temporary_path();
}

Status ReplacementFile::Publish(const std::optional<FileIdentity>& before) {
  return Guarded([&]() -> Status {
    ZPACK_TRY(file_->file().Sync());
    return file_->CommitOver(before);
  });
}

}  // namespace zpack
