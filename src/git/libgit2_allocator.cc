// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/libgit2_allocator.h"

#include <git2.h>
#include <git2/sys/alloc.h>
#if __has_include(<git2/sys/errors.h>)
#include <git2/sys/errors.h>  // from 1.8 on
#endif

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace zpack {
namespace {

// The state of a thread is smaller, in all versions.
constexpr size_t kReserve = 1024;

bool allocator_is_used = false;  // set before there are other threads
thread_local bool allocation_failed = false;
thread_local bool thread_is_prepared = false;
// For an allocation that must not fail: zeros, or null.
thread_local void* reserve = nullptr;

template <typename T>
T* Noted(T* memory) {
  if (memory == nullptr) allocation_failed = true;
  return memory;
}

// As Noted, but takes the reserve if there is one.
void* WithReserve(void* memory, size_t size) {
  if (memory == nullptr && size <= kReserve) {
    memory = std::exchange(reserve, nullptr);
  }
  return Noted(memory);
}

// libgit2 passes names of files and lines for debugging.
template <typename Allocator>
Allocator MakeAllocator() {
  Allocator allocator{};
  allocator.gmalloc = [](size_t size, const char*, int) {
    return WithReserve(std::malloc(size), size);
  };
  allocator.grealloc = [](void* memory, size_t size, const char*, int) {
    return Noted(std::realloc(memory, size));
  };
  allocator.gfree = std::free;
  // libgit2 < 1.7: has these members; newer versions need the other three.
  if constexpr (requires { allocator.gcalloc; }) {
    allocator.gcalloc = [](size_t count, size_t size, const char*, int) {
      return WithReserve(std::calloc(count, size),
                         count == 1 ? size : kReserve + 1);
    };
    allocator.gmallocarray = [](size_t count, size_t size, const char*, int) {
      return Noted(reallocarray(nullptr, count, size));
    };
    allocator.greallocarray = [](void* memory, size_t count, size_t size,
                                 const char*, int) {
      return Noted(reallocarray(memory, count, size));
    };
    allocator.gstrdup = [](const char* text, const char*, int) {
      return Noted(strdup(text));
    };
    allocator.gstrndup = [](const char* text, size_t size, const char*, int) {
      return Noted(strndup(text, size));
    };
    allocator.gsubstrdup = [](const char* text, size_t size, const char*, int) {
      char* const copy = Noted(static_cast<char*>(std::malloc(size + 1)));
      if (copy == nullptr) return copy;
      copy[size] = '\0';
      return static_cast<char*>(std::memcpy(copy, text, size));
    };
  }
  return allocator;
}

class StateReserve {
 public:
  StateReserve() {
    reserve = std::calloc(1, kReserve);
    if (reserve == nullptr) throw std::bad_alloc();
  }
  ~StateReserve() { std::free(std::exchange(reserve, nullptr)); }
  StateReserve(const StateReserve&) = delete;
  StateReserve& operator=(const StateReserve&) = delete;
};

}  // namespace

void UseLibgit2Allocator() {
  // libgit2 copies it.
  git_allocator allocator = MakeAllocator<git_allocator>();
  git_libgit2_opts(GIT_OPT_SET_ALLOCATOR, &allocator);
  allocator_is_used = true;
}

void InitializeLibgit2() {
  const StateReserve for_state;
  // Fails only for lack of memory.
  if (git_libgit2_init() < 0) throw std::bad_alloc();
}

void PrepareLibgit2Thread() {
  if (thread_is_prepared || !allocator_is_used) return;
  const StateReserve for_state;
  git_error_clear();
  thread_is_prepared = true;
}

bool Libgit2AllocationFailed() {
  return std::exchange(allocation_failed, false);
}

}  // namespace zpack
