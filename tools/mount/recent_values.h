// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The values that were used last, within a limit on their bytes and on their
// number. Any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

namespace zpack::mount {

template <typename Key, typename Value>
class RecentValues {
 public:
  RecentValues(uint64_t max_bytes, size_t max_count)
      : max_bytes_(max_bytes), max_count_(max_count) {}

  // The value of `key`, which becomes the one that was used last.
  std::optional<Value> Find(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = by_key_.find(key);
    if (at == by_key_.end()) return std::nullopt;
    recent_.splice(recent_.begin(), recent_, at->second);
    return at->second->value;
  }

  // Sets the value of `key`, and drops those that were not used for longest.
  // Keeps the new value whatever its size.
  void Insert(const Key& key, Value value, uint64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto at = by_key_.find(key); at != by_key_.end()) {
      Drop(at->second);
    }
    while (!recent_.empty() &&
           (bytes_ + bytes > max_bytes_ || recent_.size() >= max_count_)) {
      Drop(std::prev(recent_.end()));
    }
    recent_.push_front({key, std::move(value), bytes});
    by_key_.emplace(key, recent_.begin());
    bytes_ += bytes;
  }

 private:
  struct Entry {
    Key key;
    Value value;
    uint64_t bytes;
  };
  using Entries = std::list<Entry>;

  void Drop(typename Entries::iterator entry) {
    bytes_ -= entry->bytes;
    by_key_.erase(entry->key);
    recent_.erase(entry);
  }

  const uint64_t max_bytes_;
  const size_t max_count_;
  std::mutex mutex_;  // guards everything below
  Entries recent_;    // the one that was used last comes first
  std::unordered_map<Key, typename Entries::iterator> by_key_;
  uint64_t bytes_ = 0;
};

}  // namespace zpack::mount
