// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Holds the streams of a block while the block is being filled.
// Thread-compatible.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/bytes.h"
#include "format/block_form.h"
#include "writer/block_encoder.h"

namespace zpack {

class BlockStreams {
 public:
  // `kinds` are the kinds of streams in the block, in the order of writing.
  BlockStreams(std::initializer_list<format::StreamKind> kinds)
      : kinds_(kinds) {}

  // REQUIRES: `kind` is one of the kinds of the block.
  Bytes& operator[](format::StreamKind kind) { return streams_[Index(kind)]; }
  void Number(format::StreamKind kind, uint64_t value) {
    ByteWriter((*this)[kind]).Varint(value);
  }

  // Bytes of all streams before compression.
  uint64_t raw_size() const;
  // The views are valid until a stream changes.
  std::vector<BlockEncoder::RawStream> Views() const;
  void Clear();

  // Rewind removes everything added since the last Mark.
  void Mark();
  void Rewind();

 private:
  static constexpr size_t Index(format::StreamKind kind) {
    return static_cast<size_t>(kind);
  }
  std::vector<format::StreamKind> kinds_;
  // By kind. Streams of kinds that the block does not have stay empty.
  std::array<Bytes, format::kStreamKindEnd> streams_;
  std::array<size_t, format::kStreamKindEnd> marks_{};
};

}  // namespace zpack
