// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A block of deltas or far deltas (FORMAT.md, "Deltas" and "Far deltas"): what
// writes its streams, and what parses them and rebuilds the objects. Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/delta.h"
#include "format/block_layout.h"
#include "format/block_streams.h"
#include "zpack/result.h"

namespace zpack::format {

// Writes the streams. Thread-compatible.
class DeltaBlockBuilder {
 public:
  // `kind` is kDeltas or kFarDeltas.
  explicit DeltaBlockBuilder(BlockKind kind = BlockKind::kDeltas)
      : streams_(kind) {}

  // Appends an object that is stored whole.
  void Add(ByteView content);
  // Appends an object as `delta` of object `base` of the block.
  void Add(ByteView content, uint32_t base, const Delta& delta);
  // Appends an object as `delta` of an object in an earlier block. REQUIRES: a
  // block of far deltas, whose first object has the number `first`.
  void Add(ByteView content, const FarBase& base, ObjectNumber first,
           const Delta& delta);
  // Removes the last object. REQUIRES: the last call was Add.
  void Undo();
  void Clear();

  // Of the objects so far.
  const BlockLayoutBuilder& layout() const { return layout_; }
  const BlockStreams& streams() const { return streams_; }

 private:
  void AddCopies(ByteView content, uint64_t base_size, const Delta& delta);

  BlockStreams streams_;
  BlockLayoutBuilder layout_;
};

// The checked streams. Immutable; any number of threads may read it.
class DeltaBlock {
 public:
  // Checks that every object can be rebuilt. Returns kCorrupt if the streams
  // are not valid, and kLimitExceeded if they exceed `limits`.
  static Result<DeltaBlock> Parse(BlockStreams streams,
                                  const ObjectRange& objects,
                                  const BlockLimits& limits);

  uint32_t count() const { return static_cast<uint32_t>(starts_.size()); }
  const std::vector<uint64_t>& sizes() const { return layout_.sizes; }
  std::optional<uint32_t> base(uint32_t index) const {
    return layout_.base(index);
  }
  const BlockLayout& layout() const { return layout_; }
  // Bytes of memory that the block takes.
  uint64_t memory() const;
  // Bytes of all streams.
  uint64_t raw_size() const { return streams_.raw_size(); }
  // Bytes of the streams that belong to object `index` alone.
  uint64_t own_size(uint32_t index) const;

  // Fills `delta` with the copies that make up object `index`. REQUIRES: the
  // object has a base, and both have less than 4 GiB.
  void ReadDelta(uint32_t index, Delta& delta) const;

  // Fills `out` with the content of object `index`. `base` is the content of
  // its base, or empty if it has no base.
  void Rebuild(uint32_t index, ByteView base, Bytes& out) const;

 private:
  // Where the part of an object starts in each stream.
  struct Start {
    uint32_t literal_lengths = 0;
    uint32_t copy_lengths = 0;
    uint32_t copy_offsets = 0;
    uint32_t literals = 0;
  };

  DeltaBlock(BlockStreams streams, BlockLayout layout)
      : streams_(std::move(streams)), layout_(std::move(layout)) {}

  // Fills `starts_` and checks all copies.
  Status CheckCopies();

  BlockStreams streams_;
  BlockLayout layout_;
  std::vector<Start> starts_;
};

}  // namespace zpack::format
