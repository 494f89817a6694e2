// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/libgit2_allocator.h"

#include <git2.h>
#include <git2/sys/alloc.h>
#if __has_include(<git2/sys/errors.h>)
#include <git2/sys/errors.h>  // from 1.8 on
#endif

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "base/memory_reserve.h"

namespace zpack {
namespace {

// More than libgit2 needs to open a repository.
constinit MemoryReserve reserve;
bool allocator_is_used = false;  // set before there are other threads
thread_local bool allocation_failed = false;
thread_local bool thread_is_prepared = false;

void* Noted(void* memory) {
  if (memory == nullptr) allocation_failed = true;
  return memory;
}

void* Allocate(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return Noted(nullptr);
  return Noted(reserve.Allocate(bytes));
}

void* Reallocate(void* memory, size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return Noted(nullptr);
  return Noted(reserve.Reallocate(memory, bytes));
}

// Not used with libgit2 >= 1.7.
[[maybe_unused]] char* Copy(const char* text, size_t size) {
  auto* const copy = static_cast<char*>(Allocate(1, size + 1));
  if (copy == nullptr) return copy;
  std::memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

// libgit2 passes names of files and lines for debugging.
template <typename Allocator>
Allocator MakeAllocator() {
  Allocator allocator{};
  allocator.gmalloc = [](size_t size, const char*, int) {
    return Allocate(1, size);
  };
  allocator.grealloc = [](void* memory, size_t size, const char*, int) {
    return Reallocate(memory, 1, size);
  };
  allocator.gfree = [](void* memory) { reserve.Free(memory); };
  // libgit2 < 1.7: has these members; newer versions need the other three.
  if constexpr (requires { allocator.gcalloc; }) {
    allocator.gcalloc = [](size_t count, size_t size, const char*, int) {
      void* const memory = Allocate(count, size);
      return memory == nullptr ? memory : std::memset(memory, 0, count * size);
    };
    allocator.gmallocarray = [](size_t count, size_t size, const char*, int) {
      return Allocate(count, size);
    };
    allocator.greallocarray = [](void* memory, size_t count, size_t size,
                                 const char*, int) {
      return Reallocate(memory, count, size);
    };
    allocator.gstrdup = [](const char* text, const char*, int) {
      return Copy(text, std::strlen(text));
    };
    allocator.gstrndup = [](const char* text, size_t size, const char*, int) {
      return Copy(text, strnlen(text, size));
    };
    allocator.gsubstrdup = [](const char* text, size_t size, const char*, int) {
      return Copy(text, size);
    };
  }
  return allocator;
}

}  // namespace

void UseLibgit2Allocator() {
  // libgit2 copies it.
  git_allocator allocator = MakeAllocator<git_allocator>();
  git_libgit2_opts(GIT_OPT_SET_ALLOCATOR, &allocator);
  allocator_is_used = true;
}

void InitializeLibgit2() {
  // Fails only for lack of memory.
  if (git_libgit2_init() < 0) throw std::bad_alloc();
}

void PrepareLibgit2Thread() {
  if (thread_is_prepared || !allocator_is_used) return;
  git_error_clear();
  thread_is_prepared = true;
}

bool Libgit2AllocationFailed() {
  return std::exchange(allocation_failed, false);
}

}  // namespace zpack
