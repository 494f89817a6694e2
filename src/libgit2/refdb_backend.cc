// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fnmatch.h>
#include <git2/sys/refs.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "libgit2/backends.h"
#include "libgit2/error_functions.h"
#include "libgit2/scratch_repository.h"

namespace zpack::libgit2 {
namespace {

struct StoredRef {
  explicit StoredRef(const zpack_ref& ref)
      : name(ref.name),
        symref_target(ref.symref_target != nullptr ? ref.symref_target : ""),
        target(ref.target),
        peeled(ref.peeled) {}

  bool exists() const { return !symref_target.empty() || target.size != 0; }

  std::string name;
  std::string symref_target;
  zpack_oid target;
  zpack_oid peeled;
};

struct RefdbBackend : git_refdb_backend {
  std::vector<StoredRef> refs;  // ascending by name, with HEAD
};

const RefdbBackend& Self(const git_refdb_backend* backend) {
  return *static_cast<const RefdbBackend*>(backend);
}

// Null if there is no such ref.
const StoredRef* Find(const git_refdb_backend* backend, std::string_view name) {
  const auto& refs = Self(backend).refs;
  const auto found = std::ranges::lower_bound(refs, name, {}, &StoredRef::name);
  if (found == refs.end() || found->name != name) return nullptr;
  return &*found;
}

int MakeReference(git_reference** out, const StoredRef& ref) {
  if (!ref.symref_target.empty()) {
    *out = git_reference__alloc_symbolic(ref.name.c_str(),
                                         ref.symref_target.c_str());
  } else {
    const git_oid target = ToGit(ref.target);
    const git_oid peeled = ToGit(ref.peeled);
    *out = git_reference__alloc(ref.name.c_str(), &target,
                                ref.peeled.size != 0 ? &peeled : nullptr);
  }
  return *out != nullptr ? 0 : GIT_ERROR;
}

int RefExists(int* exists, git_refdb_backend* backend, const char* name) {
  *exists = Find(backend, name) != nullptr ? 1 : 0;
  return 0;
}

int Lookup(git_reference** out, git_refdb_backend* backend, const char* name) {
  const StoredRef* const ref = Find(backend, name);
  if (ref != nullptr) return MakeReference(out, *ref);
  *out = nullptr;
  try {
    const std::string message =
        std::string("reference '") + name + "' not found";
    git_error_set_str(GIT_ERROR_REFERENCE, message.c_str());
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
  return GIT_ENOTFOUND;
}

struct RefIterator : git_reference_iterator {
  std::vector<const StoredRef*> refs;
  size_t next_index = 0;
};

// Null at the end.
const StoredRef* Advance(git_reference_iterator* iterator) {
  auto& self = *static_cast<RefIterator*>(iterator);
  if (self.next_index == self.refs.size()) return nullptr;
  return self.refs[self.next_index++];
}

int NextReference(git_reference** out, git_reference_iterator* iterator) {
  const StoredRef* const ref = Advance(iterator);
  return ref != nullptr ? MakeReference(out, *ref) : GIT_ITEROVER;
}

int NextName(const char** out, git_reference_iterator* iterator) {
  const StoredRef* const ref = Advance(iterator);
  if (ref == nullptr) return GIT_ITEROVER;
  *out = ref->name.c_str();
  return 0;
}

void FreeIterator(git_reference_iterator* iterator) {
  const std::unique_ptr<RefIterator> owned(static_cast<RefIterator*>(iterator));
}

// Whether an iterator for `glob` (null for all refs) passes `ref`.
bool Passes(const StoredRef& ref, const char* glob) {
  if (!ref.name.starts_with("refs/")) return false;  // HEAD
  return glob == nullptr || fnmatch(glob, ref.name.c_str(), 0) == 0;
}

int MakeIterator(git_reference_iterator** out, git_refdb_backend* backend,
                 const char* glob) {
  try {
    auto iterator = std::make_unique<RefIterator>();
    for (const StoredRef& ref : Self(backend).refs) {
      if (Passes(ref, glob)) iterator->refs.push_back(&ref);
    }
    iterator->next = NextReference;
    iterator->next_name = NextName;
    iterator->free = FreeIterator;
    *out = iterator.release();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
  return 0;
}

// Refuses a change, whatever its arguments are.
constexpr auto kRefuse = [](auto... /*arguments*/) {
  return RefuseToWrite(GIT_ERROR_REFERENCE);
};

int HasNoLog(git_refdb_backend* /*backend*/, const char* /*name*/) { return 0; }

int ReadEmptyLog(git_reflog** out, git_refdb_backend* /*backend*/,
                 const char* name) {
  try {
    return MakeEmptyReflog(out, name);
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

void FreeBackend(git_refdb_backend* backend) {
  const std::unique_ptr<RefdbBackend> owned(
      static_cast<RefdbBackend*>(backend));
}

void SetFunctions(git_refdb_backend& backend) {
  backend.exists = RefExists;
  backend.lookup = Lookup;
  backend.iterator = MakeIterator;
  backend.write = kRefuse;
  backend.rename = kRefuse;
  backend.del = kRefuse;
  backend.has_log = HasNoLog;
  backend.ensure_log = kRefuse;
  backend.reflog_read = ReadEmptyLog;
  backend.reflog_write = kRefuse;
  backend.reflog_rename = kRefuse;
  backend.reflog_delete = kRefuse;
  backend.free = FreeBackend;
}

// Copies the refs of `archive`.
void CopyRefs(RefdbBackend& backend, const zpack_archive* archive) {
  zpack_ref head;
  zpack_head(&head, archive);
  if (const StoredRef stored(head); stored.exists()) {
    backend.refs.push_back(stored);
  }
  const auto append = [](const zpack_ref* ref, void* payload) {
    try {
      static_cast<std::vector<StoredRef>*>(payload)->emplace_back(*ref);
      return 0;
    } catch (const std::bad_alloc&) {
      return 1;
    }
  };
  if (zpack_foreach_ref(archive, append, &backend.refs) != 0) {
    throw std::bad_alloc();
  }
  std::ranges::sort(backend.refs, {}, &StoredRef::name);
}

}  // namespace

git_refdb_backend* MakeRefdbBackend(const zpack_archive* archive) noexcept {
  try {
    auto backend = std::make_unique<RefdbBackend>();
    if (git_refdb_init_backend(backend.get(), GIT_REFDB_BACKEND_VERSION) != 0) {
      return nullptr;
    }
    CopyRefs(*backend, archive);
    SetFunctions(*backend);
    return backend.release();
  } catch (const std::bad_alloc&) {
    OutOfMemory();
    return nullptr;
  }
}

}  // namespace zpack::libgit2
