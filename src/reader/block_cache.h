// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decodes blocks when they are asked for, and keeps those that were used last.
// May be used from several threads at once: different blocks are decoded at the
// same time, and a block that several threads ask for is decoded once.

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

  // Keeps about `max_bytes` of decoded blocks, at least one block. `file`
  // outlives the cache. At most MaxDecoders blocks are decoded at a time.
  BlockCache(const FileBlocks& file, uint64_t max_bytes);

  // The block. Errors are those of BlockDecoder::Decode; unless reading the
  // file failed, a second call returns the same error without decoding again.
  Result<BlockPtr> Block(size_t block);

  // Type and size of object `number`. Errors as BlockDecoder::DecodeObjects.
  Result<ObjectInfo> Info(ObjectNumber number);

 private:
  // One thread's decoding of one block.
  class Turn;

  // `error` of decoding `block`, which is remembered unless reading the file
  // failed. Finding out again for each object of the block would take as long
  // as a hostile file wants. REQUIRES: the lock is held.
  std::unexpected<Error> Failed(size_t block, Error error);

  const FileBlocks& file_;
  const size_t max_decoders_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable turn_ended_;
  std::set<size_t> decoding_;
  std::vector<std::unique_ptr<BlockDecoder>> idle_;
  LruCache<size_t, DecodedBlock> blocks_;
  // Types and sizes of every block that was asked for them: small, and asked
  // for in the order of ids, which is no order at all.
  std::unordered_map<size_t, BlockObjects> objects_;
  std::unordered_map<size_t, Error> failed_;
};

}  // namespace zpack
