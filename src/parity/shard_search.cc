// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/shard_search.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "codec/deflate.h"
#include "parity/rolling_crc.h"

namespace zpack {
namespace {

// Bytes per read. After each run that is found, a part of them is read again.
constexpr uint64_t kSearchStep = uint64_t{64} << 10;

class ShardSearch {
 public:
  ShardSearch(const RandomAccessFile& file, const FoundSet& set,
              std::vector<uint64_t>& places)
      : file_(file),
        set_(set),
        places_(places),
        size_(set.shape().shard_size),
        whole_(set.shape().data_size / size_),
        start_(size_),
        maybe_(kFilterBits),
        hits_(size_) {
    for (uint64_t shard = 0; shard < whole_; ++shard) {
      if (places_[shard] != ShardPlace::kErased) continue;
      const uint32_t checksum = set_.checksums[shard];
      maybe_[checksum % kFilterBits] = true;
      shards_.try_emplace(checksum, shard);
    }
  }

  Status Run(const FileRange& range, const std::stop_token& stop) {
    auto [begin, end] = range;
    while (begin + 2 * size_ <= end && !shards_.empty()) {
      ZPACK_TRY(CheckStop(stop));
      ZPACK_ASSIGN_OR_RETURN(const auto pair, FindPair(begin, end, stop));
      if (!pair) return {};
      ZPACK_ASSIGN_OR_RETURN(begin, Extend(*pair));
    }
    return {};
  }

 private:
  static constexpr size_t kFilterBits = size_t{1} << 22;

  // Shard `shard` is at `offset`, and the next shard follows.
  struct Pair {
    uint64_t offset = 0;
    uint64_t shard = 0;
  };

  Result<std::optional<Pair>> FindPair(uint64_t begin, uint64_t end,
                                       const std::stop_token& stop) {
    RollingCrc crc = start_;
    std::ranges::fill(hits_, ShardPlace::kErased);
    // The bytes of the window, and those that will enter it.
    Bytes bytes(size_, 0);
    uint64_t at = begin;  // the next byte to enter
    while (at < end) {
      ZPACK_TRY(CheckStop(stop));
      bytes.erase(bytes.begin(), bytes.end() - static_cast<ptrdiff_t>(size_));
      const uint64_t count = std::min(kSearchStep, end - at);
      bytes.resize(size_ + count);
      ZPACK_TRY(file_.Read(at, std::span(bytes).subspan(size_)));
      for (uint64_t i = 0; i < count; ++i, ++at) {
        crc.Roll(bytes[size_ + i], bytes[i]);
        if (at + 1 < begin + size_) continue;
        const auto pair = Look(at + 1 - size_, crc.Value());
        if (pair) return pair;
      }
    }
    return std::nullopt;
  }

  // Considers the window at `offset`.
  std::optional<Pair> Look(uint64_t offset, uint32_t checksum) {
    uint64_t& hit = hits_[offset % size_];
    const uint64_t before = hit;  // of the window one shard earlier
    hit = ShardPlace::kErased;
    if (before != ShardPlace::kErased && IsShard(before + 1, checksum)) {
      return Pair{offset - size_, before};
    }
    if (maybe_[checksum % kFilterBits]) {
      const auto found = shards_.find(checksum);
      if (found != shards_.end()) hit = found->second;
    }
    return std::nullopt;
  }

  bool IsShard(uint64_t shard, uint32_t checksum) const {
    return shard < whole_ && set_.known[shard] &&
           set_.checksums[shard] == checksum;
  }

  Result<bool> HasShard(uint64_t offset, uint64_t shard) {
    if (shard >= whole_ || offset + size_ > file_.size()) return false;
    Bytes bytes(size_);
    ZPACK_TRY(file_.Read(offset, bytes));
    return IsShard(shard, Crc32(0, bytes));
  }

  void Place(uint64_t shard, uint64_t offset) {
    if (places_[shard] == ShardPlace::kErased) places_[shard] = offset;
  }

  // Follows the run of shards around `pair` in both directions. Returns where
  // the run ends.
  Result<uint64_t> Extend(const Pair& pair) {
    uint64_t shard = pair.shard;
    uint64_t offset = pair.offset;
    while (shard > 0 && places_[shard - 1] == ShardPlace::kErased &&
           offset >= size_) {
      ZPACK_ASSIGN_OR_RETURN(const bool there,
                             HasShard(offset - size_, shard - 1));
      if (!there) break;
      offset -= size_;
      Place(--shard, offset);
    }
    shard = pair.shard;
    offset = pair.offset;
    bool there = true;
    while (there) {
      Place(shard++, offset);
      offset += size_;
      ZPACK_ASSIGN_OR_RETURN(there, HasShard(offset, shard));
    }
    return offset;
  }

  const RandomAccessFile& file_;
  const FoundSet& set_;
  std::vector<uint64_t>& places_;
  uint64_t size_;   // of a shard
  uint64_t whole_;  // shards that are not padded
  RollingCrc start_;
  std::vector<bool> maybe_;  // by checksum modulo kFilterBits
  std::unordered_map<uint32_t, uint64_t> shards_;  // by checksum
  std::vector<uint64_t> hits_;  // by offset modulo size_: shard or kErased
};

}  // namespace

Status SearchShards(const RandomAccessFile& file, const FoundSet& set,
                    const std::vector<FileRange>& ranges,
                    const std::stop_token& stop,
                    std::vector<uint64_t>& places) {
  ShardSearch search(file, set, places);
  for (const FileRange& range : ranges) ZPACK_TRY(search.Run(range, stop));
  return {};
}

}  // namespace zpack
