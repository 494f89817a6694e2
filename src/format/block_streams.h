// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The streams of a block, decompressed: what a writer fills before it
// compresses them, and what a reader parses. Thread-compatible.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "format/block_form.h"

namespace zpack::format {

// A decompressed stream.
struct RawStream {
  StreamKind kind;
  ByteView bytes;
};

class BlockStreams {
 public:
  // All streams of a block of this kind.
  explicit BlockStreams(BlockKind kind)
      : BlockStreams(FindBlockForm(kind)->streams) {}
  // `kinds` are in the order of writing, and must outlive this object.
  explicit BlockStreams(std::span<const StreamKind> kinds) : kinds_(kinds) {}

  std::span<const StreamKind> kinds() const { return kinds_; }
  // REQUIRES for a change: `kind` is one of the kinds of the block.
  Bytes& operator[](StreamKind kind) { return streams_[Index(kind)]; }
  const Bytes& operator[](StreamKind kind) const {
    return streams_[Index(kind)];
  }
  void Number(StreamKind kind, uint64_t value) {
    ByteWriter((*this)[kind]).Varint(value);
  }
  // Appends `value` as its difference from `expected`, which may wrap.
  void Difference(StreamKind kind, uint64_t value, uint64_t expected) {
    Number(kind, ZigZag(static_cast<int64_t>(value - expected)));
  }

  // Bytes of all streams before compression.
  uint64_t raw_size() const;
  // The views are valid until a stream changes.
  std::vector<RawStream> Views() const;
  void Clear();

  // Rewind removes everything added since the last Mark.
  void Mark();
  void Rewind();

 private:
  static constexpr size_t Index(StreamKind kind) {
    return static_cast<size_t>(kind);
  }
  std::span<const StreamKind> kinds_;
  // By kind. Streams of kinds that the block does not have stay empty.
  std::array<Bytes, kStreamKindEnd> streams_;
  std::vector<size_t> marks_;  // by position in `kinds_`
};

}  // namespace zpack::format
