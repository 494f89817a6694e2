// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Encodes a sequence of trees as blocks of edits, each of which decodes by
// itself. Thread-compatible: one per worker.

#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "writer/stretch_output.h"
#include "writer/tree_block_builder.h"
#include "writer/tree_parser.h"
#include "zpack/result.h"

namespace zpack {

class TreeStretchEncoder {
 public:
  // Blocks are closed when reading any of their trees would decode `block_size`
  // bytes besides the tree's own size. Both references outlive
  // this.
  TreeStretchEncoder(const FileNumbers& numbers, uint64_t block_size,
                     BlockEncoder& encoder)
      : parser_(numbers),
        builder_(parser_),
        block_size_(block_size),
        output_(encoder) {}

  // Begins a stretch with object number `first`. Blocks are appended to `out`,
  // which outlives the stretch.
  void Begin(ObjectNumber first, std::vector<EncodedBlock>& out);
  // Adds the next tree of the stretch. Trees of one path follow each other.
  Status Add(Bytes content, PathNumber path);
  // Ends the stretch.
  Status Finish();

 private:
  // A tree that others can be stored against.
  struct Base {
    ParsedTree tree;
    uint32_t position = 0;       // in the block
    uint64_t chain_entries = 0;  // of it and all its bases
    uint64_t chain_bytes = 0;    // of their contents
  };

  void AddParsed(ParsedTree tree);
  Status CloseBlock();

  TreeParser parser_;
  TreeBlockBuilder builder_;
  uint64_t block_size_;
  StretchOutput output_;
  PathNumber path_;
  bool begins_lineage_ = true;  // the next tree, in this block
  std::deque<Base> bases_;      // of the open block and path, oldest first
  ParsedTree spare_;            // its memory is used again
  std::vector<TreeEdit> edits_;
  std::vector<TreeEdit> best_edits_;
};

}  // namespace zpack
