// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes and bases of the objects of a block, to and from its streams kSizes and
// kBases (FORMAT.md, "Deltas" and "Trees"). Pure.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "format/block_streams.h"
#include "zpack/result.h"

namespace zpack::format {

// Whether an object is the last object of its block that needs its base.
enum class BaseUse : uint8_t { kMore, kLast };

struct BlockLayout {
  std::vector<uint64_t> sizes;
  // Index in the block; an object without a base has its own index.
  std::vector<uint32_t> bases;
  uint64_t content = 0;  // bytes of all objects
  // Sum over all objects of the bytes of the object and of all its bases.
  uint64_t chains = 0;

  std::optional<uint32_t> base(uint32_t index) const {
    if (bases[index] == index) return std::nullopt;
    return bases[index];
  }
  // By index: the last object that has this object as its base. An object that
  // is not a base has its own index.
  std::vector<uint32_t> LastUses() const;
};

// Limits on what a block may expand to. A few bytes can describe a lot of
// content: without limits, a small file could keep a reader busy for days.
struct BlockLimits {
  uint64_t object_size = 0;      // of one object
  uint64_t content = 0;          // of all objects together
  uint64_t chains = UINT64_MAX;  // see BlockLayout

  // Maximum bytes of an object of `size` bytes and all its bases. The limit
  // allows a writer to build long chains, but bounds the work by a multiple of
  // the size that is asked for.
  uint64_t Chain(uint64_t size) const { return object_size + 64 * size; }
};

// Parses both streams, which no other stream of the block is needed for.
// Returns kCorrupt if they are not valid for `count` objects, and
// kLimitExceeded if the layout exceeds `limits`.
Result<BlockLayout> ParseBlockLayout(ByteView sizes, ByteView bases,
                                     uint32_t count, const BlockLimits& limits);

// Writes both streams, and counts what a writer needs to close a block in time.
class BlockLayoutBuilder {
 public:
  // Appends an object of `size` bytes, whose base is object `base` of the
  // block.
  void Add(uint64_t size, std::optional<uint32_t> base, BlockStreams& streams);
  // Takes back the last object; the caller rewinds the streams. REQUIRES: the
  // last call was Add.
  void Undo();
  void Clear();

  uint32_t count() const { return static_cast<uint32_t>(objects_.size()); }
  uint64_t size(uint32_t index) const { return objects_[index].size; }
  // As in BlockLayout.
  uint64_t content() const { return content_; }
  uint64_t chains() const { return chains_; }
  // Bytes that reading the smallest object decodes in a block whose streams
  // have `raw_size` bytes, minus the size of that object.
  uint64_t ReadCost(uint64_t raw_size) const {
    return raw_size - std::min(raw_size, smallest_);
  }

 private:
  struct Object {
    uint64_t size;
    uint64_t chain;  // bytes of the object and of all its bases
  };
  std::vector<Object> objects_;
  uint64_t smallest_ = UINT64_MAX;
  uint64_t content_ = 0;
  uint64_t chains_ = 0;
  uint64_t undo_smallest_ = UINT64_MAX;  // before the last Add
};

}  // namespace zpack::format
