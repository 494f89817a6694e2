// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The sizes of listed objects, in 4 bytes for each, because there may be tens
// of millions. Several threads may use the sizes of different objects at once.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/huge_pages.h"
#include "base/index_spaces.h"

namespace zpack {

class ListedSizes {
 public:
  ListedSizes() = default;
  // REQUIRES: no thread sets a size of `other`.
  ListedSizes(const ListedSizes& other)
      : sizes_(other.sizes_), large_(std::make_unique<Large>(*other.large_)) {}
  ListedSizes(ListedSizes&&) = default;
  ListedSizes& operator=(const ListedSizes&) = delete;
  ListedSizes& operator=(ListedSizes&&) = default;
  ~ListedSizes() = default;

  // Makes room for so many objects, all of size 0.
  void Fill(uint32_t count) { FillTable(sizes_.raw(), count); }
  void Append(uint64_t size) {
    sizes_.push_back(0);
    Set(sizes_.end_index() - 1, size);
  }

  // REQUIRES: there is room for the object.
  uint64_t operator[](ListRank rank) const {
    const uint32_t size = sizes_[rank];
    return size == kLarge ? large_->Get(rank) : size;
  }
  void Set(ListRank rank, uint64_t size) {
    if (size >= kLarge) large_->Set(rank, size);
    sizes_[rank] = size < kLarge ? static_cast<uint32_t>(size) : kLarge;
  }
  void Prefetch(ListRank rank) const { __builtin_prefetch(&sizes_[rank]); }

 private:
  // In place of the size of an object of almost 4 GiB or more.
  static constexpr uint32_t kLarge = 0xffffffff;

  // The sizes of these objects.
  class Large {
   public:
    Large() = default;
    Large(const Large& other) : sizes_(other.sizes_) {}
    Large& operator=(const Large&) = delete;

    uint64_t Get(ListRank rank) {
      const std::lock_guard<std::mutex> lock(mutex_);
      return sizes_[rank];
    }
    void Set(ListRank rank, uint64_t size) {
      const std::lock_guard<std::mutex> lock(mutex_);
      sizes_[rank] = size;
    }

   private:
    std::mutex mutex_;  // guards the member below
    std::map<ListRank, uint64_t> sizes_;
  };

  IndexedVector<ListRank, uint32_t> sizes_;
  std::unique_ptr<Large> large_ = std::make_unique<Large>();
};

}  // namespace zpack
