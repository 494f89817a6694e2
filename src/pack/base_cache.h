// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Contents of objects that deltas are made against, of all packs that are read
// together. May be used from several threads.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "base/bytes.h"
#include "base/lru_cache.h"

namespace zpack {

class BaseCache {
 public:
  static constexpr uint64_t kDefaultSize = uint64_t{32} << 20;

  // Keeps up to `max_bytes`, those that were used last.
  explicit BaseCache(uint64_t max_bytes = kDefaultSize)
      : max_bytes_(max_bytes), contents_(max_bytes) {}

  // A number for one more pack.
  uint32_t AddPack() { return packs_++; }

  // The content at a position of a pack, or null.
  std::shared_ptr<const Bytes> Find(uint32_t pack, uint32_t position) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return contents_.Find(Key(pack, position));
  }
  // Keeps it, unless it would take the place of too many others.
  void Insert(uint32_t pack, uint32_t position,
              std::shared_ptr<const Bytes> content) {
    const uint64_t size = content->size();
    if (size > max_bytes_ / 4) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    contents_.Insert(Key(pack, position), std::move(content), size);
  }

 private:
  static uint64_t Key(uint32_t pack, uint32_t position) {
    return uint64_t{pack} << 32 | position;
  }

  uint64_t max_bytes_;
  uint32_t packs_ = 0;
  std::mutex mutex_;  // guards what follows
  LruCache<uint64_t, Bytes> contents_;
};

}  // namespace zpack
