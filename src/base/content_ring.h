// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Contents that were used lately, in one piece of memory that is written round
// and round, so that keeping one costs a copy and nothing else: no allocation,
// no list to mend. What is found in the older half is copied to the front,
// which comes close to keeping what was used last. Thread-compatible.

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
  // Takes so many bytes for contents, from the first Insert on, and up to a
  // twentieth more to find them.
  explicit ContentRing(uint64_t capacity) : capacity_(capacity) {}

  // The content, valid until the next call. It may be forgotten at any time.
  std::optional<ByteView> Find(uint64_t key);
  // Keeps a copy, and of two with one key the last; but none that would take
  // the place of too many others.
  void Insert(uint64_t key, ByteView content);

 private:
  static constexpr size_t kWays = 2;

  // Where a content begins counts all bytes that were written before it; 0
  // where there is none.
  struct Slot {
    uint64_t key = 0;
    uint64_t begin = 0;
    uint64_t size = 0;
  };
  using Set = std::array<Slot, kWays>;  // the newest first

  Set& SetOf(uint64_t key);
  bool IsThere(const Slot& slot) const {
    return slot.begin != 0 && slot.begin + capacity_ >= end_;
  }
  ByteView Content(const Slot& slot) const {
    return {&memory_[slot.begin % capacity_], slot.size};
  }

  uint64_t capacity_;
  std::unique_ptr<uint8_t[]> memory_;
  std::vector<Set> sets_;  // by hash of the key; full ones lose their oldest
  uint64_t end_ = 0;       // of what was written
};

}  // namespace zpack
