// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Caches contents of delta bases, for all packs that are read together. May be
// used from several threads.
//
// Each thread has its own part of the cache. Threads mostly read different
// places, and with a single cache they would wait for each other.
//
// A delta chain that does not fit the cache is often read from its far end: the
// newest version of a file first, and each version is a delta against the next
// older one. The last contents of the chain are then used up soon, and the next
// read would rebuild the whole chain. Therefore a share of the memory is for
// landmarks: contents at regular distances in such a chain, from which the
// chain can be rebuilt.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/content_ring.h"
#include "base/index_spaces.h"

namespace zpack {

class BaseCache {
 public:
  static constexpr uint64_t kDefaultSize = uint64_t{32} << 20;
  // A sufficient size for a part: a chain of large objects needs its last
  // object.
  static constexpr uint64_t kLeastPerThread = uint64_t{16} << 20;

  // Keeps up to `max_bytes` of contents in `threads` equal parts, one for each
  // thread. More threads than that share parts. REQUIRES: threads > 0.
  explicit BaseCache(uint64_t max_bytes = kDefaultSize, unsigned threads = 1)
      : landmark_bytes_(max_bytes / threads / kLandmarkShare),
        content_bytes_(max_bytes / threads - landmark_bytes_),
        parts_(threads) {
    for (auto& part : parts_)
      part = std::make_unique<Part>(content_bytes_, landmark_bytes_);
  }

  // Registers one more pack.
  CachedPack AddPack() { return packs_++; }

  // A cached content, or nothing. Locks the part of the cache until Release or
  // destruction, so that the content stays valid.
  class Found {
   public:
    Found() = default;
    Found(std::unique_lock<std::mutex> lock, ByteView content)
        : lock_(std::move(lock)), content_(content) {}

    explicit operator bool() const { return lock_.owns_lock(); }
    ByteView content() const { return content_; }
    void Release() {
      if (lock_.owns_lock()) lock_.unlock();
    }

   private:
    std::unique_lock<std::mutex> lock_;
    ByteView content_;
  };

  // Finds the content at a position of a pack. REQUIRES: this thread holds no
  // other Found of this cache.
  Found Find(CachedPack pack, PackPosition position) {
    Part& part = OwnPart();
    std::unique_lock<std::mutex> lock(part.mutex);
    const uint64_t key = Key(pack, position);
    auto content = part.contents.Find(key);
    if (!content) content = part.landmarks.Find(key);
    return content ? Found(std::move(lock), *content) : Found();
  }
  // Keeps a copy, unless it takes more than half of the part. REQUIRES: this
  // thread holds no Found of this cache.
  void Insert(CachedPack pack, PackPosition position, ByteView content) {
    Part& part = OwnPart();
    const std::lock_guard<std::mutex> lock(part.mutex);
    part.contents.Insert(Key(pack, position), content);
  }

  // Distance of landmarks for a chain of `bytes` bytes in total: every n-th
  // content of the chain should be a landmark. 0 if the chain fits the cache or
  // there is no memory for landmarks.
  uint64_t LandmarkDistance(uint64_t bytes) const {
    if (bytes <= content_bytes_ || landmark_bytes_ == 0) return 0;
    return bytes / landmark_bytes_ + 1;
  }
  // Whether the contents of such a chain, of up to `largest` bytes, can be
  // kept: all of them, or landmarks.
  bool CanKeep(uint64_t bytes, uint64_t largest) const {
    return bytes <= content_bytes_ || largest <= landmark_bytes_ / 2;
  }
  // As Insert, for a landmark.
  void InsertLandmark(CachedPack pack, PackPosition position,
                      ByteView content) {
    Part& part = OwnPart();
    const std::lock_guard<std::mutex> lock(part.mutex);
    part.landmarks.Insert(Key(pack, position), content);
  }

 private:
  static constexpr uint64_t kLandmarkShare = 8;

  struct Part {
    Part(uint64_t content_bytes, uint64_t landmark_bytes)
        : contents(content_bytes), landmarks(landmark_bytes) {}

    std::mutex mutex;  // guards the members below
    ContentRing contents;
    ContentRing landmarks;
  };

  // Threads that start one after the other get different parts.
  Part& OwnPart() {
    static std::atomic<size_t> threads = 0;
    static thread_local const size_t number = threads++;
    return *parts_[number % parts_.size()];
  }

  static uint64_t Key(CachedPack pack, PackPosition position) {
    return uint64_t{pack.value()} << 32 | position.value();
  }

  uint64_t landmark_bytes_;  // in each part
  uint64_t content_bytes_;
  CachedPack packs_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace zpack
