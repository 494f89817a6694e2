// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decodes blocks on demand and keeps the blocks used last, those of commits and
// trees longer than those of blobs. May be used from several threads at once.
// Different blocks are decoded in parallel; a block that several threads ask
// for is decoded once.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/index_spaces.h"
#include "base/lru_cache.h"
#include "reader/block_decoder.h"
#include "reader/decoded_block.h"
#include "reader/file_blocks.h"
#include "zpack/result.h"

namespace zpack {

class BlockCache {
 public:
  using BlockPtr = std::shared_ptr<const DecodedBlock>;

  // Keeps about `max_bytes` of decoded blocks, but at least one block. `file`
  // must outlive the cache. At most MaxDecoders blocks are decoded at the same
  // time.
  BlockCache(const FileBlocks& file, uint64_t max_bytes);

  // Returns the decoded block. Errors are those of BlockDecoder::Decode. Except
  // for kIo, later calls return the same error without decoding again. If the
  // block has to be decoded, adds its memory to `decoded`, unless that is null.
  Result<BlockPtr> Block(size_t block, uint64_t* decoded = nullptr);

  // Keeps a block that somebody else has decoded.
  void Insert(size_t block, const BlockPtr& decoded) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (blocks_.Find(block) != nullptr) return;
    blocks_.Insert(block, decoded, decoded->memory(), decoded->decoding_cost());
  }

  // Returns kind, type and sizes of a block, which are kept for good. Errors
  // are those of BlockDecoder::DecodeObjects.
  Result<const BlockObjects*> Objects(size_t block);
  // Returns type and size of object `number`. Errors are those of Objects.
  Result<ObjectInfo> Info(ObjectNumber number);

 private:
  // The right of one thread to decode one block.
  class Turn;

  // Returns what `find` finds. If that is null, decodes `block` with `decode`
  // and returns what `keep` makes of the result. The lock is held during `find`
  // and `keep`.
  //
  // Remembers an error of decoding unless it is kIo. Without that, a hostile
  // file could make the reader decode a bad block again for each of its
  // objects.
  template <typename Find, typename Decode, typename Keep>
  auto FindOrDecode(size_t block, Find find, Decode decode, Keep keep)
      -> Result<decltype(find())>;

  const FileBlocks& file_;
  const size_t max_decoders_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable turn_ended_;
  std::set<size_t> decoding_;
  std::vector<std::unique_ptr<BlockDecoder>> idle_;
  LruCache<size_t, DecodedBlock> blocks_;
  // Types and sizes of all blocks that Info has read. They are small, and
  // callers ask in the order of ids, which jumps between blocks.
  std::unordered_map<size_t, BlockObjects> objects_;
  std::unordered_map<size_t, Error> failed_;
};

}  // namespace zpack
