// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Least recently used cache of shared values, limited in bytes.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

namespace zpack {

template <typename Key, typename Value>
class LruCache {
 public:
  explicit LruCache(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // The value of `key`, or null. Makes the value the most recently used.
  std::shared_ptr<const Value> Find(const Key& key) {
    const auto known = entries_.find(key);
    if (known == entries_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, known->second);
    return known->second->value;
  }

  // Sets the value of `key`, which takes `bytes` bytes of memory. Drops the
  // least recently used values above the limit. The newest value is always
  // kept, whatever its size.
  void Insert(const Key& key, std::shared_ptr<const Value> value,
              uint64_t bytes) {
    recent_.push_front({key, std::move(value), bytes});
    const auto [known, added] = entries_.try_emplace(key, recent_.begin());
    if (!added) {
      bytes_ -= known->second->bytes;
      recent_.erase(known->second);
      known->second = recent_.begin();
    }
    bytes_ += bytes;
    while (bytes_ > max_bytes_ && recent_.size() > 1) {
      bytes_ -= recent_.back().bytes;
      entries_.erase(recent_.back().key);
      recent_.pop_back();
    }
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const Value> value;
    uint64_t bytes;
  };

  uint64_t max_bytes_;
  uint64_t bytes_ = 0;
  std::list<Entry> recent_;  // most recently used first
  std::unordered_map<Key, typename std::list<Entry>::iterator> entries_;
};

}  // namespace zpack
