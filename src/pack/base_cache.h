// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Contents of objects that deltas are made against, of all packs that are read
// together. May be used from several threads.
//
// Threads mostly read what is far apart, so each has a part of its own: with
// one cache for all they wait for each other.
//
// A chain of deltas that does not fit is often read from its far end back: the
// newest version of a file first, and each as a delta against the one before
// it. Then what is kept last is soon used up, and the whole chain would have to
// be rebuilt for the next one. So a part of the memory is for landmarks:
// contents all along such a chain, from where it can be rebuilt.

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
  // Enough for a part: a chain of large objects needs its last one.
  static constexpr uint64_t kLeastPerThread = uint64_t{16} << 20;

  // Keeps up to `max_bytes`, those that were used last by each of so many
  // threads. More threads than that share parts.
  explicit BaseCache(uint64_t max_bytes = kDefaultSize, unsigned threads = 1)
      : landmark_bytes_(max_bytes / threads / kLandmarkShare),
        content_bytes_(max_bytes / threads - landmark_bytes_),
        parts_(threads) {
    for (auto& part : parts_)
      part = std::make_unique<Part>(content_bytes_, landmark_bytes_);
  }

  // A number for one more pack.
  CachedPack AddPack() { return packs_++; }

  // What was found; its memory is used for nothing else before Release.
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

  // The content at a position of a pack.
  Found Find(CachedPack pack, PackPosition position) {
    Part& part = OwnPart();
    std::unique_lock<std::mutex> lock(part.mutex);
    const uint64_t key = Key(pack, position);
    auto content = part.contents.Find(key);
    if (!content) content = part.landmarks.Find(key);
    return content ? Found(std::move(lock), *content) : Found();
  }
  // Keeps a copy, unless it would take the place of too many others.
  // REQUIRES: this thread holds nothing that was found.
  void Insert(CachedPack pack, PackPosition position, ByteView content) {
    Part& part = OwnPart();
    const std::lock_guard<std::mutex> lock(part.mutex);
    part.contents.Insert(Key(pack, position), content);
  }

  // Which contents of a chain of `bytes` in all are to be landmarks: every one
  // of so many. None, and 0, if the chain fits.
  uint64_t LandmarkDistance(uint64_t bytes) const {
    if (bytes <= content_bytes_ || landmark_bytes_ == 0) return 0;
    return bytes / landmark_bytes_ + 1;
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

    std::mutex mutex;  // guards what follows
    ContentRing contents;
    ContentRing landmarks;
  };

  // Threads that start one after the other have different ones.
  Part& OwnPart() {
    static std::atomic<size_t> threads = 0;
    static thread_local const size_t number = threads++;
    return *parts_[number % parts_.size()];
  }

  static uint64_t Key(CachedPack pack, PackPosition position) {
    return uint64_t{pack.value()} << 32 | position.value();
  }

  uint64_t landmark_bytes_;  // of each part
  uint64_t content_bytes_;
  CachedPack packs_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace zpack
