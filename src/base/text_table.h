// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Texts, each kept once, with numbers from 0 in the order of first use.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace zpack {

class TextTable {
 public:
  // The number of a text, which is new if `size()` grows.
  uint32_t Number(std::string_view text) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end()) return known->second;
    const uint32_t number = size();
    numbers_.emplace(texts_.emplace_back(text), number);
    return number;
  }
  // Valid as long as the table. REQUIRES: number < size().
  std::string_view text(uint32_t number) const { return texts_[number]; }
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

 private:
  std::deque<std::string> texts_;  // which stay where they are
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

}  // namespace zpack
