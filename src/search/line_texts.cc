// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search/line_texts.h"

#include "base/error.h"

namespace zpack::search {

Result<uint32_t> LineTexts::Number(std::string_view text) {
  const size_t hash = std::hash<std::string_view>()(text);
  const auto at = static_cast<uint32_t>(hash >> 32) % kShards;
  Shard& shard = shards_[at];
  const std::lock_guard<std::mutex> lock(shard.mutex);
  const uint32_t before = shard.texts.size();
  const uint32_t index = shard.texts.Number(text);
  if (index < before) return index * kShards + at;
  constexpr uint64_t kForEach = 96;  // bytes of a string and its number
  const uint64_t bytes = bytes_ += text.size() + kForEach;
  if (bytes > max_bytes_) {
    return MakeError(ErrorCode::kLimitExceeded,
                     "the lines that match take more than {} bytes of memory; "
                     "search for less, or only list or count files",
                     max_bytes_);
  }
  return index * kShards + at;
}

}  // namespace zpack::search
