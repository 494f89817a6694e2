// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Work that is done on first use and may fail. May be used from several threads
// at once: one thread does the work, and the other threads wait.

#pragma once

#include <atomic>
#include <mutex>

#include "zpack/result.h"

namespace zpack {

class OnceStatus {
 public:
  // The first call calls `work`. Every call returns the result of that work. If
  // `work` throws, the next call calls it again.
  template <typename Work>
  const Status& Do(Work work) {
    // Not std::call_once: an exception would pass through the C library, which
    // ends the process if it has no memory for that.
    if (!done_.load(std::memory_order_acquire)) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!done_.load(std::memory_order_relaxed)) {
        status_ = work();
        done_.store(true, std::memory_order_release);
      }
    }
    return status_;
  }

 private:
  std::atomic<bool> done_ = false;
  std::mutex mutex_;  // guards the work
  Status status_;
};

}  // namespace zpack
