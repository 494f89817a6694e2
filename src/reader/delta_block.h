// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The decompressed and checked streams of a block of deltas (FORMAT.md,
// "Deltas"). Immutable; any number of threads may read it.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/delta.h"
#include "reader/block_layout.h"
#include "zpack/result.h"

namespace zpack {

class DeltaBlock {
 public:
  // The decompressed streams of the block.
  struct Streams {
    Bytes sizes;
    Bytes bases;
    Bytes literal_lengths;
    Bytes copy_lengths;
    Bytes copy_offsets;
    Bytes literals;
  };

  // Checks that every object can be rebuilt. Returns kCorrupt if the streams
  // are not valid, and kLimitExceeded if they exceed `limits`.
  static Result<DeltaBlock> Parse(Streams streams, uint32_t count,
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
  uint64_t raw_size() const;
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

  DeltaBlock(Streams streams, BlockLayout layout)
      : streams_(std::move(streams)), layout_(std::move(layout)) {}

  // Fills `starts_` and checks all copies.
  Status CheckCopies();

  Streams streams_;
  BlockLayout layout_;
  std::vector<Start> starts_;
};

}  // namespace zpack
