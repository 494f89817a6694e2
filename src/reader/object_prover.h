// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds out which objects of a file can be rebuilt, and their ids, by decoding
// and hashing them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "reader/file_blocks.h"
#include "reader/proven_ids.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// What is proven, and who is told. The functions are called by one thread at a
// time.
struct Proving {
  // Gets its ids from `ids` (FileBlocks::Parts::id_of).
  const FileBlocks& file;
  ProvenIds& ids;
  unsigned threads = 1;
  std::stop_token stop = {};
  // Whether there is a block in a row of the block table. Empty: in all.
  std::function<bool(size_t row)> has_block = {};
  // A block that cannot be decoded, which costs its objects, or some of them
  // whose bases are lost; or the reason for giving up. An error that is
  // returned ends the work.
  std::function<Status(size_t row, uint32_t objects, const Error& error)> lose;
  // With an index, or stated ids: an object that hashes to another id.
  std::function<void(size_t row, const ObjectId& expected,
                     const ObjectId& actual)>
      differs = {};
  // So many more objects with so many bytes are proven.
  std::function<void(uint64_t objects, uint64_t bytes)> advance = {};
};

// Proves all objects that can be. Without an index, trees and commits are
// rebuilt as far as the ids of all objects that they name can be known, in the
// order in which their blocks need each other. Where objects depend on each
// other in so unusual an order that blocks would be decoded too often, gives up
// and says so.
//
// Errors: kInterrupted, kOutOfMemory, and those of Proving::lose.
Status ProveObjects(const Proving& proving);

// Blocks of trees or commits, in order. Those of far deltas hold trees.
struct LinkedBlock {
  size_t row = 0;
  format::BlockKind kind = format::BlockKind::kTrees;
};

// The two parts of ProveObjects. The first one hashes the objects whose ids do
// not depend on those of other objects (with an index, all), and returns the
// other blocks.
Result<std::vector<LinkedBlock>> ProveWholeObjects(const Proving& proving);
Status ProveLinkedObjects(const Proving& proving,
                          const std::vector<LinkedBlock>& blocks);

}  // namespace zpack
