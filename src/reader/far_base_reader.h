// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the bases of far deltas, which are objects of earlier blocks and may be
// far deltas themselves. Keeps the blocks that it decoded last, and the bases.
// May be used from several threads at once.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "base/lru_cache.h"
#include "format/block_layout.h"
#include "reader/block_cache.h"
#include "reader/file_blocks.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

// What one pass through a file may spend on far bases: ten times as much as a
// hundred updates of git.git need.
FarBudget FarBudgetOf(const FileBlocks& file);

class FarBaseReader {
 public:
  // A base, and the number of blocks that it takes.
  struct Base {
    std::shared_ptr<const Bytes> content;
    ObjectType type = ObjectType::kBlob;
    uint32_t blocks = 0;
  };
  using BasePtr = std::shared_ptr<const Base>;

  // `file` must outlive the reader.
  explicit FarBaseReader(const FileBlocks& file);

  // Reads `base`, which must be a whole object of type `type`.
  // Errors: those of BlockDecoder::Decode for the blocks of the base and of its
  // bases; kCorrupt if there is no such base, or if an object that has it lies
  // in more than format::kMaxFarBlocks blocks; kLimitExceeded if these blocks
  // take too much memory, or if the budget is used up.
  Result<BasePtr> Read(const format::FarBase& base, ObjectType type,
                       FarBudget& budget);

  // Takes a block that the caller has decoded, so that it is not decoded again.
  void KeepBlock(size_t block, const BlockCache::BlockPtr& decoded) {
    blocks_.Insert(block, decoded);
  }

  // What reading an object may take.
  struct Cost {
    uint32_t blocks = 0;
    uint64_t bytes = 0;  // memory of the decoded blocks
  };
  // Returns object `number` as a base, if reading it takes at most `most`;
  // otherwise the first of the bases that it is rebuilt from which takes at
  // most three quarters of that, or the last one, which takes one block.
  // Returns nothing for an object in segments. Errors are those of Read.
  Result<std::optional<format::FarBase>> Choose(ObjectNumber number,
                                                const Cost& most);

 private:
  // The objects of one block that a base is rebuilt from: each is the base of
  // the one before it.
  struct Step {
    BlockCache::BlockPtr block;
    format::BlockLayout::Chain chain;
  };

  // The step that Choose takes its base from.
  static size_t ChooseStep(const std::vector<Step>& steps, const Cost& most);
  // Follows the bases of object `number`, block by block; all have the type
  // `type`. `size` is what the far delta says about it, or nothing if nobody
  // says. Ends before a base that is kept, and sets `known` to it.
  Result<std::vector<Step>> Follow(ObjectNumber number, ObjectType type,
                                   std::optional<uint64_t> size, BasePtr* known,
                                   uint64_t& work);
  // Adds what decoding and rebuilding costs to `work`.
  Result<Step> FollowInBlock(ObjectNumber number, uint64_t& work);

  BasePtr Find(const format::FarBase& base, ObjectType type);

  const FileBlocks& file_;
  BlockCache blocks_;
  std::mutex mutex_;  // guards everything below
  LruCache<ObjectNumber, Base> contents_;
};

}  // namespace zpack
