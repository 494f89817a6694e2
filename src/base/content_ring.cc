// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/content_ring.h"

#include <algorithm>
#include <bit>

#include "base/huge_pages.h"

namespace zpack {
namespace {

// Bytes of the ring for each set of slots. Most contents are larger.
constexpr uint64_t kBytesPerSet = 2048;

}  // namespace

ContentRing::Set& ContentRing::SetOf(uint64_t key) {
  // Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, 6.4),
  // because most keys are consecutive numbers.
  const unsigned shift =
      64 - static_cast<unsigned>(std::countr_zero(sets_.size()));
  return sets_[key * 0x9e3779b97f4a7c15 >> shift];
}

std::optional<ByteView> ContentRing::Find(uint64_t key) {
  if (sets_.empty()) return std::nullopt;
  const Set& set = SetOf(key);
  const auto slot = std::ranges::find_if(
      set, [&](const Slot& s) { return s.key == key && IsThere(s); });
  if (slot == set.end()) return std::nullopt;
  const ByteView content = Content(*slot);
  if (end_ - slot->begin <= capacity_ / 2) return content;
  Insert(key, content);
  return Content(SetOf(key).front());
}

void ContentRing::Insert(uint64_t key, ByteView content) {
  if (capacity_ == 0) return;
  if (sets_.empty()) {
    memory_ = std::make_unique_for_overwrite<uint8_t[]>(capacity_);
    AdviseHugePages(memory_.get(), capacity_);
    sets_.resize(
        std::bit_ceil(std::max<uint64_t>(capacity_ / kBytesPerSet, 2)));
    end_ = capacity_;
  }
  Set& set = SetOf(key);
  const auto known = std::ranges::find_if(
      set, [&](const Slot& s) { return s.key == key && s.begin != 0; });
  if (content.size() > capacity_ / 2) {
    if (known != set.end()) known->begin = 0;
    return;
  }
  // A content does not wrap around the end of the memory.
  const uint64_t left = capacity_ - end_ % capacity_;
  if (content.size() > left) end_ += left;
  const Slot slot{key, end_, content.size()};
  std::ranges::copy(content, &memory_[end_ % capacity_]);
  end_ += content.size();
  // Replaces the slot of the same key, or else the oldest slot.
  const auto last = known == set.end() ? set.end() - 1 : known;
  std::shift_right(set.begin(), last + 1, 1);
  set.front() = slot;
}

}  // namespace zpack
