// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "libgit2/backends.h"

namespace zpack::libgit2 {
namespace {

struct OdbBackend : git_odb_backend {
  SharedArchive archive;
};

zpack_archive* ArchiveOf(git_odb_backend* backend) {
  return static_cast<OdbBackend*>(backend)->archive.get();
}

int ReadObject(void** data, size_t* size, git_object_t* type,
               git_odb_backend* backend, const git_oid* id) {
  const zpack_oid oid = FromGit(*id);
  zpack_object object;
  if (const int code = zpack_read(&object, ArchiveOf(backend), &oid);
      code != ZPACK_OK) {
    return Fail(GIT_ERROR_ODB, code);
  }
  // As libgit2's own backends have it, a NUL follows the content.
  void* copy = git_odb_backend_data_alloc(backend, object.size + 1);
  if (copy != nullptr) {
    if (object.size != 0) std::memcpy(copy, object.data, object.size);
    static_cast<char*>(copy)[object.size] = '\0';
    *data = copy;
    *size = object.size;
    *type = static_cast<git_object_t>(object.type);
  }
  zpack_object_dispose(&object);
  return copy != nullptr ? 0 : GIT_ERROR;
}

int ReadHeader(size_t* size, git_object_t* type, git_odb_backend* backend,
               const git_oid* id) {
  const zpack_oid oid = FromGit(*id);
  zpack_type found_type;
  uint64_t found_size = 0;
  if (const int code =
          zpack_read_header(&found_type, &found_size, ArchiveOf(backend), &oid);
      code != ZPACK_OK) {
    return Fail(GIT_ERROR_ODB, code);
  }
  *size = found_size;
  *type = static_cast<git_object_t>(found_type);
  return 0;
}

int Exists(git_odb_backend* backend, const git_oid* id) {
  const zpack_oid oid = FromGit(*id);
  int found = 0;
  // libgit2 has no error here. Reading the object will report it.
  if (zpack_contains(&found, ArchiveOf(backend), &oid) != ZPACK_OK) return 1;
  return found;
}

// libgit2 does not write an object for which this returns 0. Only an answer of
// the index is one, because what is not written is lost; and the empty tree,
// which libgit2, like Git, has without an object.
int Freshen(git_odb_backend* backend, const git_oid* id) {
  const zpack_oid oid = FromGit(*id);
  int found = 0;
  if (const int code = zpack_contains(&found, ArchiveOf(backend), &oid);
      code != ZPACK_OK) {
    return Fail(GIT_ERROR_ODB, code);
  }
  return found == 1 ? 0 : GIT_ENOTFOUND;
}

int ExistsPrefix(git_oid* out, git_odb_backend* backend, const git_oid* prefix,
                 size_t digits) {
  char hex[ZPACK_OID_HEX_SIZE];
  const zpack_oid padded = FromGit(*prefix);
  zpack_oid_to_hex(hex, &padded);
  hex[digits] = '\0';
  zpack_oid found;
  if (const int code =
          zpack_resolve_abbreviation(&found, ArchiveOf(backend), hex);
      code != ZPACK_OK) {
    return Fail(GIT_ERROR_ODB, code);
  }
  *out = ToGit(found);
  return 0;
}

// NOLINTNEXTLINE(readability-function-size): as libgit2 declares it
int ReadPrefix(git_oid* out, void** data, size_t* size, git_object_t* type,
               git_odb_backend* backend, const git_oid* prefix, size_t digits) {
  git_oid id;
  if (const int code = ExistsPrefix(&id, backend, prefix, digits); code != 0) {
    return code;
  }
  if (const int code = ReadObject(data, size, type, backend, &id); code != 0) {
    return code;
  }
  *out = id;
  return 0;
}

struct ForeachCall {
  git_odb_foreach_cb callback;
  void* payload;
  int returned = 0;
};

int PassId(const zpack_oid* oid, void* payload) {
  auto* const call = static_cast<ForeachCall*>(payload);
  const git_oid id = ToGit(*oid);
  call->returned = call->callback(&id, call->payload);
  return call->returned == 0 ? 0 : 1;
}

int Foreach(git_odb_backend* backend, git_odb_foreach_cb callback,
            void* payload) {
  ForeachCall call = {callback, payload};
  const int code =
      zpack_foreach_oid(ArchiveOf(backend), ZPACK_ORDER_STORAGE, PassId, &call);
  return code < 0 ? Fail(GIT_ERROR_ODB, code) : call.returned;
}

void Free(git_odb_backend* backend) {
  const std::unique_ptr<OdbBackend> owned(static_cast<OdbBackend*>(backend));
}

}  // namespace

git_odb_backend* MakeOdbBackend(SharedArchive archive) noexcept {
  std::unique_ptr<OdbBackend> backend(new (std::nothrow) OdbBackend());
  if (backend == nullptr ||
      git_odb_init_backend(backend.get(), GIT_ODB_BACKEND_VERSION) != 0) {
    return nullptr;
  }
  backend->archive = std::move(archive);
  // An archive does not change while it is open, so there is no `refresh`.
  // Without `write`, libgit2 asks another backend or refuses.
  backend->read = ReadObject;
  backend->read_prefix = ReadPrefix;
  backend->read_header = ReadHeader;
  backend->exists = Exists;
  backend->freshen = Freshen;
  backend->exists_prefix = ExistsPrefix;
  backend->foreach = Foreach;
  backend->free = Free;
  return backend.release();
}

}  // namespace zpack::libgit2
