// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the encoder of a stretch puts its blocks, one after the other.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/index_spaces.h"
#include "writer/block_encoder.h"
#include "writer/encoded_block.h"
#include "zpack/result.h"

namespace zpack {

class StretchOutput {
 public:
  // `encoder` outlives this.
  explicit StretchOutput(BlockEncoder& encoder) : encoder_(encoder) {}

  // Begins a stretch with object number `first`. Blocks are appended to `out`,
  // which outlives the stretch.
  void Begin(ObjectNumber first, std::vector<EncodedBlock>& out) {
    first_ = first;
    out_ = &out;
  }
  // The first object of the block to come.
  ObjectNumber first() const { return first_; }

  // The objects of a block.
  struct Objects {
    format::BlockKind kind;  // of objects of one type
    uint32_t count;
    uint64_t content;  // bytes
    uint64_t chains;   // the same, with all their bases
  };

  // Encodes the next objects of the stretch as a block.
  Status AddBlock(const Objects& objects,
                  std::span<const BlockEncoder::RawStream> streams);

 private:
  BlockEncoder& encoder_;
  ObjectNumber first_;
  std::vector<EncodedBlock>* out_ = nullptr;
};

}  // namespace zpack
