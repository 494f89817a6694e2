// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <git2/sys/repository.h>

#include <new>
#include <utility>

#include "libgit2/backends.h"
#include "libgit2/handles.h"
#include "libgit2/scratch_repository.h"
#include "libgit2/shared_archive.h"
#include "zpack/git2.h"

namespace zpack::libgit2 {
namespace {

// Opens the file `path` and returns what `body` returns for it, a code of
// libgit2. `out` is where `body` puts what it makes.
template <typename Made, typename Body>
int WithArchive(Made** out, const char* path, const zpack_open_options* options,
                Body body) noexcept {
  if (out == nullptr || path == nullptr) return RefuseNull();
  try {
    SharedArchive archive;
    const int code = Open(archive, path, options);
    return code == 0 ? body(std::move(archive)) : code;
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

// Passes on what a function made; null stands for lack of memory.
template <typename Backend>
int Give(Backend** out, Backend* made) {
  if (made == nullptr) return OutOfMemory();
  *out = made;
  return 0;
}

// Makes a database of the objects in `archive`.
int MakeOdb(Handle<git_odb>& out, const SharedArchive& archive) {
  git_odb* made = nullptr;
  if (const int code = git_odb_new(&made); code != 0) return code;
  out.reset(made);
  git_odb_backend* const backend = MakeOdbBackend(archive);
  if (backend == nullptr) return OutOfMemory();
  const int code = git_odb_add_backend(made, backend, 1);
  if (code != 0) backend->free(backend);
  return code;
}

// Makes a database of the refs in `archive`, for `repository`.
int MakeRefdb(Handle<git_refdb>& out, git_repository* repository,
              const SharedArchive& archive) {
  git_refdb* made = nullptr;
  if (const int code = git_refdb_new(&made, repository); code != 0) return code;
  out.reset(made);
  git_refdb_backend* const backend = MakeRefdbBackend(archive.get());
  if (backend == nullptr) return OutOfMemory();
  const int code = git_refdb_set_backend(made, backend);
  if (code != 0) backend->free(backend);
  return code;
}

int OpenRepository(git_repository** out, const SharedArchive& archive) {
  Handle<git_repository> repository;
  if (const int code = Receive(repository, MakeBareRepository); code != 0) {
    return code;
  }
  Handle<git_odb> odb;
  if (const int code = MakeOdb(odb, archive); code != 0) return code;
  if (const int code = git_repository_set_odb(repository.get(), odb.get());
      code != 0) {
    return code;
  }
  Handle<git_refdb> refdb;
  if (const int code = MakeRefdb(refdb, repository.get(), archive); code != 0) {
    return code;
  }
  if (const int code = git_repository_set_refdb(repository.get(), refdb.get());
      code != 0) {
    return code;
  }
  *out = repository.release();
  return 0;
}

}  // namespace

extern "C" {

int zpack_repository_open(git_repository** out, const char* path,
                          const zpack_open_options* options) {
  return WithArchive(out, path, options, [&](const SharedArchive& archive) {
    return OpenRepository(out, archive);
  });
}

int zpack_odb_backend(git_odb_backend** out, const char* path,
                      const zpack_open_options* options) {
  return WithArchive(out, path, options, [&](SharedArchive archive) {
    return Give(out, MakeOdbBackend(std::move(archive)));
  });
}

int zpack_refdb_backend(git_refdb_backend** out, const char* path,
                        const zpack_open_options* options) {
  return WithArchive(out, path, options, [&](const SharedArchive& archive) {
    return Give(out, MakeRefdbBackend(archive.get()));
  });
}

}  // extern "C"

}  // namespace zpack::libgit2
