// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Which objects of a block wait for the ids of which others
// (prove_linked_objects.cc). Pure.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/index_spaces.h"
#include "reader/proven_ids.h"

namespace zpack {

// Some numbers. Most lookups are of others, and cost little.
class NumberSet {
 public:
  void Add(uint32_t number) { numbers_.push_back(number); }
  bool empty() const { return numbers_.empty(); }
  // Called after the last Add.
  void Finish() {
    std::ranges::sort(numbers_);
    for (const uint32_t number : numbers_) filter_[number % kBits] = true;
  }
  bool Has(uint32_t number) const {
    return filter_[number % kBits] &&
           std::ranges::binary_search(numbers_, number);
  }

 private:
  static constexpr size_t kBits = size_t{1} << 20;

  std::vector<uint32_t> numbers_;
  std::vector<bool> filter_ = std::vector<bool>(kBits);
};

// The objects of a block that are not proven, and the ids for which they wait.
class ObjectWaits {
 public:
  ObjectWaits(ObjectNumber first, uint32_t count, const ProvenIds& ids)
      : missing_(count), left_(count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (!ids.IsProven(first + i)) continue;
      missing_[i] = kProven;
      --left_;
    }
  }

  // An object of the block names the object `number`, whose id is not known.
  // Beyond a limit, the object is left for a later time.
  void Add(uint32_t index, uint32_t number) {
    if (missing_[index] >= kLater) return;
    if (waiting_.size() == kMostWaits) {
      missing_[index] = kLater;
      return;
    }
    ++missing_[index];
    waiting_.emplace_back(number, index);
  }
  // Called after the last Add.
  void Begin() {
    std::ranges::sort(waiting_);
    for (uint32_t i = 0; i < missing_.size(); ++i) {
      if (missing_[i] == 0) ready_.push_back(i);
    }
  }
  // The numbers that objects wait for, each of them once.
  template <typename Use>
  void ForEachNumber(Use use) const {
    for (size_t i = 0; i < waiting_.size(); ++i) {
      if (i == 0 || waiting_[i].first != waiting_[i - 1].first) {
        use(waiting_[i].first);
      }
    }
  }

  // Objects that are not proven.
  uint32_t left() const { return left_; }
  bool has_ready() const { return !ready_.empty(); }
  // True if the object waits for known numbers.
  bool is_waiting(uint32_t index) const {
    return missing_[index] != 0 && missing_[index] < kLater;
  }
  // Takes the objects that can be proven now, ascending. They count as proven.
  std::vector<uint32_t> Take() {
    std::ranges::sort(ready_);
    left_ -= static_cast<uint32_t>(ready_.size());
    return std::exchange(ready_, {});
  }
  // The id of `number` is known from now on.
  void Notify(uint32_t number) {
    auto at = std::ranges::lower_bound(waiting_, std::pair(number, 0U));
    for (; at != waiting_.end() && at->first == number; ++at) {
      uint32_t& missing = missing_[at->second];
      if (missing >= kLater) continue;
      --missing;
      if (missing == 0) ready_.push_back(at->second);
    }
  }

  uint64_t memory() const {
    return missing_.size() * sizeof(uint32_t) + waiting_.size() * 8;
  }

 private:
  static constexpr uint32_t kProven = UINT32_MAX;
  static constexpr uint32_t kLater = UINT32_MAX - 1;
  // Takes 16 MiB, or twice that while it grows.
  static constexpr size_t kMostWaits = size_t{2} << 20;

  std::vector<uint32_t> missing_;  // by object: ids for which it waits
  std::vector<std::pair<uint32_t, uint32_t>> waiting_;  // number, object
  std::vector<uint32_t> ready_;
  uint32_t left_;
};

}  // namespace zpack
