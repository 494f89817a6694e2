// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "huge_heaps.h"

#include <cstdlib>  // says whether this is glibc

#ifdef __GLIBC__

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

namespace zpack::cli {
namespace {

// The address space of a heap of a thread, which is aligned to this size.
constexpr int kHeapSize = 64 << 20;
constexpr int kMainHeapSize = 256 << 20;
constexpr unsigned kMaxThreads = 16;

bool IsLimited() {
  return std::ranges::any_of(std::vector{RLIMIT_AS, RLIMIT_DATA}, [](auto of) {
    rlimit limit{};
    return getrlimit(of, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
  });
}

// Failure is not an error: the pages are small then.
void Advise(uintptr_t begin, uintptr_t end) {
  constexpr uintptr_t kPage = uintptr_t{2} << 20;
  begin = (begin + kPage - 1) & ~(kPage - 1);
  if (begin >= end) return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address from malloc.
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

// Returns an address in the heap of this thread, which has at least so many
// free bytes afterwards.
uintptr_t GrowHeap(size_t size) {
  void* volatile block = std::malloc(size);
  const auto at = reinterpret_cast<uintptr_t>(block);
  std::free(block);
  return at;
}

void AdviseMainHeap() {
  const auto before = reinterpret_cast<uintptr_t>(sbrk(0));
  GrowHeap(size_t{1} << 20);
  Advise(before, reinterpret_cast<uintptr_t>(sbrk(0)));
}

void AdviseThreadHeap() {
  constexpr uintptr_t kSize = kHeapSize;
  const uintptr_t begin = GrowHeap(1) & ~(kSize - 1);
  Advise(begin, begin + kSize);
}

// malloc gives the heaps of threads that have ended to threads that begin.
void AdviseHeapsOfThreads(unsigned threads) {
  std::barrier all_have_one(threads);
  std::vector<std::jthread> pool;
  pool.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) {
    try {
      pool.emplace_back([&] {
        AdviseThreadHeap();
        all_have_one.arrive_and_wait();
      });
    } catch (const std::exception&) {  // too many threads, or no memory
      all_have_one.arrive_and_drop();
    }
  }
}

}  // namespace

void UseHugePages(unsigned threads) {
  static bool done = IsLimited();
  if (std::exchange(done, true)) return;
  // Buffers of blocks are parts of the heaps, which grow to these sizes at once
  // and keep them.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 2 * kMainHeapSize);
  mallopt(M_TOP_PAD, kMainHeapSize);
  AdviseMainHeap();
  if (threads == 0) threads = std::thread::hardware_concurrency();
  // One more for the thread that decodes ahead.
  AdviseHeapsOfThreads(std::clamp(threads, 1U, kMaxThreads) + 1);
}

}  // namespace zpack::cli

#else

namespace zpack::cli {

void UseHugePages(unsigned /*threads*/) {}

}  // namespace zpack::cli

#endif
