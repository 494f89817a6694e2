// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A library for LD_PRELOAD with which memory runs out: of the allocations since
// main() began, all fail from the number ZPACK_LAST_ALLOCATION on, those of
// other libraries included. With ZPACK_ALLOCATIONS_FAIL, that many fail, and
// later ones succeed again.
//
// May be used by any number of threads, as the functions that it replaces.

#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

// The functions of the GNU C library under names that nobody replaces.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

using MainFunction = int (*)(int, char**, char**);
using StartFunction = int (*)(MainFunction, int, char**, void (*)(), void (*)(),
                              void (*)(), void*);

uint64_t first_failure = UINT64_MAX;  // set before main()
uint64_t first_success = UINT64_MAX;
std::atomic<uint64_t> allocations = 0;
std::atomic<bool> started = false;
MainFunction program_main = nullptr;

bool Fails() {
  if (!started.load(std::memory_order_relaxed)) return false;
  const uint64_t number = allocations++;
  if (number < first_failure || number >= first_success) return false;
  errno = ENOMEM;
  return true;
}

int Main(int argc, char** argv, char** environment) {
  started = true;
  return program_main(argc, argv, environment);
}

}  // namespace

extern "C" {

void* malloc(size_t size) { return Fails() ? nullptr : __libc_malloc(size); }

void* calloc(size_t count, size_t size) {
  return Fails() ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) {
  return Fails() ? nullptr : __libc_realloc(memory, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return Fails() ? nullptr : __libc_memalign(alignment, size);
}

void* memalign(size_t alignment, size_t size) {
  return aligned_alloc(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  void* const made = aligned_alloc(alignment, size);
  if (made == nullptr) return ENOMEM;
  *memory = made;
  return 0;
}

// NOLINTNEXTLINE(readability-function-size): as the C library declares it
int __libc_start_main(MainFunction main, int argc, char** argv, void (*init)(),
                      void (*fini)(), void (*loader_fini)(), void* stack_end) {
  const char* const last = getenv("ZPACK_LAST_ALLOCATION");
  if (last != nullptr) {
    first_failure = strtoull(last, nullptr, 10);
    const char* const count = getenv("ZPACK_ALLOCATIONS_FAIL");
    if (count != nullptr) {
      first_success = first_failure + strtoull(count, nullptr, 10);
    }
  }
  program_main = main;
  const auto next =
      reinterpret_cast<StartFunction>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(Main, argc, argv, init, fini, loader_fini, stack_end);
}

}  // extern "C"
