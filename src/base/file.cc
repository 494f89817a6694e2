// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/file.h"

#include "base/error.h"

namespace zpack {

Status SyncPublished(FileSystem& file_system, const std::string& directory,
                     const std::string& path) {
  const Status synced = file_system.SyncDirectory(directory);
  if (synced) return {};
  return MakeError(ErrorCode::kNotDurable,
                   "'{}' is complete, but a power failure may undo its rename: "
                   "{}",
                   AtPath{path}, MessageText{synced.error().message});
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string FileNameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

void RandomAccessFile::Prefetch(uint64_t /*begin*/, uint64_t /*end*/) const {}

bool RandomAccessFile::Forget(uint64_t /*begin*/, uint64_t /*end*/) const {
  return false;
}

Result<std::unique_ptr<RandomAccessFile>> RandomAccessFile::OpenBeside(
    const std::string& name) const {
  return MakeError(ErrorCode::kNotFound, "no file '{}' beside '{}'", name,
                   AtPath{path()});
}

Result<Bytes> ReadWholeFile(FileSystem& file_system, const std::string& path,
                            uint64_t limit) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.OpenForRead(path));
  if (file->size() > limit) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "file too large: {} bytes in '{}'", file->size(),
                     AtPath{path});
  }
  Bytes content(file->size());
  ZPACK_TRY(file->Read(0, content));
  return content;
}

}  // namespace zpack
