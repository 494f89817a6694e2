// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/libgit2_allocator.h"

#include <git2.h>
#include <git2/sys/alloc.h>

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

// The names of a file and of a line are for debugging.

void* Allocate(size_t size, const char* /*file*/, int /*line*/) {
  return WithReserve(std::malloc(size), size);
}

void* Reallocate(void* memory, size_t size, const char* /*file*/,
                 int /*line*/) {
  return Noted(std::realloc(memory, size));
}

// libgit2 < 1.7: calls AllocateZeros and the functions after it, which newer
// versions make out of the other three.
void* AllocateZeros(size_t count, size_t size, const char* /*file*/,
                    int /*line*/) {
  // libgit2 calls this for one element, or for a table.
  return WithReserve(std::calloc(count, size),
                     count == 1 ? size : kReserve + 1);
}

void* AllocateArray(size_t count, size_t size, const char* /*file*/,
                    int /*line*/) {
  return Noted(reallocarray(nullptr, count, size));
}

void* ReallocateArray(void* memory, size_t count, size_t size,
                      const char* /*file*/, int /*line*/) {
  return Noted(reallocarray(memory, count, size));
}

char* CopyText(const char* text, const char* /*file*/, int /*line*/) {
  return Noted(strdup(text));
}

char* CopyUpTo(const char* text, size_t size, const char* /*file*/,
               int /*line*/) {
  return Noted(strndup(text, size));
}

char* CopyBytes(const char* text, size_t size, const char* /*file*/,
                int /*line*/) {
  char* const copy = Noted(static_cast<char*>(std::malloc(size + 1)));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

template <typename Allocator>
Allocator MakeAllocator() {
  Allocator allocator{};
  allocator.gmalloc = Allocate;
  allocator.grealloc = Reallocate;
  allocator.gfree = std::free;
  // libgit2 < 1.7: has these members.
  if constexpr (requires { allocator.gcalloc; }) {
    allocator.gcalloc = AllocateZeros;
    allocator.gmallocarray = AllocateArray;
    allocator.greallocarray = ReallocateArray;
    allocator.gstrdup = CopyText;
    allocator.gstrndup = CopyUpTo;
    allocator.gsubstrdup = CopyBytes;
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
