// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Encodes a sequence of trees as blocks of edits. Each block can be decoded
// without the others. Thread-compatible: one encoder per worker.

#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/index_spaces.h"
#include "format/limits.h"
#include "format/tree_block_builder.h"
#include "writer/stretch_output.h"
#include "writer/tree_parser.h"
#include "zpack/result.h"

namespace zpack {

class TreeStretchEncoder {
 public:
  // Closes a block once reading its smallest tree decodes `block_size` bytes on
  // top of the tree's own size, or once its trees have
  // format::kMaxTreeBlockContent bytes. Both references must outlive this
  // object.
  TreeStretchEncoder(const format::FileNumbers& numbers, uint64_t block_size,
                     BlockEncoder& encoder)
      : parser_(numbers),
        builder_(parser_.names(), parser_.numbers()),
        block_size_(block_size),
        output_(encoder) {}

  // Begins a stretch, as StretchOutput::Begin.
  void Begin(ObjectNumber first, const BlockDestination& to);
  // Adds the next tree of the stretch. REQUIRES: trees of one path are
  // consecutive.
  Status Add(Bytes content, PathNumber path);
  // Ends the stretch.
  Status Finish();

 private:
  // A tree that may be the base of other trees.
  struct Base {
    ParsedTree tree;
    uint32_t position = 0;  // in the block
    // Bytes of the tree and of all its bases.
    uint64_t chain_bytes = 0;
  };

  void AddParsed(ParsedTree tree);
  void ForgetBases();
  Status CloseBlock();

  TreeParser parser_;
  format::TreeBlockBuilder builder_;
  uint64_t block_size_;
  StretchOutput output_;
  PathNumber path_;
  // True if the next tree begins a lineage in this block.
  bool begins_lineage_ = true;
  // Trees of the open block and the current path, oldest first.
  std::deque<Base> bases_;
  // The tree with which the last chain begins: whole, or with the one before as
  // its base.
  std::optional<Base> anchor_;
  // Kept so that its memory is reused.
  ParsedTree spare_;
  std::vector<format::TreeEdit> edits_;
  std::vector<format::TreeEdit> best_edits_;
};

}  // namespace zpack
