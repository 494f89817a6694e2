// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The contents of lines, each kept once, with a number. May be used from
// several threads at once.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "base/text_table.h"
#include "zpack/result.h"

namespace zpack::search {

class LineTexts {
 public:
  // Keeps at most about `max_bytes`.
  explicit LineTexts(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // The number of a text. kLimitExceeded if the texts take too much memory.
  Result<uint32_t> Number(std::string_view text);
  // REQUIRES: no other thread calls Number.
  std::string_view text(uint32_t number) const {
    return shards_[number % kShards].texts.text(number / kShards);
  }

 private:
  // Threads seldom want the same one.
  static constexpr uint32_t kShards = 64;
  struct Shard {
    std::mutex mutex;
    TextTable texts;
  };

  const uint64_t max_bytes_;
  std::atomic<uint64_t> bytes_ = 0;
  std::array<Shard, kShards> shards_;
};

}  // namespace zpack::search
