// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Pages of a file in memory, and which of them are being loaded. Two readers
// of one page load it once. Any number of threads may use one table.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <unordered_set>

#include "base/bytes.h"
#include "base/lru_cache.h"

namespace zpack {

class PageTable {
 public:
  using Page = std::shared_ptr<const Bytes>;

  enum class State : uint8_t {
    kPresent,
    kClaimed,  // absent until now; the caller must call Put or Release
    kLoading,  // another thread has claimed the page
  };
  struct Found {
    State state = State::kClaimed;
    Page page;  // set if kPresent
  };

  // The least recently used pages above `max_bytes` are dropped.
  explicit PageTable(uint64_t max_bytes) : pages_(max_bytes) {}

  Found FindOrClaim(uint64_t number);
  // True if the page was absent and is now claimed.
  bool Claim(uint64_t number);
  void Put(uint64_t number, Page page);
  // Drops a page; one that is being loaded stays.
  void Drop(uint64_t number);
  // Ends the claim of a page that did not arrive. Does nothing after Put.
  void Release(uint64_t number);
  // Returns once no thread loads the page, or a stop is requested.
  void Wait(uint64_t number, const std::stop_token& stop);

 private:
  std::mutex mutex_;
  std::condition_variable_any loaded_;
  LruCache<uint64_t, Bytes> pages_;       // guarded by mutex_
  std::unordered_set<uint64_t> loading_;  // guarded by mutex_
};

}  // namespace zpack
