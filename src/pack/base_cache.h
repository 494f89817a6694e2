// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Contents of objects that deltas are made against, of all packs that are read
// together. May be used from several threads.
//
// Threads mostly read what is far apart, so each has a part of its own: with
// one cache for all they wait for each other, for its lock and for the
// allocator's, when one frees what another one has allocated.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/lru_cache.h"

namespace zpack {

class BaseCache {
 public:
  static constexpr uint64_t kDefaultSize = uint64_t{32} << 20;

  // Keeps up to `max_bytes`, those that were used last by each of so many
  // threads. More threads than that share parts.
  explicit BaseCache(uint64_t max_bytes = kDefaultSize, unsigned threads = 1)
      : max_bytes_(max_bytes), parts_(threads) {
    for (auto& part : parts_)
      part = std::make_unique<Part>(max_bytes / threads);
  }

  // A number for one more pack.
  uint32_t AddPack() { return packs_++; }

  // The content at a position of a pack, or null.
  std::shared_ptr<const Bytes> Find(uint32_t pack, uint32_t position) {
    Part& part = OwnPart();
    const std::lock_guard<std::mutex> lock(part.mutex);
    return part.contents.Find(Key(pack, position));
  }
  // Keeps it, unless it would take the place of too many others.
  void Insert(uint32_t pack, uint32_t position,
              std::shared_ptr<const Bytes> content) {
    const uint64_t size = content->size();
    if (size > max_bytes_ / 4) return;
    Part& part = OwnPart();
    const std::lock_guard<std::mutex> lock(part.mutex);
    part.contents.Insert(Key(pack, position), std::move(content), size);
  }

 private:
  struct Part {
    explicit Part(uint64_t max_bytes) : contents(max_bytes) {}

    std::mutex mutex;  // guards what follows
    LruCache<uint64_t, Bytes> contents;
  };

  // Threads that start one after the other have different ones.
  Part& OwnPart() {
    static std::atomic<size_t> threads = 0;
    static thread_local const size_t number = threads++;
    return *parts_[number % parts_.size()];
  }

  static uint64_t Key(uint32_t pack, uint32_t position) {
    return uint64_t{pack} << 32 | position;
  }

  uint64_t max_bytes_;
  uint32_t packs_ = 0;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace zpack
