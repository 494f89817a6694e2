// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/counting_allocator.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int64_t> in_use = 0;
std::atomic<int64_t> peak = 0;
std::atomic<int64_t> start = 0;
std::atomic<uint64_t> allocated = 0;

void* Count(void* memory) {
  const auto size = static_cast<int64_t>(malloc_usable_size(memory));
  const int64_t now = in_use.fetch_add(size) + size;
  allocated += static_cast<uint64_t>(size);
  int64_t most = peak.load();
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
  return memory;
}

}  // namespace

void* operator new(size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return Count(memory);
}

void* operator new[](size_t size) { return operator new(size); }

void* operator new(size_t size, const std::nothrow_t&) noexcept {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  return memory == nullptr ? nullptr : Count(memory);
}

void* operator new[](size_t size, const std::nothrow_t& nothrow) noexcept {
  return operator new(size, nothrow);
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  in_use.fetch_sub(static_cast<int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}

void operator delete(void* memory, size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, size_t) noexcept {
  operator delete(memory);
}

namespace zpack::testing {

void ResetMemory() {
  allocated = 0;
  start = in_use.load();
  peak = in_use.load();
}

uint64_t AllocatedMemory() { return allocated; }

uint64_t PeakMemory() { return static_cast<uint64_t>(peak - start); }

}  // namespace zpack::testing
