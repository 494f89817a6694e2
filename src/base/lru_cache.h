// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Least recently used cache of shared values, limited in bytes. Values that are
// expensive to make again stay longer, by GreedyDual-Size (Cao and Irani,
// Cost-Aware WWW Proxy Caching Algorithms, USITS 1997). Thread-compatible.

#pragma once

#include <cstdint>
#include <iterator>
#include <list>
#include <map>
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
    const auto entry = known->second;
    entry->due = clock_ + entry->cost;
    auto& recent = recent_.at(entry->cost);
    recent.splice(recent.begin(), recent, entry);
    return entry->value;
  }

  // Sets the value of `key`, which takes `bytes` bytes of memory. `cost` is the
  // time that it takes to make the value again, for each byte, in proportion to
  // that of other values. Drops what keeps all values from fitting within the
  // limit, but never the new value, whatever its size.
  void Insert(const Key& key, std::shared_ptr<const Value> value,
              uint64_t bytes, uint32_t cost = 1) {
    Remove(key);
    while (bytes_ + bytes > max_bytes_ && !entries_.empty()) DropNext();
    auto& recent = recent_[cost];
    recent.push_front({key, std::move(value), bytes, cost, clock_ + cost});
    entries_.emplace(key, recent.begin());
    bytes_ += bytes;
  }

  // Drops the value of `key`, if there is one.
  void Remove(const Key& key) {
    const auto known = entries_.find(key);
    if (known != entries_.end()) Drop(known->second);
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const Value> value;
    uint64_t bytes;
    uint32_t cost;
    uint64_t due;  // on the clock; the value that is due first is dropped
  };
  using Entries = std::list<Entry>;

  void DropNext() {
    const Entries* next = nullptr;
    for (const auto& [cost, recent] : recent_) {
      if (recent.empty()) continue;
      if (next == nullptr || recent.back().due < next->back().due) {
        next = &recent;
      }
    }
    clock_ = next->back().due;
    Drop(std::prev(next->end()));
  }

  void Drop(typename Entries::const_iterator entry) {
    bytes_ -= entry->bytes;
    entries_.erase(entry->key);
    recent_.at(entry->cost).erase(entry);
  }

  uint64_t max_bytes_;
  uint64_t bytes_ = 0;
  uint64_t clock_ = 0;
  // By cost: most recently used first, which is also the order in which values
  // are due, from the last to the first.
  std::map<uint32_t, Entries> recent_;
  std::unordered_map<Key, typename Entries::iterator> entries_;
};

}  // namespace zpack
