// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Decodes blocks before a reader asks for them, on another thread, so that a
// reader that goes through a file in order uses two processors. A block whose
// predecessor was asked for before makes those after it wanted. Errors are
// dropped, because the reader that needs the block meets them itself. Blocks
// that nobody asks for count in the limits on expansion, of which writers use
// at most half, so a hostile file may be refused sooner.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "reader/block_cache.h"
#include "reader/file_blocks.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

class BlocksAhead {
 public:
  // Decodes a block into the cache that the reader asks. Called on both
  // threads.
  using Decode = std::function<Result<BlockCache::BlockPtr>(size_t block)>;

  // `file` must outlive this object. `threads` is as in LogOptions.
  BlocksAhead(const FileBlocks& file, unsigned threads)
      : file_(file), threads_(threads) {}

  // Calls `read`, meanwhile decodes ahead, and returns what `read` returns.
  // Nothing is decoded ahead with one thread, if the system provides no other
  // one, or if the file is far away: it loads bytes ahead itself.
  Status Run(const std::function<Status()>& read);

  // Adds a cache of blocks with objects of `type`, and returns its number for
  // Note. REQUIRES: Run is not called yet.
  size_t Add(ObjectType type, Decode decode);
  // Whether the reader goes on with the blocks that come next.
  enum class Onwards : uint8_t {
    kInOrder,  // if it asked for the block before, too
    kSurely,
  };
  // `read` is about to ask a cache for a block. If the other thread decodes
  // that one now, decodes another one meanwhile.
  void Note(size_t cache, size_t block, Onwards onwards = Onwards::kInOrder);

 private:
  struct Cache {
    ObjectType type;
    Decode decode;
    std::vector<bool> noted;
    std::vector<bool> wanted;  // was in the queue
  };
  struct Place {
    size_t cache;
    size_t block;

    bool operator==(const Place&) const = default;
  };

  void Work();
  // REQUIRES: `lock` is held, which it is not during the work, and the queue is
  // not empty.
  void DecodeFirst(std::unique_lock<std::mutex>& lock);

  const FileBlocks& file_;
  const unsigned threads_;
  std::vector<Cache> caches_;  // marks: of the reader alone
  std::mutex mutex_;           // guards everything below
  std::condition_variable changed_;
  std::deque<Place> queue_;
  std::optional<Place> decoding_;  // on the other thread
  bool finished_ = false;
};

}  // namespace zpack
