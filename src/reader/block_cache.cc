// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/block_cache.h"

#include <utility>

#include "base/error.h"
#include "reader/decoders.h"

namespace zpack {

// The constructor waits until no thread decodes `block` and a decoder is free.
// The lock is released meanwhile, so the caller has to look everything up
// again.
class BlockCache::Turn {
 public:
  Turn(BlockCache& cache, size_t block, std::unique_lock<std::mutex>& lock)
      : cache_(cache), block_(block), lock_(lock) {
    cache_.turn_ended_.wait(lock_, [&] {
      return !cache_.decoding_.contains(block_) &&
             cache_.decoding_.size() < cache_.max_decoders_;
    });
  }
  ~Turn() {
    if (!lock_.owns_lock()) lock_.lock();
    cache_.decoding_.erase(block_);
    cache_.turn_ended_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Calls `decode` with a decoder. The lock is not held during the call.
  template <typename Decode>
  auto Run(Decode decode) {
    // Reserve room, so that returning the decoder cannot fail.
    cache_.idle_.reserve(cache_.idle_.size() + cache_.decoding_.size() + 1);
    cache_.decoding_.insert(block_);
    std::unique_ptr<BlockDecoder> decoder;
    if (cache_.idle_.empty()) {
      decoder = std::make_unique<BlockDecoder>();
    } else {
      decoder = std::move(cache_.idle_.back());
      cache_.idle_.pop_back();
    }
    lock_.unlock();
    auto result = decode(*decoder);
    lock_.lock();
    cache_.idle_.push_back(std::move(decoder));
    return result;
  }

 private:
  BlockCache& cache_;
  size_t block_;
  std::unique_lock<std::mutex>& lock_;
};

BlockCache::BlockCache(const FileBlocks& file, uint64_t max_bytes)
    : file_(file),
      max_decoders_(MaxDecoders(file.blocks_stored_size())),
      blocks_(max_bytes) {}

template <typename Find, typename Decode, typename Keep>
auto BlockCache::FindOrDecode(size_t block, Find find, Decode decode, Keep keep)
    -> Result<decltype(find())> {
  std::unique_lock<std::mutex> lock(mutex_);
  if (auto known = find()) return known;
  Turn turn(*this, block, lock);
  if (auto known = find()) return known;
  if (const auto failed = failed_.find(block); failed != failed_.end()) {
    return std::unexpected(failed->second);
  }
  auto decoded = turn.Run(decode);
  if (decoded) return keep(*std::move(decoded));
  if (decoded.error().code != ErrorCode::kIo) {
    failed_.emplace(block, decoded.error());
  }
  return std::unexpected(std::move(decoded).error());
}

Result<BlockCache::BlockPtr> BlockCache::Block(size_t block,
                                               uint64_t* decoded) {
  return FindOrDecode(
      block, [&] { return blocks_.Find(block); },
      [&](BlockDecoder& decoder) { return decoder.Decode(file_, block); },
      [&](DecodedBlock fresh) {
        auto shared = std::make_shared<const DecodedBlock>(std::move(fresh));
        blocks_.Insert(block, shared, shared->memory(),
                       shared->decoding_cost());
        if (decoded != nullptr) *decoded += shared->memory();
        return shared;
      });
}

Result<const BlockObjects*> BlockCache::Objects(size_t block) {
  return FindOrDecode(
      block,
      [&]() -> const BlockObjects* {
        const auto at = objects_.find(block);
        return at == objects_.end() ? nullptr : &at->second;
      },
      [&](BlockDecoder& decoder) {
        return decoder.DecodeObjects(file_, block);
      },
      // Elements of the map stay where they are.
      [&](BlockObjects fresh) {
        return &objects_.emplace(block, std::move(fresh)).first->second;
      });
}

Result<ObjectInfo> BlockCache::Info(ObjectNumber number) {
  const size_t block = file_.FindBlock(number);
  ZPACK_ASSIGN_OR_RETURN(const BlockObjects* const objects, Objects(block));
  const uint32_t index = number - file_.first_object(block);
  return ObjectInfo{objects->header.type, objects->sizes[index]};
}

}  // namespace zpack
