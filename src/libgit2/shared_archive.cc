// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "libgit2/shared_archive.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "libgit2/error_functions.h"

namespace zpack::libgit2 {
namespace {

// libgit2 < 2.0: reads SHA-256 objects only in experimental builds.
constexpr size_t kIdSize = 20;

}  // namespace

int Open(SharedArchive& out, const char* path,
         const zpack_open_options* options) {
  zpack_open_options given = ZPACK_OPEN_OPTIONS_INIT;
  if (options != nullptr) {
    given.version = options->version;
    // zpack_open refuses all other versions.
    if (given.version == ZPACK_OPEN_OPTIONS_VERSION) {
      given = *options;
    } else if (given.version == 1) {
      std::memcpy(&given, options, offsetof(zpack_open_options, backing));
    }
  }
  given.skip_hashes = 1;
  zpack_archive* archive = nullptr;
  if (const int code = zpack_open(&archive, path, &given); code != ZPACK_OK) {
    return Fail(GIT_ERROR_ODB, code);
  }
  SharedArchive owned(archive, zpack_archive_free);
  if (zpack_oid_size(archive) != kIdSize) {
    git_error_set_str(GIT_ERROR_ODB,
                      "libgit2 reads archives with SHA-1 ids only");
    return GIT_EINVALID;
  }
  out = std::move(owned);
  return 0;
}

int Fail(int category, int code) noexcept {
  switch (code) {
    case ZPACK_ENOTFOUND:
      git_error_set_str(category, zpack_error_last()->message);
      return GIT_ENOTFOUND;
    case ZPACK_EAMBIGUOUS:
      git_error_set_str(category, zpack_error_last()->message);
      return GIT_EAMBIGUOUS;
    case ZPACK_EINVALID:
      git_error_set_str(category, zpack_error_last()->message);
      return GIT_EINVALID;
    case ZPACK_ENOMEMORY:
      return OutOfMemory();
    default:
      git_error_set_str(category, zpack_error_last()->message);
      return GIT_ERROR;
  }
}

int OutOfMemory() noexcept {
  git_error_set_oom();
  return GIT_ERROR;
}

int RefuseNull() noexcept {
  git_error_set_str(GIT_ERROR_INVALID, "an argument that is needed is NULL");
  return GIT_EINVALID;
}

int RefuseToWrite(int category) noexcept {
  git_error_set_str(category, "an archive cannot be changed");
  return GIT_ERROR;
}

zpack_oid FromGit(const git_oid& id) noexcept {
  zpack_oid oid = {};
  std::copy_n(id.id, kIdSize, oid.bytes);
  oid.size = kIdSize;
  return oid;
}

git_oid ToGit(const zpack_oid& id) noexcept {
  git_oid oid = {};
  std::copy_n(id.bytes, kIdSize, oid.id);
  return oid;
}

}  // namespace zpack::libgit2
