// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decodes blocks before a reader asks for them, on another thread, so that a
// reader that goes through a file in order uses two processors. A block whose
// predecessor was asked for before makes those after it wanted. Errors are
// dropped, because the reader that needs the block meets them itself.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "zpack/result.h"

namespace zpack {

class BlocksAhead {
 public:
  // Decodes a block into the cache that the reader asks. Called on both
  // threads.
  using Decode = std::function<Status(size_t block)>;

  explicit BlocksAhead(size_t block_count) : block_count_(block_count) {}

  // Calls `read`, meanwhile decodes ahead, and returns what `read` returns. If
  // the system provides no thread, nothing is decoded ahead.
  Status Run(const std::function<Status()>& read);

  // Adds a cache, and returns its number for Note. REQUIRES: Run is not called
  // yet.
  size_t Add(Decode decode);
  // `read` is about to ask a cache for a block. If the other thread decodes
  // that one now, decodes another one meanwhile.
  void Note(size_t cache, size_t block);

 private:
  struct Cache {
    Decode decode;
    std::vector<bool> noted;
    std::vector<bool> wanted;  // was in the queue
  };
  struct Place {
    size_t cache;
    size_t block;

    bool operator==(const Place&) const = default;
  };

  void Work();
  // REQUIRES: `lock` is held, which it is not during the work, and the queue is
  // not empty.
  void DecodeFirst(std::unique_lock<std::mutex>& lock);

  const size_t block_count_;
  std::vector<Cache> caches_;  // of the reader, but for `decode`
  std::mutex mutex_;           // guards everything below
  std::condition_variable changed_;
  std::deque<Place> queue_;
  std::optional<Place> decoding_;  // on the other thread
  bool finished_ = false;
};

}  // namespace zpack
