// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Receives the blocks of a stretch from its encoder, one after the other.
// Thread-compatible.

#pragma once

#include <cstdint>

#include "base/index_spaces.h"
#include "format/block_layout.h"
#include "format/block_streams.h"
#include "writer/block_encoder.h"
#include "writer/encoded_block.h"
#include "writer/stretch_groups.h"
#include "zpack/result.h"

namespace zpack {

// Where the blocks of a stretch go. Idle helpers, if not null, encode some. If
// `section` is not null, the stretch is this section, and its blocks are in
// groups.
struct BlockDestination {
  EncodedBlocks* blocks = nullptr;
  BlockHelpers* helpers = nullptr;
  GroupedSection* section = nullptr;
};

class StretchOutput {
 public:
  // `encoder` must outlive this object.
  explicit StretchOutput(BlockEncoder& encoder) : encoder_(encoder) {}

  // Begins a stretch whose first object has number `first`. Blocks are appended
  // to `to`, which must outlive the stretch.
  void Begin(ObjectNumber first, const BlockDestination& to) {
    first_ = first;
    to_ = to;
  }
  // Number of the first object of the next block.
  ObjectNumber first() const { return first_; }

  // Describes the objects of a block.
  struct Objects {
    format::BlockKind kind;
    ObjectType type;
    uint32_t count;
    uint64_t content;  // bytes of the objects
    // Sum over the objects of the bytes of the object and of all its bases.
    uint64_t chains;
  };

  // Encodes the next objects of the stretch as one block, or leaves that to a
  // helper.
  Status AddBlock(const Objects& objects, const format::BlockStreams& streams);
  Status AddBlock(format::BlockKind kind, ObjectType type,
                  const format::BlockLayoutBuilder& layout,
                  const format::BlockStreams& streams) {
    return AddBlock(
        {kind, type, layout.count(), layout.content(), layout.chains()},
        streams);
  }

 private:
  BlockEncoder& encoder_;
  ObjectNumber first_;
  BlockDestination to_;
};

}  // namespace zpack
