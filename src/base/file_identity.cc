// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/file_identity.h"

#include <sys/stat.h>

#include "base/error.h"

namespace zpack {

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
  return MakeError(ErrorCode::kExists,
                   "another process changed '{}' in the meantime, so it is not "
                   "replaced; run the command again",
                   AtPath{path});
}

}  // namespace zpack
