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
#include "base/index_spaces.h"
#include "format/block_streams.h"
#include "zpack/result.h"

namespace zpack::format {

// Whether an object is the last object of its block that needs its base.
enum class BaseUse : uint8_t { kMore, kLast };

// A base in an earlier block.
struct FarBase {
  ObjectNumber number;
  uint64_t size = 0;

  friend bool operator==(const FarBase&, const FarBase&) = default;
};

struct BlockLayout {
  std::vector<uint64_t> sizes;
  // Index in the block; an object without a base has its own index. An index
  // behind those of the objects is one of `far`.
  std::vector<uint32_t> bases;
  std::vector<FarBase> far;
  uint64_t content = 0;  // bytes of all objects
  // Sum over all objects of the bytes of the object and of all its bases; of
  // bases in earlier blocks, only the first one.
  uint64_t chains = 0;

  uint32_t count() const { return static_cast<uint32_t>(sizes.size()); }
  // One more than the largest index that an object or a base can have.
  size_t index_end() const { return sizes.size() + far.size(); }
  bool IsFar(uint32_t index) const { return index >= sizes.size(); }
  // REQUIRES: IsFar(index).
  const FarBase& FarAt(uint32_t index) const {
    return far[index - sizes.size()];
  }
  uint64_t size(uint32_t index) const {
    return IsFar(index) ? FarAt(index).size : sizes[index];
  }
  // Nothing for a base in an earlier block.
  std::optional<uint32_t> base(uint32_t index) const {
    if (IsFar(index) || bases[index] == index) return std::nullopt;
    return bases[index];
  }
  // An object of the block and its bases in the block: each is the base of the
  // one before it.
  struct Chain {
    std::vector<uint32_t> objects;
    const FarBase* far = nullptr;  // base of the last one, or null
  };
  Chain ChainOf(uint32_t index) const;
  // By index, also of bases in earlier blocks: the last object that has this
  // object as its base. An object that is not a base has its own index.
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

// The objects of a block.
struct ObjectRange {
  ObjectNumber first;
  uint32_t count = 0;
};

// The streams that a layout is in. No other stream of the block is needed.
struct LayoutStreams {
  ByteView sizes;
  ByteView bases;
  ByteView far_bases = {};  // of blocks of far deltas
};

// Returns kCorrupt if the streams are not valid for `objects`, and
// kLimitExceeded if the layout exceeds `limits`.
Result<BlockLayout> ParseBlockLayout(const LayoutStreams& streams,
                                     const ObjectRange& objects,
                                     const BlockLimits& limits);

// Writes the streams, and counts what a writer needs to close a block in time.
class BlockLayoutBuilder {
 public:
  // Appends an object of `size` bytes, whose base is object `base` of the
  // block.
  void Add(uint64_t size, std::optional<uint32_t> base, BlockStreams& streams);
  // Appends an object whose base is in an earlier block. REQUIRES: the streams
  // are those of a block of far deltas, and the first object of the block has
  // the number `first`, which is greater than that of the base.
  void Add(uint64_t size, const FarBase& base, ObjectNumber first,
           BlockStreams& streams);
  // Takes back the last object; the caller rewinds the streams. REQUIRES: the
  // last call was Add.
  void Undo();
  void Clear();

  uint32_t count() const { return static_cast<uint32_t>(objects_.size()); }
  uint64_t size(uint32_t index) const { return objects_[index].size; }
  // As in BlockLayout.
  uint64_t content() const { return content_; }
  uint64_t chains() const { return chains_; }
  // Size of the smallest object. REQUIRES: count() > 0.
  uint64_t smallest() const { return smallest_; }
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
  void Count(uint64_t size, uint64_t chain);

  std::vector<Object> objects_;
  std::vector<FarBase> far_;
  size_t undo_far_ = 0;  // of far_, before the last Add
  uint64_t smallest_ = UINT64_MAX;
  uint64_t content_ = 0;
  uint64_t chains_ = 0;
  uint64_t undo_smallest_ = UINT64_MAX;  // before the last Add
};

}  // namespace zpack::format
