// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/codecs/zstd_memory.h"

#include <algorithm>
#include <cstdlib>

namespace zpack::bench {

uint64_t ZstdMemory::Now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

uint64_t ZstdMemory::Peak() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

double ZstdMemory::Mean() const {
  const std::lock_guard lock(mutex_);
  using Seconds = std::chrono::duration<double>;
  const Clock::time_point end = Clock::now();
  return (byte_seconds_ +
          static_cast<double>(now_) * Seconds(end - changed_).count()) /
         Seconds(end - start_).count();
}

void* ZstdMemory::Allocate(void* self, size_t size) {
  void* const address = std::malloc(size);
  if (address == nullptr) return nullptr;
  auto& memory = *static_cast<ZstdMemory*>(self);
  const std::lock_guard lock(memory.mutex_);
  memory.sizes_[address] = size;
  memory.Change(static_cast<int64_t>(size));
  return address;
}

void ZstdMemory::Free(void* self, void* address) {
  if (address == nullptr) return;
  auto& memory = *static_cast<ZstdMemory*>(self);
  {
    const std::lock_guard lock(memory.mutex_);
    const auto known = memory.sizes_.find(address);
    memory.Change(-static_cast<int64_t>(known->second));
    memory.sizes_.erase(known);
  }
  std::free(address);
}

// The caller holds the mutex.
void ZstdMemory::Change(int64_t bytes) {
  const Clock::time_point time = Clock::now();
  byte_seconds_ += static_cast<double>(now_) *
                   std::chrono::duration<double>(time - changed_).count();
  changed_ = time;
  now_ = static_cast<uint64_t>(static_cast<int64_t>(now_) + bytes);
  peak_ = std::max(peak_, now_);
}

}  // namespace zpack::bench
