// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Caches recently used contents in a ring: one piece of memory that is written
// from front to end, again and again. Keeping a content costs one copy, without
// an allocation or a list to update. Find copies a content from the older half
// of the ring to the newest place, so the ring behaves almost like an LRU
// cache. Thread-compatible.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace zpack {

class ContentRing {
 public:
  // The first Insert allocates `capacity` bytes for contents, plus up to 5 %
  // for the table that finds them.
  explicit ContentRing(uint64_t capacity) : capacity_(capacity) {}

  // The content of `key`, valid until the next call of Find or Insert. Any
  // Insert, and any Find, may drop other contents.
  std::optional<ByteView> Find(uint64_t key);
  // Keeps a copy of `content`, instead of an earlier content of `key`. A
  // content larger than half of the capacity is not kept.
  void Insert(uint64_t key, ByteView content);

 private:
  static constexpr size_t kWays = 2;

  // `begin` is the position of a content, counted in all bytes written before
  // it; 0 for an empty slot.
  struct Slot {
    uint64_t key = 0;
    uint64_t begin = 0;
    uint64_t size = 0;
  };
  using Set = std::array<Slot, kWays>;  // newest slot first

  Set& SetOf(uint64_t key);
  bool IsThere(const Slot& slot) const {
    return slot.begin != 0 && slot.begin + capacity_ >= end_;
  }
  ByteView Content(const Slot& slot) const {
    return {&memory_[slot.begin % capacity_], slot.size};
  }

  uint64_t capacity_;
  std::unique_ptr<uint8_t[]> memory_;
  std::vector<Set> sets_;  // by hash of the key; a full set drops its oldest
  uint64_t end_ = 0;       // position after the last byte written
};

}  // namespace zpack
